"""Two live services that receive the same requests, and whose responses are compared byte for byte.

Each has its own Redis and processes. Service time is frozen at the same instant in both, so clocks, deadlines and move
times are equal. The comparison masks values that differ for other reasons:

- ids and tokens, replaced by names; only those learnt from the response that created them;
- request ids, commitments and cursors, replaced by their form or length;
- instants of real time, and the remaining quota of rate limits, whose windows follow real time;
- in metrics, measured seconds and round trips to the store, which heartbeats make as well; the load of the service is
  compared when clock and worker have nothing left to do;
- which queues have a job at the moment of a look at `/metrics` or `/readyz`;
- in log lines, the timestamp and the duration;
- in pages, the codes of forms, and when a watched request was made and how long it took.

A process that the machine delayed requests its own `/healthz` before it serves again (`server.heartbeats`). So requests
for `/healthz` are ignored in metrics and logs. Their responses are compared.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from records.ids import buckets
from records.match.loaded_match import LoadedMatch
from redisio.connection import Redis
from referee.storage.redis import RedisMatchStore, clock_key
from server.config.settings import rows
from tests.support.live import ALL, LiveService
from tests.support.rigged_process import FOLDER, write_decks
from tests.support.waiting import eventually

STANDS_AT_MS = 2_000_000_000_000
"""The service time in both worlds. It lies in 2033, so no instant of real time can be mistaken for it."""
STANDS_AT = "2033-05-18T"

NO_RATES = {row.variable: "1000000000" for row in rows().values() if row.variable.startswith("KOZYR_RATE_")}
"""Rate limits too high to reach: responses have their headers, and no request is refused."""

_QUOTE = r"""(?:\\?"|&#34;)"""
"""A quotation mark of JSON, in JSON, in a text of JSON or in a page."""
_TIMED = "<timed>"
_ASIDE = [
    (re.compile(rf'"(?!{STANDS_AT})\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"'), '"<real time>"'),
    (re.compile(rf"{_QUOTE}request_id{_QUOTE}:{_QUOTE}[0-9a-f]{{20}}{_QUOTE}"), '"request_id":"<20>"'),
    (re.compile(r"<code>[0-9a-f]{20}</code>"), "<code><20></code>"),
    (re.compile(rf"{_QUOTE}commitment{_QUOTE}:{_QUOTE}[0-9a-f]{{64}}{_QUOTE}"), '"commitment":"<64>"'),
    (re.compile(r'"id":"t[0-9a-z]{16}"'), '"id":"<a token>"'),
    # A process stores its counts of refused moves once a second.
    (re.compile(r'"refused":\{[^{}]*\}'), f'"refused":{{{_TIMED}}}'),
]
_CURSOR = re.compile(rf"{_QUOTE}(since|cursor){_QUOTE}:{_QUOTE}([\w-]+){_QUOTE}")
_PAGES_ASIDE = [
    (re.compile(r'name="code" value="[0-9a-f]{64}"'), 'name="code" value="<64>"'),
    (re.compile(r"(?<=/me/tokens/)t[0-9a-z]{16}|\bt[0-9a-z]{16}(?=</span>)"), "<a token>"),
    (re.compile(r"\b[0-9a-z]{8}…"), "<8>…"),  # the beginning of an id
    (re.compile(r"\b\d\d? \w{3} 202\d, \d\d:\d\d UTC"), "<real time>"),
    # What the log of a watched bot measured.
    (re.compile(r'"request":\{"at":\d+,"ms":[\d.e-]+'), f'"request":{{{_TIMED}'),
    (re.compile(r"(?<![T\d])\d\d:\d\d:\d\d\.\d{3}\b"), _TIMED),
    (re.compile(r'<td class="n">[\d,]+\.\d</td>(?=\n<td>)'), f'<td class="n">{_TIMED}</td>'),
]
"""What may differ in the pages and files of the site."""
_HEADERS_ASIDE = {
    "Set-Cookie": re.compile(
        r"(kozyr_visitor=[\w-]{32}|kozyr_lang=ru; Expires=[\w, :]+; Max-Age=31536000); HttpOnly; Path=/; SameSite=Lax"
    ),
    "Date": re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"),
    "X-Request-Id": re.compile(r"[0-9a-f]{20}"),
    "RateLimit": re.compile(r'("\w+";r=\d+;t=\d+(, )?)+'),
}
_MEASURED = re.compile(
    r"_created|_age_seconds|_seconds_sum|_seconds_bucket\{(?!.*\+Inf)|kozyr_store_trips"
    r"|kozyr_redis_bytes|_lateness_seconds\{|_lag_seconds\{"
)
_LOAD = re.compile(
    r"kozyr_(running_matches|outbox_entries|recorded_matches|archived_matches|archive_index_files|archive_index_bytes"
    r"|archive_dumped_until_seconds|redis_limit_bytes|thinking_moves_total|thinking_seconds_total)\b"
)
"""Metrics of the whole service, which clock and worker change a moment after a response."""
_PROCESS = re.compile(r"\b(api|clock|worker)-\d+-[0-9a-f]{6}\b")
_OLDEST_JOB = "kozyr_oldest_job_age_seconds"
_OWN_REQUEST = 'endpoint="service.get_health"'
_CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
_LINE_ASIDE = ("timestamp", "ms", "request_id")
_OF_TIME = re.compile(
    r"no API process served for|/healthz|Handling signal: cld|(Enqueueing|Uniquely enqueued) job (archive|dump|regret)-"
)
"""Log lines about delays of the machine and about jobs of the minute. The two worlds have them at different moments."""

NOT_COMPARED = ("redis", "worker")
"""Processes whose log lines depend on real time. These logs are only searched for cards and secrets."""


class Leak(AssertionError):
    """The two worlds differ in something that the viewer can observe."""


class SeenAnswer(NamedTuple):
    """A response as received."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def is_json(self) -> bool:
        """Whether the body is one JSON document."""
        return ("Content-Type", "application/json") in self.headers

    def json(self) -> Any:
        """Return the body, parsed as JSON."""
        return json.loads(self.body)


class LiveWorld:
    """One of the two services, with names for its ids and the bodies of its responses so far."""

    def __init__(self, folder: Path, module: str, parts: Sequence[str]) -> None:
        self.rig = folder / "rig"
        self.rig.mkdir(parents=True)
        commands = {part: [sys.executable, "-m", module, part] for part in ("api", "clock", "worker")}
        self.service = LiveService(
            folder,
            parts,
            settings={
                FOLDER: str(self.rig),
                "KOZYR_HOSTS": "kozyr.test",
                "KOZYR_LOG_LEVEL": "debug",
                "KOZYR_TICK_MS": "20",
                "KOZYR_SILENT_S": "600",
                "KOZYR_OLD_JOB_S": "86400",
                **NO_RATES,
            },
            commands=commands,
        )
        self._link = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=60)
        self.names: dict[str, str] = {}
        """The id or token in this world, by its name in angle brackets."""
        self._named: dict[str, str] = {}
        self._ids = re.compile(r"(?!)")
        self.cursors: dict[str, str] = {}
        """The cursors by name. Unlike ids, they are not searched for in responses."""
        self.received = b""
        self._store: RedisMatchStore | None = None
        self._metrics: dict[str, float] = {}
        self._load: dict[str, float] = {}
        self._logged: dict[str, int] = {}

    def stop_time(self, at_ms: int) -> None:
        """Freeze service time at this instant."""
        with contextlib.closing(self.service.redis()) as client, client.pipeline() as pipeline:
            for bucket in buckets():
                pipeline.hset(clock_key(bucket), "manual", str(at_ms))
            pipeline.execute()

    def behind(self, match: str) -> LoadedMatch:
        """Return the complete state of a match, which no viewer may see."""
        if self._store is None:
            self._store = RedisMatchStore(Redis(self.service.redis_url))
        (snapshot,) = self._store.read([self.real(match)])
        assert snapshot is not None
        return snapshot

    def learn(self, name: str, real: str) -> None:
        """Use this name for the id or token `real` from now on."""
        self.names[f"<{name}>"] = real
        self._named[real] = f"<{name}>"
        self._ids = re.compile("|".join(map(re.escape, self._named)))

    def real(self, text: str) -> str:
        """Return the text with each name replaced by its id, token or cursor in this world."""
        return re.sub(r"<[\w -]+>", lambda found: {**self.names, **self.cursors}[found[0]], text)

    def ask(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> SeenAnswer:
        """Send a request and return the response. A `body` of text is sent as it is."""
        sent = {name: self.real(value) for name, value in headers.items()}
        data = (
            None if body is None else self.real(body if isinstance(body, str) else json.dumps(body)).encode()
        )
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        self._link.request(method, self.real(path), data, sent)
        answer = self._link.getresponse()
        return SeenAnswer(answer.status, answer.getheaders(), answer.read())

    def hang_up(self) -> None:
        """Close the connection, so that the processes can stop without waiting for it."""
        self._link.close()

    def set_aside(self, text: str) -> str:
        """Return the text with every value that may differ replaced by a placeholder."""
        text = self._ids.sub(lambda found: self._named[found[0]], text)
        for pattern, form in _ASIDE:
            text = pattern.sub(form, text)
        return _CURSOR.sub(lambda found: f'"{found[1]}":"<{len(found[2])}>"', text)

    def seen(self, answer: SeenAnswer) -> str:
        """Return the response in the form that is compared."""
        lines, body = [f"{answer.status}"], self.set_aside(answer.body.decode(errors="backslashreplace"))
        if not answer.is_json:
            for pattern, form in _PAGES_ASIDE:
                body = pattern.sub(form, body)
        for name, value in answer.headers:
            form = _HEADERS_ASIDE.get(name)
            if name == "Kozyr-Cursor":
                value = f"<{len(value)}>"
            if name == "Content-Length" and _TIMED in body:
                value = _TIMED
            lines.append(f"{name}: {'<aside>' if form and form.fullmatch(value) else self.set_aside(value)}")
        return "\n".join([*lines, "", body])

    # Readiness, metrics and logs

    def is_up(self) -> bool:
        """Return whether every process that was started sends heartbeats."""
        parts = self.ask("GET", "/readyz", None, {}).json()["parts"]
        return all(parts[name] for name in self.service.parts if name in parts)

    def readiness(self, token: str | None) -> str:
        """Return what `/readyz` answers, with the names of processes by kind and every age as 0."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self.ask("GET", "/readyz", None, headers)
        body = answer.json()
        body["heartbeats"] = sorted(_PROCESS.sub(r"\1-<process>", name) for name in body["heartbeats"])
        body["oldest_jobs"] = []
        kept = [(name, value) for name, value in answer.headers if name != "Content-Length"]
        return self.seen(SeenAnswer(answer.status, kept, json.dumps(body).encode()))

    def metrics(self) -> dict[str, float]:
        """Return the changes of the metrics since the last call, by sample. Measured times and sizes count as 0.

        The load is left out.
        """
        samples = {name: value for name, value in self._samples().items() if not _LOAD.match(name)}
        now = {name: 0.0 if _MEASURED.search(name) else float(value) for name, value in samples.items()}
        new = {name: value for name, value in now.items() if value != self._metrics.get(name)}
        since = {name: value - self._metrics.get(name, 0.0) for name, value in new.items()}
        self._metrics = now
        return since

    def load(self) -> dict[str, float]:
        """Return the changes of the service's load since the last `remember_load`, by sample."""
        return {name: value - self._load.get(name, 0.0) for name, value in self._whole_load().items()}

    def remember_load(self) -> None:
        """Wait until the clock has nothing left to do, and let `load` begin here."""
        self._load = eventually(self._idle_load, "the outbox is empty")

    def _idle_load(self) -> dict[str, float]:
        load = self._whole_load()
        waiting = [value for name, value in load.items() if name.startswith("kozyr_outbox_entries")]
        return load if waiting == [0.0] else {}

    def _whole_load(self) -> dict[str, float]:
        return {name: float(value) for name, value in self._samples().items() if _LOAD.match(name)}

    def _samples(self) -> dict[str, str]:
        text = self.service.metrics()
        lines = [
            _PROCESS.sub(r"\1-<process>", line)
            for line in text.splitlines()
            if not line.startswith(("#", _OLDEST_JOB)) and _OWN_REQUEST not in line
        ]
        return dict(line.rsplit(" ", 1) for line in lines)

    def logged(self) -> dict[str, list[str]]:
        """Return the log lines since the last call by process, in the form that is compared."""
        compared = [name for name in self.service.parts if name not in NOT_COMPARED]
        lines = {name: self._new_lines(name) for name in compared}
        return {name: [line for line in found if not _OF_TIME.search(line)] for name, found in lines.items()}

    def _new_lines(self, name: str) -> list[str]:
        text = self.service.log(name)
        whole = text.rfind("\n") + 1
        begun, self._logged[name] = self._logged.get(name, 0), whole
        return [self._line(line) for line in text[begun:whole].splitlines()]

    def _line(self, line: str) -> str:
        try:
            fields = json.loads(line)
        except ValueError:
            return self.set_aside(line)
        kept = {key: value for key, value in fields.items() if key not in _LINE_ASIDE}
        return self.set_aside(json.dumps(kept))

    def check_secrets(self, secrets: Sequence[str]) -> None:
        """Raise `Leak` if a log, of Redis too, has a card, a token or a secret, or if a response has a secret."""
        tokens = [real for name, real in self.names.items() if name.endswith("token>")]
        for name in self.service.parts:
            for line in self.service.log(name).splitlines():
                if _CARD.search(line) or any(secret in line for secret in [*secrets, *tokens]):
                    raise Leak(f"the log of {name} has a card or a secret: {line}")
        if any(secret.encode() in self.received for secret in secrets):
            raise Leak("a response had the secret of a running match")


class TwinWorlds:
    """Both worlds. Every request is sent to both."""

    def __init__(
        self, folder: Path, module: str = "tests.support.rigged_process", parts: Sequence[str] = ALL
    ) -> None:
        self.both = [LiveWorld(folder / name, module, parts) for name in ("one", "other")]
        self._document: Any = None
        self._now = STANDS_AT_MS
        self.has_revealed = False
        """Whether a finished match has a readable record."""

    def __enter__(self) -> TwinWorlds:
        try:
            for part in self.both[0].service.parts:
                for world in self.both:
                    world.service.start(part, wait=False)
                for world in self.both:
                    world.service.wait_for(part)
            for world in self.both:
                eventually(world.is_up, "all processes send heartbeats")
            self.pass_time()
            self.begin_anew()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop all processes."""
        for world in self.both:
            world.hang_up()
            for part in world.service.parts:
                if part != "redis" and world.service.running(part):
                    world.service.signal(part, signal.SIGTERM)
        for world in self.both:
            world.service.close()

    def begin_anew(self) -> None:
        """Exclude the metrics and log lines so far from later comparisons."""
        for world in self.both:
            world.remember_load()
        for world in self.both:
            world.metrics()
            world.logged()

    def pass_time(self) -> None:
        """Advance service time by 1 ms, so that later events have later timestamps."""
        self._now += 1
        for world in self.both:
            world.stop_time(self._now)

    def write_decks(self, name: str, decks: Sequence[Sequence[Sequence[int]]]) -> None:
        """Set the decks of matches with this entropy, one list for each world."""
        for world, own in zip(self.both, decks, strict=True):
            write_decks(world.rig, name, own)

    def make(self, path: str, body: Any, token: str | None, learn: Mapping[str, Sequence[str]]) -> list[Any]:
        """Create something in both worlds and return the responses. `learn` maps names to the paths of ids in them."""
        answers = self._ask("POST", path, body, token, {})
        for world, answer in zip(self.both, answers, strict=True):
            assert answer.status == 201, answer.body
            for name, place in learn.items():
                found = answer.json()
                for key in place:
                    found = found[key]
                world.learn(name, found)
        self._compare(f"POST {path}", answers)
        return [answer.json() for answer in answers]

    def tell(self, method: str, path: str, body: Any, token: str) -> None:
        """Send a request by somebody else than the viewer. The responses are not compared."""
        for answer in self._ask(method, path, body, token, {}):
            assert answer.status == 200, f"{path} {body}: {answer.body!r}"

    def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> SeenAnswer:
        """Send a request by the viewer and return the first world's response. Raise `Leak` if the responses differ."""
        return self.compared(method, path, token, body, headers)[0]

    def compared(
        self,
        method: str,
        path: str,
        token: str | None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> list[SeenAnswer]:
        """Send a request by the viewer and return both responses. Raise `Leak` if they differ."""
        answers = self._ask(method, path, body, token, headers or {})
        self._compare(f"{method} {path} {json.dumps(body)[:300]} {headers or ''} as {token}", answers)
        return answers

    def learn_cursor(self, name: str, cursors: Sequence[str]) -> None:
        """Use this name for a cursor in later requests. `cursors` has one for each world."""
        for world, cursor in zip(self.both, cursors, strict=True):
            world.cursors[f"<{name}>"] = cursor

    def document(self) -> Any:
        """Return the OpenAPI document of the service."""
        if self._document is None:
            self._document = self.ask("GET", "/openapi.json").json()
        return self._document

    def check_readiness(self, token: str | None) -> None:
        """Raise `Leak` if the responses of `/readyz` differ. Ages and process names are ignored."""
        self._same("GET /readyz", [world.readiness(token) for world in self.both])

    def check_metrics(self) -> None:
        """Raise `Leak` if the metrics changed differently since the last check, or the load since `begin_anew`."""
        self._same("/metrics", [json.dumps(world.metrics(), indent=0, sort_keys=True) for world in self.both])
        eventually(self._same_load, "both worlds have the same load")

    def check_logs(self) -> None:
        """Raise `Leak` if the log lines since the last check differ."""
        logs = [world.logged() for world in self.both]
        for name in logs[0]:
            self._same(f"the log of {name}", ["\n".join(log[name]) for log in logs])

    def check_secrets(self, secrets: Sequence[str]) -> None:
        """Raise `Leak` if a log has a card, a token or one of these secrets, or a response has one of the secrets."""
        for world in self.both:
            world.check_secrets(secrets)

    def _ask(
        self, method: str, path: str, body: Any, token: str | None, headers: Mapping[str, str]
    ) -> list[SeenAnswer]:
        more = {} if token is None else {"Authorization": f"Bearer {token}"}
        return [world.ask(method, path, body, {**headers, **more}) for world in self.both]

    def _compare(self, what: str, answers: Sequence[SeenAnswer]) -> None:
        for world, answer in zip(self.both, answers, strict=True):
            world.received += answer.body
        self._same(what, [world.seen(answer) for world, answer in zip(self.both, answers, strict=True)])

    def _same_load(self) -> bool:
        self._same("/metrics", [json.dumps(world.load(), indent=0) for world in self.both])
        return True

    @staticmethod
    def _same(what: str, texts: Sequence[str]) -> None:
        one, other = texts
        if one == other:
            return
        at = next(
            (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        near = slice(max(0, at - 120), at + 120)
        raise Leak(f"{what}: …{one[near]!r}… in one world, …{other[near]!r}… in the other")
