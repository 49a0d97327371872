"""The answers to INFO and CLUSTER INFO."""

from __future__ import annotations


def info_fields(answer: bytes) -> dict[str, str]:
    """Return the fields of all sections in an answer."""
    lines = (line.partition(":") for line in answer.decode().splitlines())
    return {name: value for name, colon, value in lines if colon}
