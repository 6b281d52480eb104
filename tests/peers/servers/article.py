"""What the servers made with the Python SDK share: the article's skill, a port, and the SDK's version.

The SDK knows nothing of skills, so the entry is made here.
"""

import hashlib
import os
import socket
import sys
import threading
from importlib.metadata import version
from pathlib import Path

import uvicorn
import yaml

EXTENSION = "io.modelcontextprotocol/skills"
SDK = {"name": "mcp", "version": version("mcp")}

_FOLDER = Path(__file__).parents[2] / "fixtures/article/code-review"
_PATHS = ["SKILL.md", "references/checklist.md"]

FILES = {f"skill://code-review/{path}": (_FOLDER / path).read_bytes() for path in _PATHS}


def _line(uri: str, content: bytes) -> dict:
    digest = hashlib.sha256(content).hexdigest()
    return {"uri": uri, "digest": f"sha256:{digest}", "size": len(content)}


_SKILL_MD = "skill://code-review/SKILL.md"
ENTRY = {
    "uri": _SKILL_MD,
    "frontmatter": next(yaml.safe_load_all(FILES[_SKILL_MD])),
    "resources": [_line(uri, content) for uri, content in FILES.items()],
}


def serve(mcp) -> None:
    """Serves on a free port of this machine, says where, and ends with whoever holds standard input open.

    PASTED_LINES are what the page under test tells people to add to such a server.
    """
    names = {"mcp": mcp}
    exec(os.environ.get("PASTED_LINES", "app = mcp.streamable_http_app()"), names)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    threading.Thread(target=_end_with_input, daemon=True).start()
    uvicorn.Server(uvicorn.Config(names["app"], log_level="warning")).run(sockets=[listener])


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)
