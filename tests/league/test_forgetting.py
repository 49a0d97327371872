"""Forgetting an owner whose bot played: results keep its places under a pseudonym, and no text names it."""

from __future__ import annotations

from league.ladders.model import AccessVerdict
from league.operators.audit import AuditActor
from tests.support.league import LeagueWorld

ADMIN = AuditActor("cli", "me")


def test_published_results_and_their_reasons_have_the_pseudonym(league: LeagueWorld) -> None:
    host, _ = league.bot("host", "own")
    owner, bot = league.bot("leokadia", "mephisto")
    ladder = league.ladder("a1", owner=host.id)
    league.ladders.enter(ladder.id, bot)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    for loaded in list(league.matches()):
        league.referee.resign(loaded.id, bot.id)
    league.run()
    league.seasons.end(ladder.id)
    actor = AuditActor("t1", "host")
    why = "leokadia/mephisto was run by leokadia"
    league.organisers.set_rules(actor, ladder.id, ["leokadia"], AccessVerdict.BANNED, why)
    forgotten = league.administration.forget(ADMIN, "leokadia", "a request")
    versions = league.published.versions(ladder.id, 1)
    names = {place.bot: place.name for version in versions for place in version.places}
    assert names[bot.id] == f"{forgotten.name}/bot-1"
    assert "leokadia" not in repr(versions)
    for key in league.redis.one("KEYS", f"kozyr:{{ladder:{ladder.id}}}:results:*"):
        assert b"leokadia" not in b"".join(league.redis.one("LRANGE", key, 0, -1))
    assert league.accounts.owner(owner.id).disabled
