"""Verification of a record from the record alone, for `kozyr verify` and everybody who doesn't trust the service.

`verify` reports for each error where it is, what is wrong and what would be right. It checks:

- the form of every field
- that game, options, preset, rules and number of deals belong together
- the commitment, the first dealer and every deck, in duplicate groups with relabelled suits
- that every move was legal and made by the seat that had to answer
- the time of each decision against the clock; timeouts, safe moves, strikes and forfeits
- the ending, the scores and the places
- in a continued match, that the repeated moves lead to its position, with the decks of the earlier shuffles

The rules are the engine's. Clocks, forfeits and endings are computed here independently of `records.match.session`, so
that a bug of the referee shows.

A record doesn't contain the following facts, so verification has limits:

- *When a seat resigned.* It counts as forfeited from the first safe move made for it, or else from some moment after
  its last own move. So somebody can cut off the last moves before a resignation unnoticed, or pass off the first safe
  move for a forfeited seat as the seat's own.
- *How long a void match was.* Its moves may be cut off anywhere.
- *The order of moves that could come in either order*: two cards that one seat threw in, or an exchange and the move
  before it.
- *Whether a decision took the recorded time.* It must fit the allowance, the bank that later timeouts used up, and the
  instants of start and end.
- *Who the bots were.* Only the form of names, ids and versions is checked.
- *A dealer that the match named.* A drawn dealer (`shuffle.dealer`) is recomputed.
- *How many matches a duplicate group has.*

A completely invented record, secret included, can be flawless. Its signature proves that the service issued it
(`referee.proofs.proof`).
"""

from __future__ import annotations

from records.verify.form import Finding, check_form
from records.verify.outcome import check_outcome, check_places
from records.verify.play import replayed
from records.verify.proof import Neighbours, check_proof
from records.verify.table import AgreedTable, check_agreement

__all__ = ["Finding", "Neighbours", "check_proof", "verify"]


def verify(record: object) -> list[Finding]:
    """Return all errors of a record in document order; empty if there are none.

    Fields that accompany a record when it is read (`records.match.record.BESIDE`) are ignored. Nothing after an
    impossible move is checked.
    """
    findings = list(check_form(record))
    if findings:
        return findings
    assert isinstance(record, dict), "checked by check_form"
    findings, agreed = check_agreement(record)
    if agreed is None:
        return findings
    findings += _check_play(record, agreed)
    return findings


def _check_play(record: dict[str, object], agreed: AgreedTable) -> list[Finding]:
    played = replayed(record, agreed)
    findings = played.findings
    if played.whole:
        findings += check_outcome(record, agreed, played)
    else:
        findings += check_places(record, None)
    return findings
