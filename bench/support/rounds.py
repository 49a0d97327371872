"""A ladder of house bots and its first round, played through the API."""

from __future__ import annotations

import httpx

from tests.support.waiting import eventually


def played_ladder(client: httpx.Client, repeats: int, owner: str = "bench") -> str:
    """Play a round of `greedy` against `random` with `repeats` groups of two matches. Return the id of its ladder,
    which a new owner with the name `owner` creates."""
    token = client.post("/v1/owners", json={"name": owner}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    body = {"name": "Bench", "game": "durak", "seats": 2, "decks": "rotated", "repeats": repeats}
    ladder: str = client.post("/v1/ladders", json=body, headers=headers).json()["id"]
    for bot in ("house/greedy", "house/random"):
        client.post(f"/v1/ladders/{ladder}/entries", json={"bot": bot}, headers=headers).raise_for_status()
    client.post(f"/v1/ladders/{ladder}/rounds", headers=headers).raise_for_status()

    def over() -> bool:
        rounds = client.get(f"/v1/ladders/{ladder}/rounds").json()["rounds"]
        return bool(rounds) and rounds[0]["ended"] is not None

    eventually(over, "the end of the round")
    return ladder
