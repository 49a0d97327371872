"""What was agreed before the first deal: do game, options, seats and shuffle belong together?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from engine.cards import SUITS
from engine.game import BadTable, Game
from engine.match import MOST_DEALS, Match, deck_text
from engine.registry import GAMES
from engine.relabelling import Suits, parse_suits, relabelled, undone
from records.match import shuffle
from records.match.assist import LIST
from records.match.clock import ClockRule
from records.match.continuation import Continuation
from records.match.record import plain_preset_of, preset_of, rules_of
from records.verify.form import Finding, shown

HOUSE: Final = "house/"
"""The prefix of the names of house bots, which the service asks itself and whose clocks don't run."""


class AgreedTable(NamedTuple):
    """The rules of a record's match, and what its decks follow from."""

    match: Match | None
    """`None` if the match never began."""
    sides: tuple[int, ...]
    house: tuple[bool, ...]
    """By seat, whether it is a house bot."""
    pack: tuple[int, ...]
    suits: Suits
    """By suit, what it becomes after the shuffle."""
    secret: bytes
    entropy: tuple[str | None, ...]
    game: Game
    continues: Continuation | None = None
    """The position of another match at which it began."""

    def deck(self, number: int) -> str:
        """Return the deck of deal `number`."""
        repeated = self.continues and self.continues.deck(self.game, number)
        if repeated:
            return deck_text(repeated)
        return deck_text(relabelled(shuffle.deck(self.secret, self.entropy, number, self.pack), self.suits))


def check_agreement(record: dict[str, Any]) -> tuple[list[Finding], AgreedTable | None]:
    """Return the errors in what was agreed, and the table to replay the moves at, if there is one."""
    findings, game = _game(record)
    if game is None:
        return findings, None
    shuffled = record["shuffle"]
    suits = parse_suits(shuffled.get("suits", SUITS))
    base = game.relabelled(undone(suits))
    if "suits" in shuffled:
        findings += _check_relabelling(record, game, base, suits)
    preset = preset_of(base, ClockRule.from_json(record["clock"]), record.get("assist", LIST))
    if record["preset"] != preset and ("assist" in record or record["preset"] != plain_preset_of(base)):
        findings.append(Finding("preset", f"it is {shown(record['preset'])}", preset))
    findings += [*_check_shuffle(record), *_check_casual(record), *_check_continues(record)]
    begun = record["ending"] != "aborted" and (record["ending"] != "void" or record["started"] is not None)
    findings += [*_check_seats(record, begun), *_check_start(record, begun)]
    deals, dealer = record["deals"], record["dealer"]
    right = f"{game.fixed_deals}, as in every match of {game.id}" if game.fixed_deals else None
    if record["group"] is not None and right is None:
        right = "1, as in every match of a duplicate group"
    most = MOST_DEALS if right is None else int(right.partition(",")[0])
    if deals > most or (right is not None and deals != most):
        findings.append(Finding("deals", f"it is {deals}", right or f"1 to {MOST_DEALS}"))
    version = record["rules"] == rules_of(game.id)
    if not version:
        findings.append(
            Finding(
                "rules",
                f"it is {shown(record['rules'])}, which is not known here",
                f"{rules_of(game.id)}; the moves of other rules can't be checked",
            )
        )
    in_range = dealer is not None and dealer < game.seats
    if not version or (begun and not in_range):
        return findings, None
    match = Match(game, None if game.fixed_deals else min(deals, MOST_DEALS), dealer) if begun else None
    house = tuple(seat is not None and seat["bot"].startswith(HOUSE) for seat in record["seats"])
    continues = Continuation.from_json(record["continues"]) if "continues" in record else None
    return findings, AgreedTable(
        match=match,
        sides=game.sides,
        house=house,
        pack=base.pack,
        suits=suits,
        secret=bytes.fromhex(shuffled["secret"]),
        entropy=tuple(shuffled["entropy"]),
        game=game,
        continues=continues,
    )


def _game(record: dict[str, Any]) -> tuple[list[Finding], Game | None]:
    name, given = record["game"], record["options"]
    if name not in GAMES:
        return [Finding("game", f"there is no game {shown(name)}", "one of " + ", ".join(GAMES))], None
    try:
        game = GAMES[name].table(len(record["seats"]), given)
    except BadTable as error:
        where = "seats" if error.field == "seats" else f"options.{error.field}"
        return [Finding(where, f"{name} does not have {shown(error.value)}", error.expected)], None
    missing = [
        Finding(f"options.{option}", "it is missing", f"{shown(value)}, if nothing else was agreed")
        for option, value in game.options.items()
        if option not in given and option not in game.later_options
    ]
    more = [
        Finding(f"options.{option}", "it does not apply", "no such option at this table")
        for option in given
        if option not in game.options
    ]
    return missing + more, game


def _check_relabelling(record: dict[str, Any], game: Game, base: Game, suits: Suits) -> Iterator[Finding]:
    given = record["shuffle"]["suits"]
    if record["group"] is None:
        yield Finding(
            "shuffle.suits",
            "suits are relabelled in duplicate groups alone",
            "no such field in a match without a group",
        )
    elif suits not in base.suit_symmetries() or base.relabelled(suits).options != game.options:
        known = ", ".join("".join([SUITS[suit] for suit in each]) for each in base.suit_symmetries())
        yield Finding(
            "shuffle.suits",
            f"{given} is no relabelling that leaves the rules of this table as they are",
            f"one of its symmetries: {known}",
        )


def _check_seats(record: dict[str, Any], begun: bool) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for number, seat in enumerate(record["seats"]):
        if seat is None:
            if begun:
                yield Finding(f"seats[{number}]", "it is null", "who sat there, in a match that began")
        elif not seat["bot"].startswith(HOUSE):
            for field in ("id",) if "person" in seat else ("id", "bot"):  # all guests have one name
                if seat[field] in seen:
                    yield Finding(
                        f"seats[{number}].{field}",
                        f"it is {shown(seat[field])}, who has seat {seen[seat[field]]}",
                        "a different bot on every seat",
                    )
                seen[seat[field]] = number


def _check_shuffle(record: dict[str, Any]) -> Iterator[Finding]:
    given, seats = record["shuffle"], len(record["seats"])
    secret = bytes.fromhex(given["secret"])
    commitment = hashlib.sha256(secret + record["id"].encode()).hexdigest()
    if given["commitment"] != commitment:
        yield Finding(
            "shuffle.commitment", f"it is {given['commitment']}", f"{commitment}, SHA-256 of secret and id"
        )
    if record["group"] is None and len(given["entropy"]) != seats:
        yield Finding(
            "shuffle.entropy",
            f"it has {len(given['entropy'])} texts",
            f"one (or null) for each of {seats} seats",
        )


def _check_casual(record: dict[str, Any]) -> Iterator[Finding]:
    """Check that a match of a person, or from a position, is casual: not rated, no ladder, no group."""
    person = any(seat is not None and "person" in seat for seat in record["seats"])
    if record["rated"] and (person or "continues" in record):
        yield Finding("rated", "it is true", "false, because a person plays or the cards were known")
    if "hints" in record and not person:
        yield Finding(
            "hints", f"it is {shown(record['hints'])}", "absent, because nobody but people gets hints"
        )
    for field in ("ladder", "group"):
        if record[field] is not None and (person or "continues" in record):
            yield Finding(field, f"it is {shown(record[field])}", "null, as in every match of a person")


def _check_continues(record: dict[str, Any]) -> Iterator[Finding]:
    if "continues" not in record:
        return
    place = record["continues"]
    ends = [past["deals"] for past in place["shuffles"]]
    if ends != sorted(set(ends)) or ends[-1] != place["deal"]:
        yield Finding(
            "continues.shuffles",
            f"they end with the deals {shown(ends)}",
            f"ascending numbers of deals up to {place['deal']}",
        )
    if place["deal"] > record["deals"]:
        yield Finding(
            "continues.deal", f"it is {place['deal']}", f"a deal of the match, 1 to {record['deals']}"
        )


def _check_start(record: dict[str, Any], begun: bool) -> Iterator[Finding]:
    dealer, seats, given = record["dealer"], len(record["seats"]), record["shuffle"]
    if not begun:
        for field in ("dealer", "started"):
            if record[field] is not None:
                yield Finding(field, f"it is {shown(record[field])}", "null, since the match never began")
        return
    if record["started"] is None:
        yield Finding("started", "it is null", "the instant of the first deal, in a match that began")
    if dealer is None or dealer >= seats:
        yield Finding("dealer", f"it is {shown(dealer)}", f"a seat, 0 to {seats - 1}")
    elif given["dealer"] == "drawn":
        drawn = shuffle.first_dealer(bytes.fromhex(given["secret"]), given["entropy"], seats)
        if dealer != drawn:
            yield Finding("dealer", f"it is {dealer}", f"{drawn}, as it is drawn by the shuffle")
