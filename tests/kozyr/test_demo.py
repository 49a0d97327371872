"""The demonstration league: created once, played over HTTP, with bots that restart and stop with it."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kozyr_client import KozyrError
from server import demo
from tests.support.live import ALL, LiveService
from tests.support.waiting import eventually


def children_of(pid: int) -> list[int]:
    """Return the process ids of the children (Linux)."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def get(service: LiveService, path: str) -> Any:
    with service.http() as http:
        return http.get(path).raise_for_status().json()


def ladders(service: LiveService) -> list[Any]:
    return list(get(service, "/v1/ladders")["ladders"])


def last_round(service: LiveService) -> Any:
    found = ladders(service)
    rounds = get(service, f"/v1/ladders/{found[0]['id']}/rounds")["rounds"] if found else []
    return rounds[0] if rounds else None


def test_a_step_is_taken_once_and_repeated_with_its_first_key(tmp_path: Path) -> None:
    keys: list[str] = []

    def breaks(key: str) -> dict[str, Any]:
        keys.append(key)
        raise KeyboardInterrupt

    def works(key: str) -> dict[str, Any]:
        keys.append(key)
        return {"token": "t"}

    with pytest.raises(KeyboardInterrupt):
        demo.DemoMemory(tmp_path / "demo.json").once("step", breaks)
    assert demo.DemoMemory(tmp_path / "demo.json").once("step", works) == {"token": "t"}
    assert demo.DemoMemory(tmp_path / "demo.json").once("step", breaks) == {"token": "t"}
    assert keys[0] == keys[1]
    assert len(keys) == 2


def test_only_this_user_can_read_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "var" / "demo.json"
    demo.DemoMemory(path).once("step", lambda key: {"token": "t"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_bot_gets_a_url_and_a_token_and_no_other_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bot.py"
    program.write_text(
        f"import os, sys\nopen({str(tmp_path / 'told')!r}, 'w').write(repr((len(sys.argv), "
        "sorted(x for x in os.environ if x.startswith('KOZYR')))))\n"
    )
    monkeypatch.setenv("KOZYR_SECRET", "s" * 40)
    bot = demo.KeptBot(program, "http://service.test", "token")
    bot.start()
    bot.wait(30)
    assert (tmp_path / "told").read_text() == "(1, ['KOZYR_TOKEN', 'KOZYR_URL'])"


def test_a_ladder_that_somebody_has_closed_does_not_end_the_demonstration(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*request: object) -> Any:
        raise KozyrError(str(request[2]).lower(), status, {"title": "Refused"})

    monkeypatch.setattr(demo, "call", refuse)
    league, status = demo.DemoLeague("l1", "token", {}), 409
    demo.change_ladder("http://x", league, "PATCH", "", {"schedule": dict(demo.RARELY)})
    assert "the ladder is left as it is" in capsys.readouterr().out
    status = 404
    with pytest.raises(KozyrError):
        demo.change_ladder("http://x", league, "POST", "/rounds")


@pytest.mark.live
@pytest.mark.ci
def test_the_league_is_created_once_and_plays_at_once(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service((*ALL, "demo"))
    eventually(lambda: children_of(service.pid("demo")), "the bots play")
    service.kill("demo")
    service.start("demo")
    eventually(
        lambda: (last_round(service) or {}).get("state") == "done",
        f"the round is over: {service.log('demo')}",
    )
    played = last_round(service)
    assert (played["planned"], played["played"]) == (36, 36), "six pairs, three decks, two seats"
    assert sorted(played["bots"]) == [
        "demo-anna/first", "demo-boris/careful", "house/greedy", "house/random",
    ]  # fmt: skip
    assert len(ladders(service)) == 1
    bots = children_of(service.pid("demo"))
    assert len(bots) == 2
    os.kill(bots[0], signal.SIGKILL)
    eventually(lambda: len({*children_of(service.pid("demo")), *bots}) == 3, "another bot took its place")
    bots = children_of(service.pid("demo"))
    assert service.terminate("demo") == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in bots)


@pytest.mark.live
@pytest.mark.ci
def test_the_league_is_created_again_when_the_service_has_other_data(
    live_service: Callable[..., LiveService],
) -> None:
    service = live_service((*ALL, "demo"))
    eventually(lambda: last_round(service) is not None, "a round was started")
    service.terminate("demo")
    with service.redis() as client, client.pipeline() as together:
        # Without the name of its league, a running service would refuse every request.
        league = client.get("kozyr:league")
        together.flushall().set("kozyr:league", league or b"").execute()
    service.start("demo")
    eventually(lambda: last_round(service) is not None, "a round was started again")
    assert "does not know the demonstration" in service.log("demo")
