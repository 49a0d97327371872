"""A scripted model: it answers a turn in words with its first move."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = "Answer with one move:\n"


def first_move(text: str) -> str:
    """Return the first move that a turn lists, or the first of a product."""
    line = text.rpartition(HEAD)[2].partition("\n")[0]
    form = re.match(r"(\w+) (\w+)(?: (\w+))?, ", line)
    if form is None:
        return line.partition(" | ")[0]
    sets = {part[0]: part.partition(" of ")[2].split() for part in line.split(", ")[1:]}
    chosen: list[str] = []
    for name in (form[2], form[3]):
        suits = sets.get(name, [])
        cards = [rank + suit for suit, ranks in zip(suits[::2], suits[1::2], strict=True) for rank in ranks]
        chosen += [card for card in cards if card not in chosen][:1] if cards else [name or ""]
    return " ".join([form[1], *chosen]).strip()


class ScriptedEndpoint(BaseHTTPRequestHandler):
    """Chat completions as OpenAI's API has them, streamed if asked for."""

    def do_POST(self) -> None:
        """Answer the last message."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = body["messages"][-1]["content"]
        text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        message = {"role": "assistant", "content": first_move(text)}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        made = {"id": "1", "created": 1, "model": "scripted", "usage": usage}
        if body.get("stream"):
            choices = [{"index": 0, "finish_reason": "stop", "delta": message}]
            chunk = json.dumps({**made, "object": "chat.completion.chunk", "choices": choices})
            self._send("text/event-stream", f"data: {chunk}\n\ndata: [DONE]\n\n")
        else:
            choices = [{"index": 0, "finish_reason": "stop", "message": message}]
            self._send(
                "application/json", json.dumps({**made, "object": "chat.completion", "choices": choices})
            )

    def _send(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Write no log."""


def serve() -> str:
    """Serve the scripted model in a thread. Return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedEndpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
