"""Hides tokens, passwords and other secrets in logs and errors."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Final

HIDDEN: Final = "…"
_NAMES: Final = re.compile(
    r"(authorization|cookie|pepper|api_?key|private_?key|(.*_)?(token|secret|password|passphrase))s?",
    re.IGNORECASE,
)
"""The names of fields whose values are secret."""
_FORMS: Final[Sequence[tuple[re.Pattern[str], str]]] = (
    (re.compile(r"\b(kozyr|invite)_[a-z0-9]{16,}"), rf"\1_{HIDDEN}"),
    (re.compile(r"\b(bearer|basic)\s+[^\s'\",;]+", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"(\w://[^\s/:@]*):[^\s/@]+@"), rf"\1:{HIDDEN}@"),
)
"""Patterns of secrets: tokens, invitations, authorization headers, passwords in addresses."""


class Redaction:
    """A structlog processor that hides secrets."""

    def __init__(self, *known: str | None) -> None:
        """Also hide the texts `known`, which match no pattern."""
        self._known = tuple(text for text in known if text)

    def __call__(self, logger: Any, method: str, line: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {name: self._value(name, value) for name, value in line.items()}

    def text(self, text: str) -> str:
        """Return the text with its secrets hidden."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        for form, instead in _FORMS:
            text = form.sub(instead, text)
        return text

    def _value(self, name: str, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if _NAMES.fullmatch(name):
            return HIDDEN
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {str(key): self._value(str(key), inner) for key, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._value("", inner) for inner in value]
        return self.text(str(value))


REDACTION: Final = Redaction()
"""Hides secrets by their pattern alone."""
