"""The container adds a record to the chain once the record is public, and not before."""

from __future__ import annotations

import pytest
import redis as redis_py

from records.verify import Neighbours, check_proof, verify
from referee.errors import GroupRunning
from referee.proofs.proof import Proofs, SigningKey
from server.config.settings import Settings
from server.container import Container
from tests.referee.test_groups import group


@pytest.fixture
def parts(redis_url: str, redis_client: redis_py.Redis) -> Container:
    """The container of an API process, with an empty Redis."""
    made = Container(Settings(redis_url=redis_url, secret="s" * 32))
    made.store.heartbeat()
    return made


def test_a_group_is_chained_when_its_last_match_is_over(parts: Container) -> None:
    first, second = parts.groups.matches(parts.groups.create(group()))
    for match in (first, second):
        for bot in ("bot-0", "bot-1"):
            parts.referee.show_up(match, bot)
    proofs = Proofs(parts.chain, SigningKey(b"k" * 32))
    over = parts.referee.resign(first, "bot-0")
    with pytest.raises(GroupRunning):
        parts.referee.record(over)
    assert parts.chain.head() is None
    parts.referee.resign(second, "bot-1")
    assert [link and link.number for link in parts.chain.links([first, second])] == [1, 2]
    seen = Neighbours()
    loaded_matches = [parts.referee.look(match) for match in (first, second)]
    for record in proofs.proven([parts.referee.record(loaded).to_json() for loaded in loaded_matches]):
        assert verify(record) == []
        assert not check_proof(record, [proofs.key.public]) + seen.add(record)
