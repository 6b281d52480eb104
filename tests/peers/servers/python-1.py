"""The article's skill from version 1 of the official Python SDK.

    python python-1.py sessions|stateless

This SDK knows nothing of skills and refuses every request that its union of requests does not name, so the union is
replaced by one that names the extension's two. `sessions` answers as event streams, `stateless` in JSON.
"""

import contextlib
import sys
from typing import Literal

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from pydantic import RootModel
from starlette.applications import Starlette
from starlette.routing import Mount

from article import ENTRY, EXTENSION, FILES, SDK, serve


class ListSkillsRequest(types.PaginatedRequest[Literal["skills/list"]]):
    method: Literal["skills/list"] = "skills/list"


class GetSkillRequest(types.Request[types.ReadResourceRequestParams, Literal["skills/get"]]):
    method: Literal["skills/get"] = "skills/get"


types.ClientRequest = RootModel[types.ClientRequestType | ListSkillsRequest | GetSkillRequest]


def result(members: dict) -> types.ServerResult:
    return types.ServerResult(types.EmptyResult.model_validate(members))


def not_here() -> McpError:
    return McpError(types.ErrorData(code=types.INVALID_PARAMS, message="There is no such URI here"))


async def list_skills(_request: ListSkillsRequest) -> types.ServerResult:
    return result({"skills": [ENTRY]})


async def get_skill(request: GetSkillRequest) -> types.ServerResult:
    if str(request.params.uri) != ENTRY["uri"]:
        raise not_here()
    return result({"skill": ENTRY})


async def read_resource(uri) -> list[ReadResourceContents]:
    if str(uri) not in FILES:
        raise not_here()
    return [ReadResourceContents(FILES[str(uri)].decode(), "text/markdown")]


class SkillServer(Server):
    def get_capabilities(self, *arguments) -> types.ServerCapabilities:
        declared = {"resources": types.ResourcesCapability(), "extensions": {EXTENSION: {}}}
        return super().get_capabilities(*arguments).model_copy(update=declared)


server = SkillServer(**SDK)
server.request_handlers[ListSkillsRequest] = list_skills
server.request_handlers[GetSkillRequest] = get_skill
server.read_resource()(read_resource)

stateless = {"sessions": False, "stateless": True}[sys.argv[1]]


class Mcp:
    """What FastMCP makes around a server; it has no place for the extension's methods."""

    def streamable_http_app(self, transport_security=None) -> Starlette:
        manager = StreamableHTTPSessionManager(
            server, stateless=stateless, json_response=stateless, security_settings=transport_security
        )

        @contextlib.asynccontextmanager
        async def lifespan(_app):
            async with manager.run():
                yield

        return Starlette(routes=[Mount("/", manager.handle_request)], lifespan=lifespan)


serve(Mcp())
