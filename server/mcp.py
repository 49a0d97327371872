"""`POST /mcp`: the tools of language models over streamable HTTP, without sessions.

Requests of the protocol 2026-07-28 stand alone. Older clients begin with `initialize`, which nothing remembers. A call
sends its requests to this application itself, with the token of the call, so it can do what a bot can do and no more.
The messages follow the types of the official SDK, whose server needs an event loop of its own (docs/adr/0047).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from flask import Response, request

from api import auth
from api.services import services
from kozyr.mcp.definitions import INSTRUCTIONS, TOOLS
from league.accounts.tokens import Scope
from records.words.phrases import language_of

if TYPE_CHECKING:
    from flask import Flask

    from kozyr.mcp.tools import Steps, ToolResult, Tools

MODERN: Final = ("2026-07-28",)
"""Versions whose requests stand alone."""
HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`."""
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
MOST_STAYING: Final = 1000
"""How many bots one process keeps present while their models think."""
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES: Final[Mapping[str, Any]] = {"tools": {}}
_CACHED: Final = {"ttlMs": 3_600_000, "cacheScope": "public"}

Json = dict[str, Any]


class RpcError(Exception):
    """An error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


class McpEndpoint:
    """Answers `POST /mcp`. One instance serves the application."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._staying: set[str] = set()

    def answer(self) -> Response:
        """Answer a request or accept a notification. Raise `Problem` without a bot's token."""
        token = auth.bot_of(auth.caller(Scope.PLAY))
        ident: Any = None
        try:
            message = _parsed(request.get_data())
            if "id" not in message:
                return Response(status=HTTPStatus.ACCEPTED)
            ident = message["id"]
            is_modern = _checked_version(message)
            if message["method"] == "tools/call":
                return self._call(message, is_modern, token)
            result = _result_of(message)
        except RpcError as error:
            found = {"code": error.code, "message": str(error)} | ({"data": error.data} if error.data else {})
            status = HTTPStatus.NOT_FOUND if error.code == METHOD_NOT_FOUND else HTTPStatus.BAD_REQUEST
            return _json({"jsonrpc": "2.0", "id": ident, "error": found}, status)
        return _json(_response(ident, result, is_modern))

    def _call(self, message: Json, is_modern: bool, bot: str) -> Response:
        params = message.get("params") or {}
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "tools/call needs a name, and arguments as an object")
        tools = self._tools(language_of(request.headers.get("Accept-Language")))
        steps = tools.call(name, arguments)
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        messages = self._messages(steps, message["id"], token, is_modern, lambda: self._stay(bot, tools))
        if token is not None and "text/event-stream" in request.headers.get("Accept", ""):
            stream = (f"event: message\ndata: {json.dumps(each)}\n\n" for each in messages)
            return Response(stream, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})
        *_, last = messages
        return _json(last)

    def _messages(self, steps: Steps, ident: Any, token: Any, is_modern: bool, stay: Any) -> Iterator[Json]:
        """Yield the progress of a call, then its response."""
        number = 0
        while True:
            try:
                progress = next(steps)
            except StopIteration as end:
                result: ToolResult = end.value
                break
            number += 1
            params = {"progressToken": token, "progress": number, "message": progress}
            yield {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        if result.waits:
            stay()
        content = [{"type": "text", "text": result.text}]
        yield _response(ident, {"content": content, "isError": result.is_error}, is_modern)

    def _tools(self, language: str) -> Tools:
        """Return the tools at this application, with the token and the address of the request."""
        import httpx  # large, and few processes need it

        from kozyr.mcp.tools import PATIENCE_S, Tools
        from kozyr_client import Client

        address = services().addresses.of(request.environ)
        transport = httpx.WSGITransport(self._app, remote_addr=address)
        token = auth.bearer(request.environ)
        client = Client("http://127.0.0.1", token, patience_s=PATIENCE_S, transport=transport)
        return Tools(client, language)

    def _stay(self, bot: str, tools: Tools) -> None:
        """Keep a bot present for a while, unless that goes on already."""
        if bot in self._staying or len(self._staying) >= MOST_STAYING:
            return
        self._staying.add(bot)

        def stay() -> None:
            try:
                tools.stay()
            finally:
                self._staying.discard(bot)

        threading.Thread(target=stay, daemon=True).start()


def install(app: Flask) -> None:
    """Add the endpoint."""
    app.add_url_rule("/mcp", "mcp", McpEndpoint(app).answer, methods=["POST"])


def _parsed(raw: bytes) -> Json:
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "the body is not JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        raise RpcError(INVALID_REQUEST, "the body must be one JSON-RPC request or notification")
    if "id" in message and (
        isinstance(message["id"], bool) or not isinstance(message["id"], str | int | float)
    ):
        raise RpcError(INVALID_REQUEST, "id must be a text or a number; a notification has none")
    if not isinstance(message.get("params", {}), dict):
        raise RpcError(INVALID_PARAMS, "params must be an object")
    return message


def _checked_version(message: Json) -> bool:
    """Return whether a request stands alone. Raise `RpcError` for an unknown version, and where headers differ."""
    header = request.headers.get("MCP-Protocol-Version")
    meta = message.get("params", {}).get("_meta")
    asked = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    wanted = asked if asked is not None else header
    if wanted is not None and wanted not in (*MODERN, *HANDSHAKE):
        data = {"supported": [*MODERN], "requested": wanted}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if asked not in MODERN:
        if header in MODERN:
            raise RpcError(HEADER_MISMATCH, "params._meta lacks the protocol version of the header")
        return False
    expected = {"MCP-Protocol-Version": asked, "Mcp-Method": message["method"]}
    if message["method"] == "tools/call":
        expected["Mcp-Name"] = message["params"].get("name")
    for name, value in expected.items():
        if request.headers.get(name) != value:
            raise RpcError(HEADER_MISMATCH, f"the header {name} does not match the body")
    return True


def _result_of(message: Json) -> Json:
    """Return the result of any method but `tools/call`."""
    info = {"name": "kozyr", "version": version("kozyr")}
    match message["method"]:
        case "initialize":
            wanted = message.get("params", {}).get("protocolVersion")
            agreed = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
            return {
                "protocolVersion": agreed,
                "capabilities": _CAPABILITIES,
                "serverInfo": info,
                "instructions": INSTRUCTIONS,
            }
        case "server/discover":
            return {
                "supportedVersions": [*MODERN, *HANDSHAKE],
                "capabilities": _CAPABILITIES,
                "instructions": INSTRUCTIONS,
                "serverInfo": info,
                **_CACHED,
            }
        case "tools/list":
            return {"tools": list(TOOLS), **_CACHED}
        case "ping":
            return {}
        case method:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method[:80]}")


def _response(ident: Any, result: Mapping[str, Any], is_modern: bool) -> Json:
    more = {"resultType": "complete"} if is_modern else {}
    return {"jsonrpc": "2.0", "id": ident, "result": {**result, **more}}


def _json(body: Json, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(json.dumps(body), status, mimetype="application/json")
