"""Ladders and their entries."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError

from api.blueprint import Blueprint, invalid
from api.contract.describe import Created, ResponseSpec, created
from api.idempotency import derived_id
from api.schemas.common import PageQuery
from api.schemas.league import ladders as schemas
from api.schemas.league.seasons import SeasonQuery
from api.services import services
from api.tables import table_of
from league.accounts.model import Bot
from league.accounts.tokens import Token
from league.ladders.files import FileRule, LadderFile, file_of, import_file
from league.ladders.model import Ladder
from league.ladders.schedule import schedule_of
from league.ladders.settings import SETTINGS, LadderSettings
from league.operators.audit import AuditActor
from league.permissions import acting_owner, check_enters, check_own_ladder, check_withdraws
from records.match.clock import ClockRule

blueprint = Blueprint("ladders", __name__, description="Ladders and their entries.")

Body = dict[str, Any]
OF_MINE = ("not_your_ladder", "no_such_owner", "overtaken")
OF_ENTRIES = ("no_such_bot", "not_your_bot", "entry_refused", "wrong_ladder_state")


@blueprint.serve(
    "POST /v1/ladders",
    created("The ladder", schemas.LadderSchema),
    scope="league",
    problems=["no_such_game", "no_such_owner", "bad_table", "bad_value"],
    body=schemas.NewLadderSchema,
    keyed=1,
)
def create_ladder(body: Body, caller: Token, seed: str | None) -> object:
    """Create a ladder.

    Enter bots next, with `POST /v1/ladders/{ladder}/entries`. A ladder with a schedule and the state `running`
    starts its rounds by itself.
    """
    owner = acting_owner(caller)
    settings = LadderSettings(**settings_in(body))
    name = services().accounts.owner(owner).name  # before the commit, after which nothing may fail
    ladder_id = derived_id("l", seed)
    ladder = services().ladders.create(owner, settings, state=body["state"], ladder_id=ladder_id)
    return Created(schemas.OwnedLadder(ladder, {owner: name}), f"/v1/ladders/{ladder.id}")


def names_of(*ladders: Ladder) -> dict[str, str]:
    """Return by id the names of the organisers of ladders."""
    ids = {organiser for ladder in ladders for organiser in (ladder.owner, *ladder.organisers)}
    return {organiser: services().accounts.owner(organiser).name for organiser in ids}


def settings_in(body: Body) -> Body:
    """Return the settings in a body, by the fields of `LadderSettings`."""
    found = {name: body[name] for name in SETTINGS if name in body}
    if "clock" in found:
        found["clock"] = ClockRule(**found["clock"])
    for name in ("schedule", "season_schedule"):
        if name in found:
            found[name] = schedule_of(found[name])
    return found


@blueprint.serve("GET /v1/ladders", table_of("Ladders", schemas.LadderPageSchema), query=PageQuery)
def list_ladders(query: Body) -> object:
    """List all ladders, newest first.

    Each entry holds the ladder's full settings and its state.
    """
    cursor = services().cursors.of("ladders", query)
    ladders, then = services().ladders.page(cursor.place, query["limit"])
    names = names_of(*ladders)
    found = [schemas.OwnedLadder(ladder, names) for ladder in ladders]
    return {"ladders": found, "cursor": cursor.then(then)}


@blueprint.serve("GET /v1/ladders/<ladder>", ResponseSpec("The ladder", schemas.LadderSchema))
def get_ladder(ladder: str) -> object:
    """Get a ladder.

    Shows its settings, its state and the number of its current season.
    """
    found = services().ladders.get(ladder)
    return schemas.OwnedLadder(found, names_of(found))


@blueprint.serve(
    "PATCH /v1/ladders/<ladder>",
    ResponseSpec("The ladder", schemas.LadderSchema),
    scope="league",
    problems=[*OF_MINE, "wrong_ladder_state", "round_running", "bad_table", "bad_value"],
    body=schemas.LadderChangeSchema,
)
def change_ladder(body: Body, caller: Token, by: AuditActor, ladder: str) -> object:
    """Change the settings or the state of your ladder.

    Fields that you leave out keep their values. A refused request changes none. `organisers` are the names of all
    owners who may do what you may. Name, description and access can
    always change, the schedules until the ladder is closing, clock, repeats, check and the `parameters` that say how
    long a tournament lasts while no round is under way, and everything else before the first round.
    """
    found = mine(caller, ladder)
    names = names_of(found)  # before the commit, after which nothing may fail
    organisers = None
    if "organisers" in body:
        others = map(services().accounts.owner_by_name, body["organisers"])
        organisers = {each.id: each.name for each in others}
    if body:
        found = services().organisers.change(
            by, ladder, settings_in(body), organisers=organisers, state=body.get("state")
        )
    return schemas.OwnedLadder(found, names | (organisers or {}))


@blueprint.serve(
    "GET /v1/ladders/<ladder>/export",
    ResponseSpec("The file", "LadderFile"),
    scope="league",
    problems=["not_your_ladder"],
    query=schemas.ExportQuery,
)
def export_ladder(query: Body, caller: Token, ladder: str) -> object:
    """Export your ladder as a file.

    The file has the settings, the entered bots, invitations and bans, and no results. `POST /v1/ladders/import`
    creates a ladder from it, here or on another server.
    """
    found = mine(caller, ladder)
    if query["template"]:
        return file_of(found)
    ladders = services().ladders
    return file_of(found, ladders.entries(ladder), ladders.access.rules(ladder))


@blueprint.serve(
    "POST /v1/ladders/import",
    created("The ladder", schemas.ImportedLadderSchema),
    scope="league",
    problems=["no_such_game", "no_such_owner", "bad_table", "bad_value"],
    body=schemas.LadderFileSchema,
    keyed=1,
)
def import_ladder(body: Body, caller: Token, seed: str | None) -> object:
    """Create a ladder from a file.

    The ladder is `open`, and yours. Your bots and house bots enter; others enter theirs themselves, and get an
    invitation where they need one. `left_out` names the entries and rules whose bots or owners can't be found here.
    """
    owner = acting_owner(caller)
    name = services().accounts.owner(owner).name  # before the commit, after which nothing may fail
    ladder_id = derived_id("l", seed)
    made = import_file(services().ladders, owner, _file(body), ladder_id)
    return Created(
        {**made._asdict(), "ladder": schemas.OwnedLadder(made.ladder, {owner: name})},
        f"/v1/ladders/{made.ladder.id}",
    )


def read_file(data: Any) -> LadderFile:
    """Return what the JSON document of a file says. Raise `Problem`."""
    try:
        return _file(schemas.LadderFileSchema().load(data))
    except ValidationError as error:
        raise invalid("invalid_body", error.messages) from None


def _file(body: Body) -> LadderFile:
    rules = [FileRule(each["name"], each["rule"], each["reason"]) for each in body["access"]]
    return LadderFile(LadderSettings(**settings_in(body["settings"])), body["entries"], rules)


@blueprint.serve(
    "POST /v1/ladders/<ladder>/freeze",
    ResponseSpec("The ladder", schemas.LadderSchema),
    scope="league",
    problems=[*OF_MINE, "wrong_ladder_state", "bad_value"],
    body=schemas.FreezeSchema,
)
def freeze_ladder(body: Body, caller: Token, by: AuditActor, ladder: str) -> object:
    """Withhold the results of your ladder from an instant on.

    Groups that end from then on stay as they are visible while they run, also to you: standings, ratings, lists and
    webhooks tell nothing of them. The next round waits. `POST /v1/ladders/{ladder}/release` publishes all of it.
    """
    names = names_of(mine(caller, ladder))  # before the commit, after which nothing may fail
    frozen = services().organisers.freeze(by, ladder, body["from"])
    return schemas.OwnedLadder(frozen, names)


@blueprint.serve(
    "POST /v1/ladders/<ladder>/release",
    ResponseSpec("The ladder", schemas.LadderSchema),
    scope="league",
    problems=OF_MINE,
)
def release_ladder(caller: Token, by: AuditActor, ladder: str) -> object:
    """Publish the results that a freeze of your ladder withheld, and end the freeze.

    Safe to repeat.
    """
    names = names_of(mine(caller, ladder))  # before the commit, after which nothing may fail
    released = services().organisers.release(by, ladder)
    return schemas.OwnedLadder(released, names)


@blueprint.serve(
    "GET /v1/ladders/<ladder>/access",
    ResponseSpec("The rules", schemas.AccessRuleListSchema),
    scope="league",
    problems=["not_your_ladder"],
)
def list_access_rules(caller: Token, ladder: str) -> object:
    """List the invitations and bans of your ladder.

    A rule names an owner, with all bots, or one bot.
    """
    found = mine(caller, ladder)
    return {"rules": services().ladders.access.rules(found.id)}


@blueprint.serve(
    "POST /v1/ladders/<ladder>/access",
    ResponseSpec("The rules", schemas.AccessRuleListSchema),
    scope="league",
    problems=[*OF_MINE, "no_such_bot", "bad_value"],
    body=schemas.AccessRuleChangeSchema,
)
def set_access_rule(body: Body, caller: Token, by: AuditActor, ladder: str) -> object:
    """Invite or ban an owner or a bot, or remove a rule, in your ladder.

    A ban withdraws the bots that it names and refuses them until the rule is removed. Matches under way are played
    out. Invitations matter while the ladder's `access` is `invitation`.
    """
    found = mine(caller, ladder)
    rules = services().organisers.set_rules(by, found.id, [body["name"]], body["rule"], body["reason"])
    return {"rules": rules}


@blueprint.serve(
    "GET /v1/ladders/<ladder>/names",
    table_of("The standings with real names", schemas.NamedBotListSchema),
    scope="league",
    problems=["not_your_ladder"],
    query=SeasonQuery,
)
def list_real_names(query: Body, caller: Token, ladder: str) -> object:
    """List the standings of your ladder with the real names of the owners of its bots.

    Only organisers see them. They are names that owners gave when an invitation asked for them on behalf of the owner
    of the ladder (`names_for`).
    """
    found = services().standings.with_real_names(mine(caller, ladder), query.get("season"))
    return {"standings": found}


@blueprint.serve(
    "GET /v1/ladders/<ladder>/entries",
    table_of("Entries", schemas.LadderEntriesSchema),
    query=schemas.EntriesQuery,
)
def list_entries(query: Body, ladder: str) -> object:
    """List the bots of a ladder by name.

    Withdrawn bots are listed only with `withdrawn=true`.
    """
    cursor = services().cursors.of(f"entries {ladder}", query)
    entries, then = services().ladders.entries_page(
        ladder, cursor.place, query["limit"], withdrawn=query["withdrawn"]
    )
    return {"entries": entries, "cursor": cursor.then(then)}


@blueprint.serve(
    "POST /v1/ladders/<ladder>/entries",
    ResponseSpec("The entry", schemas.LadderEntrySchema),
    scope="league",
    problems=OF_ENTRIES,
    body=schemas.EntrySchema,
)
def enter_bot(body: Body, caller: Token, ladder: str) -> object:
    """Enter a bot in a ladder.

    You can enter your own bots where the ladder's `access` permits it, and house bots in your own ladders. The bot
    plays from the next round on. Entering a bot again has no further effect.
    """
    bot = _enterable(caller, services().ladders.get(ladder), *body["bot"].split("/"))
    return services().ladders.enter(ladder, bot, body["entropy"])


@blueprint.serve(
    "DELETE /v1/ladders/<ladder>/entries/<owner>/<bot>",
    ResponseSpec("The entry", schemas.LadderEntrySchema),
    scope="league",
    problems=OF_ENTRIES,
)
def withdraw_bot(caller: Token, by: AuditActor, ladder: str, owner: str, bot: str) -> object:
    """Withdraw a bot from a ladder.

    You can withdraw your own bots, and any bot from your own ladders. Matches under way are played out.
    """
    found = services().ladders.get(ladder)
    target = services().accounts.bot(owner, bot)
    check_withdraws(caller, found, target)
    if target.owner == caller.owner:
        return services().ladders.withdraw(ladder, target.id)
    return services().organisers.withdraw(by, ladder, target)


def mine(token: Token, ladder: str) -> Ladder:
    """Return the ladder. Raise `NotYourLadder` if the calling owner is none of its organisers."""
    found = services().ladders.get(ladder)
    check_own_ladder(token, found)
    return found


def _enterable(token: Token, ladder: Ladder, owner: str, name: str) -> Bot:
    """Return the bot. Raise `NotYourBot` if the calling owner may not enter it in this ladder."""
    acting_owner(token)
    bot = services().accounts.bot(owner, name)
    check_enters(token, ladder, bot)
    return bot
