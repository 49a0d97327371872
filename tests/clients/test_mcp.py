"""Clients of other people play through the tools: the SDK for TypeScript, Inspector, and the conformance suite.

Over HTTP and over standard input and output, with the oldest protocol and the newest. `make clients` runs this.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from werkzeug import Request, Response

from kozyr.mcp.definitions import TOOLS
from tests.clients.languages import run, skip_unless_installed
from tests.live.league import LiveBot, LiveLeague
from tests.support.answering import answering
from tests.support.live import ROOT, LiveService

pytestmark = [pytest.mark.clients, pytest.mark.live]

FOLDER = Path(__file__).parent / "mcp"
KOZYR = str(ROOT / ".venv" / "bin" / "kozyr")
TRANSPORTS = pytest.mark.parametrize("transport", ["http", "stdio"])
SCENARIOS = ("server-initialize", "ping", "tools-list", "tools-call-error", "dns-rebinding-protection")
"""What the conformance suite asks of every server. The other scenarios need prompts, resources and its own tools."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of the packages, with the Node.js that they need."""
    skip_unless_installed(["node", "npm"])
    folder = tmp_path_factory.mktemp("mcp-clients")
    for name in ("package.json", "package-lock.json", "play.mjs"):
        shutil.copy(FOLDER / name, folder)
    run(["npm", "ci", "--no-audit", "--no-fund"], folder, within=600)
    return folder / "node_modules" / ".bin"


@pytest.fixture
def bot(service: LiveService) -> LiveBot:
    return LiveLeague(service, f"mcp-{secrets.token_hex(4)}").bot("model")


def answered(node: Path, service: LiveService, bot: LiveBot, command: list[str], to: list[str]) -> str:
    """Return what a program of Node.js printed, in the folder of the packages."""
    program = [str(node / "node"), *command, *to]
    return run(program, node.parents[1], KOZYR_TOKEN=bot.token, KOZYR_URL=service.url)


@TRANSPORTS
@pytest.mark.parametrize("game", ["durak", "king"])
def test_the_sdk_for_typescript_plays_a_match(
    node: Path, service: LiveService, bot: LiveBot, transport: str, game: str
) -> None:
    target = [KOZYR, "mcp", service.url] if transport == "stdio" else [f"{service.url}/mcp", bot.token]
    printed = json.loads(answered(node, service, bot, ["play.mjs", game], target))
    assert printed["tools"] == [tool["name"] for tool in TOOLS]
    assert "(played to the end)" in printed["text"]


@TRANSPORTS
@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_inspector_lists_the_tools_and_calls_them(
    node: Path, service: LiveService, bot: LiveBot, transport: str, era: str
) -> None:
    def inspect(*words: str) -> dict[str, Any]:
        command = [str(node / "inspector"), "--cli"]
        if transport == "http":
            command += [f"{service.url}/mcp", "--transport", "http"]
            target = ["--header", f"Authorization: Bearer {bot.token}"]
        else:
            target = ["-e", f"KOZYR_TOKEN={bot.token}", "--", KOZYR, "mcp", service.url]
        command += ["--protocol-era", era, "--method", *words]
        text = answered(node, service, bot, command, target)
        result: dict[str, Any] = json.loads(text[text.index("{") :])
        return result

    listed = inspect("tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [tool["name"] for tool in TOOLS]
    started = inspect("tools/call", "--tool-name", "start_match", "--tool-arg", "game=durak")
    assert "Answer with one move:" in started["content"][0]["text"]


@pytest.fixture
def open_url(service: LiveService, bot: LiveBot) -> Iterator[str]:
    """The address of the tools for clients that can send no token: it is added on the way."""

    def with_token(request: Request) -> Response:
        kept = {name: value for name, value in request.headers.items() if name.lower() != "connection"}
        headers = {**kept, "Authorization": f"Bearer {bot.token}"}
        url = service.url + request.full_path
        found = httpx.request(request.method, url, content=request.get_data(), headers=headers)
        return Response(found.content, found.status_code, content_type=found.headers.get("Content-Type"))

    with answering(with_token) as url:
        yield f"{url}/mcp"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_server_conforms(
    node: Path, service: LiveService, bot: LiveBot, open_url: str, scenario: str
) -> None:
    command = [str(node / "conformance"), "server", "--url", open_url, "--scenario", scenario]
    printed = answered(node, service, bot, command, [])
    assert "0 failed" in printed
    assert "0/0" not in printed
