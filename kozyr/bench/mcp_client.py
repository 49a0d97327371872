"""An MCP client as the agent of a bench: it finds its turns with the tools of `kozyr mcp`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kozyr import systems
from kozyr.bench.tools_service import ToolsService
from kozyr.local.command import STARTING_S
from kozyr.local.match import BotAnswer, BotQuestion, NoAnswer

PROMPT: Final = (
    "You play {game} with the tools of the MCP server `kozyr`. Call `rules` once. Then call `wait`, and answer each "
    "turn with `play`, until the match is over. Call `wait` again for the next match."
)
STARTS: Final = 3
"""How often a client that ends is started for one turn."""
LEAVING_S: Final = 5.0
"""How long a client may take to end, in seconds."""
LOOK_S: Final = 0.2
"""How often to look whether the client still runs, in seconds."""


class McpClient:
    """A client that is started when a turn waits and none runs. It may play one match or all."""

    def __init__(self, words: Sequence[str], game: str, folder: Path, log: Path) -> None:
        """The words may hold `{config}`, the path of a file with `mcpServers` in `folder`, and `{prompt}`. Raise
        `OSError`."""
        self._service = ToolsService()
        self._config, self._log = folder / "mcp.json", log
        prompt = PROMPT.format(game=game)
        server = {
            "command": sys.executable,
            "args": ["-m", "kozyr", "mcp", self._service.url],
            "env": {"KOZYR_TOKEN": self._service.token},
        }
        self._config.write_text(json.dumps({"mcpServers": {"kozyr": server}}), encoding="utf-8")
        self._config.chmod(0o600)
        filled = {"{config}": str(self._config), "{prompt}": prompt}
        self._words = [_filled(word, filled) for word in words]
        self._environment = {
            **os.environ,
            "KOZYR_URL": self._service.url,
            "KOZYR_TOKEN": self._service.token,
            "KOZYR_MCP_CONFIG": str(self._config),
            "KOZYR_PROMPT": prompt,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def refused(self) -> int:
        """How many moves the service has refused."""
        return self._service.refused

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return the move that the client plays. Raise `NoAnswer`."""
        self._service.ask(question)
        until, starts = time.monotonic() + question.move_ms / 1000, 0
        while (left := until - time.monotonic()) > 0:
            if self._ended():
                if starts == STARTS:
                    self._service.withdraw()
                    raise NoAnswer(f"the client ended {STARTS} times without a move: see its standard error")
                until += 0 if starts else STARTING_S
                starts += 1
                self._start()
            answer = self._service.answer(min(left, LOOK_S))
            if answer is not None:
                return answer._replace(ms=min(answer.ms, question.move_ms)) if starts else answer
        self._service.withdraw()
        raise NoAnswer(f"no move within {question.move_ms} ms")

    def ended(self, over: dict[str, Any]) -> None:
        """Tell the client that its match is over."""
        self._service.end(over)

    def close(self) -> None:
        """End the client and the service."""
        if self._process is not None:
            systems.end(self._process, LEAVING_S)
        self._service.close()
        self._config.unlink(missing_ok=True)

    def _ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _start(self) -> None:
        try:
            with self._log.open("ab") as log:
                self._process = systems.start(
                    self._words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment
                )
        except OSError as why:
            raise NoAnswer(f"the client can't be started: {why}; check the command") from why


def _filled(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word
