"""The proof of a record: does it fit the record, its neighbours in the chain and a key?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from records.chain import GENESIS, chained, digest, is_signed
from records.verify.form import Finding, check_proof_form


def check_proof(record: Mapping[str, Any], keys: Collection[str]) -> list[Finding]:
    """Return the errors in the proof of a record.

    `keys` are the public keys, in hexadecimal, that may have signed it. Without any the signature is not checked.
    """
    proof = record.get("proof")
    findings = check_proof_form(proof)
    if findings:
        return findings
    assert isinstance(proof, dict), "checked by check_proof_form"
    number, link = proof["number"], bytes.fromhex(proof["link"])
    try:
        right = chained(bytes.fromhex(proof["previous"]), digest(record))
    except (TypeError, ValueError):  # numbers or characters that JSON can't express
        return [Finding("proof.link", "the record has no digest", "a record of the documented form")]
    if link != right:
        findings.append(
            Finding(
                "proof.link", f"it is {proof['link']}", f"{right.hex()}, if nothing in the record was changed"
            )
        )
    if number == 1 and bytes.fromhex(proof["previous"]) != GENESIS:
        findings.append(
            Finding("proof.previous", f"it is {proof['previous']}", "zeros before the first record")
        )
    if keys and "signature" not in proof:
        findings.append(Finding("proof.signature", "it is missing", "a signature by the key"))
    elif keys and proof["key"] not in keys:
        findings.append(Finding("proof.key", f"{proof['key']} is not known", "one of " + ", ".join(keys)))
    elif keys and not is_signed(number, link, bytes.fromhex(proof["signature"]), bytes.fromhex(proof["key"])):
        findings.append(
            Finding("proof.signature", "it is not of this number and link", "a signature by the key")
        )
    return findings


class Neighbours:
    """The links of records, added in any order."""

    def __init__(self) -> None:
        self._links: dict[int, tuple[str, str]] = {}

    def add(self, record: Mapping[str, Any]) -> list[Finding]:
        """Add a record. Returns what contradicts its neighbours so far; a malformed proof is ignored."""
        if check_proof_form(record.get("proof")):
            return []
        number, previous, link = (record["proof"][name] for name in ("number", "previous", "link"))
        findings = []
        if self._links.get(number, (previous, link)) != (previous, link):
            findings.append(
                Finding("proof.number", f"another record has number {number}", "one record for each number")
            )
            return findings
        self._links[number] = (previous, link)
        before, after = self._links.get(number - 1), self._links.get(number + 1)
        if before is not None and before[1] != previous:
            right = f"{before[1]}, the link of number {number - 1}"
            findings.append(Finding("proof.previous", f"it is {previous}", right))
        if after is not None and after[0] != link:
            right = f"{after[0]}, on which number {number + 1} follows"
            findings.append(Finding("proof.link", f"it is {link}", right))
        return findings

    def gaps(self, least: int = 0) -> list[tuple[int, int]]:
        """Return the gaps in the numbers from 1 to the highest added, or to `least`, as (first, last)."""
        gaps, expected = [], 1
        for number in [*sorted(self._links), max(least, *self._links, 0) + 1]:
            if number > expected:
                gaps.append((expected, number - 1))
            expected = number + 1
        return gaps
