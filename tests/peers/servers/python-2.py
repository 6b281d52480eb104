"""The article's skill from version 2 of the official Python SDK, which speaks both eras, the older one in sessions.

The extension's methods are bound by the SDK's interface for extensions; the SDK itself knows nothing of skills.
"""

from mcp.server.extension import Extension, MethodBinding, ResourceBinding
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import TextResource
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PaginatedRequestParams, RequestParams

from article import ENTRY, EXTENSION, FILES, SDK, serve

FRESHNESS = {"ttlMs": 0, "cacheScope": "private"}


class GetSkillParams(RequestParams):
    uri: str


async def list_skills(_context, _params: PaginatedRequestParams) -> dict:
    return {"skills": [ENTRY], **FRESHNESS}


async def get_skill(_context, params: GetSkillParams) -> dict:
    if params.uri != ENTRY["uri"]:
        raise MCPError(code=INVALID_PARAMS, message="There is no such skill here")
    return {"skill": ENTRY, **FRESHNESS}


class Skills(Extension):
    identifier = EXTENSION

    def methods(self):
        return [
            MethodBinding("skills/list", PaginatedRequestParams, list_skills),
            MethodBinding("skills/get", GetSkillParams, get_skill),
        ]

    def resources(self):
        return [
            ResourceBinding(TextResource(uri=uri, text=content.decode(), mime_type="text/markdown"))
            for uri, content in FILES.items()
        ]


serve(MCPServer(**SDK, log_level="ERROR", extensions=[Skills()]))
