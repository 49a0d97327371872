"""Webhooks over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from api.limits.rates import Rates
from tests.api.conftest import ApiWorld, Person, refused

URL = "https://hooks.example.com/kozyr"


def created(owner: Person, **more: Any) -> dict[str, Any]:
    response = owner("POST", "/v1/webhooks", {"url": URL, **more})
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json
    return made


def test_an_owner_creates_changes_and_deletes_webhooks(world: ApiWorld) -> None:
    owner = world.owner()
    made = created(owner, events=["round.finished"], format="discord")
    webhook, address = made["webhook"], f"/v1/webhooks/{made['webhook']['id']}"
    assert made["secret"].startswith("whsec_")
    assert (webhook["events"], webhook["format"], webhook["enabled"]) == (["round.finished"], "discord", True)
    assert owner("GET", "/v1/webhooks").json["webhooks"] == [webhook]
    assert owner("GET", address).json == webhook
    changed = owner("PATCH", address, {"enabled": False, "events": ["match.finished"]}).json
    assert changed == {**webhook, "enabled": False, "events": ["match.finished"]}
    private = {"url": "https://127.0.0.1/"}
    refused(owner("POST", "/v1/webhooks", private), 422, "bad_value")
    refused(owner("PATCH", address, private), 422, "bad_value")
    assert owner("DELETE", address).status_code == 204
    refused(owner("GET", address), 404, "no_such_webhook")
    refused(owner("DELETE", address), 404, "no_such_webhook")


def test_webhooks_are_their_owners_alone(world: ApiWorld) -> None:
    owner, other = world.owner(), world.owner()
    address = f"/v1/webhooks/{created(owner)['webhook']['id']}"
    for method, path in [("GET", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/test")]:
        refused(other(method, address + path), 404, "no_such_webhook")
    refused(other("PATCH", address, {"enabled": False}), 404, "no_such_webhook")
    refused(world.bot(owner)("GET", "/v1/webhooks"), 403, "scope_missing")


def test_a_test_event_appears_in_the_log_and_can_be_sent_again(world: ApiWorld) -> None:
    owner = world.owner()
    address = f"/v1/webhooks/{created(owner)['webhook']['id']}"
    sent = owner("POST", f"{address}/test")
    assert sent.status_code == 202
    (delivery,) = owner("GET", f"{address}/deliveries").json["deliveries"]
    assert (delivery["id"], delivery["type"], delivery["state"]) == (sent.json["id"], "test", "waiting")
    world.services.webhooks.deliver(
        lambda requests: [(503, "the receiver answered 503", 7) for _ in requests]
    )
    (delivery,) = owner("GET", f"{address}/deliveries").json["deliveries"]
    assert [(each["status"], each["ms"]) for each in delivery["attempts"]] == [(503, 7)]
    again = owner("POST", f"{address}/deliveries/{delivery['id']}")
    assert (again.status_code, again.json["id"]) == (202, delivery["id"])
    refused(owner("POST", f"{address}/deliveries/msg_none"), 404, "no_such_message")


def test_a_request_counts_once(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, counted = world.owner(), list[str]()
    monkeypatch.setattr(Rates, "count", lambda _, scope, *__: counted.append(scope))
    hook = owner("POST", "/v1/webhooks", {"url": "https://example.org/hook"}).json["webhook"]["id"]
    for method, path in [
        ("GET", ""),
        ("GET", f"/{hook}"),
        ("GET", f"/{hook}/deliveries"),
        ("DELETE", f"/{hook}"),
    ]:
        assert owner(method, f"/v1/webhooks{path}").status_code < 300
    assert counted == ["creations", *["requests"] * 4]
