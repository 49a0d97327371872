"""Verification of a record by nothing but the record: `kozyr verify`, and whoever else does not want to trust us.

`verify` takes the document as it stands and says of each thing that is wrong where it is, what was wrong and what would
be right. It checks the form of every field; that game, options, preset, rules and deals belong together; the
commitment; the first dealer and every deck against the shuffle, in duplicate groups with the suits relabelled; that
every move was legal and made by the seat that was asked; what each decision took against its clock; timeouts, safe
moves, strikes and forfeits; the ending, the scores, the places. The rules are the engine's; clocks, forfeits and
endings are reckoned here once more and not by `referee.match.session`, so that a bug of the referee shows.

What a record does not hold, and what is concluded instead:

- *When a seat resigned.* It is taken for forfeited from the first safe move that was made for it, and where none was,
  from some moment after its last own move. So the last moves before a resignation can be cut off unnoticed, and a
  first safe move of a forfeited seat passed off for its own.
- *The order of what was free to come in either*: two cards that one seat threw in, an exchange and the move before it.
- *Whether a decision took the time that is written.* It is held to what was allowed, to the bank that later timeouts
  had used up, and to the instants of start and end.
- *Who the bots were.* Names, ids and versions are held to their form.
- *A dealer that was given.* One that was drawn (`shuffle.dealer`) is recomputed.
- *How many matches a duplicate group has.*

A record that somebody made up as a whole, secret included, can be perfect. That it is the one that the service gave is
what its signature says (`referee.proofs.proof`).
"""

from __future__ import annotations

from referee.verify.finding import Finding
from referee.verify.form import of_the_form
from referee.verify.outcome import of_the_ending, of_the_places
from referee.verify.play import replayed
from referee.verify.proof import Neighbours, of_the_proof
from referee.verify.table import AgreedTable, of_the_table

__all__ = ["Finding", "Neighbours", "of_the_proof", "verify"]


def verify(record: object) -> list[Finding]:
    """All that is wrong with a record, in the order in which it stands there; empty if nothing is.

    What was put beside the record when it was read (`referee.match.record.BESIDE`) is no part of it, and not looked
    at. Where a move can't have been made, what follows from it can't be checked and is not judged.
    """
    findings = list(of_the_form(record))
    if findings:
        return findings
    assert isinstance(record, dict), "the form says so"
    findings, agreed = of_the_table(record)
    if agreed is None:
        return findings
    findings += _of_the_play(record, agreed)
    return findings


def _of_the_play(record: dict[str, object], agreed: AgreedTable) -> list[Finding]:
    played = replayed(record, agreed)
    findings = played.findings
    if played.whole:
        findings += of_the_ending(record, agreed, played)
    else:
        findings += of_the_places(record, None)
    return findings
