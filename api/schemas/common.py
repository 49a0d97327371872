"""Fields and schemas that several resources share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from api.wire import is_whole
from records.instants import ms_of
from records.match.session import Ending, Status
from referee.storage.paging import PAGE_LIMIT

Json = dict[str, Any]

NAME: Final = r"^[a-z0-9][a-z0-9-]{1,31}$"
BOT_NAME: Final = r"^[a-z0-9][a-z0-9-]{1,31}/[a-z0-9][a-z0-9-]{1,31}(:[1-9][0-9]{0,2})?$"
CURSOR: Final = r"^[A-Za-z0-9_-]+$"
MOST_CURSOR: Final = 400
"""More than the length of any cursor."""
VISIBLE: Final = r"\S"
"""The pattern of a text that is not blank. `league.accounts.model.is_blank` also finds invisible characters."""
_IN_WORDS: Final = {
    NAME: "Must be 2 to 32 lower-case letters, digits and hyphens, and begin with a letter or digit.",
    BOT_NAME: "Must be a bot, as owner/bot.",
}
"""What a pattern demands, for people."""
ENTROPY: Final = r"^[\x21-\x7e]{1,128}$"
DAY_MS: Final = 86_400_000
INSTANT: Final = "2026-11-21T18:00:00.000Z"


# Requests


class Strict(Schema):
    """A request schema. It refuses unknown fields."""

    may_be_absent: ClassVar[bool] = False
    """Whether a request without a body is treated like `{}`."""

    class Meta:
        unknown = RAISE

    def __init__(self, **settings: Any) -> None:
        """Take the arguments of `marshmallow.Schema`. A refusal says what would be right."""
        super().__init__(**settings)
        self.error_messages["type"] = "Must be an object."
        known = ", ".join(field.data_key or name for name, field in self.load_fields.items())
        self.error_messages["unknown"] = (
            f"Unknown field; expected one of {known}." if known else "Unknown field."
        )


class Pattern(validate.Regexp):
    """A pattern that must match the whole text, a final newline included."""

    def __call__(self, value: Any) -> Any:
        """Return the value if it matches. Raise `ValidationError` if not."""
        if self.regex.fullmatch(value) is None:
            pattern = str(self.regex.pattern)
            raise ValidationError(_IN_WORDS.get(pattern, f"Must match `{pattern}`."))
        return value


OPTIONAL: Final[dict[str, Any]] = {"load_default": None, "allow_none": True}
"""The arguments of a field that may be omitted, or null with the same meaning."""


def described(description: str, more: dict[str, Any], **schema: str) -> dict[str, Any]:
    """Return the arguments `more` of a field, with what the document says of it in `metadata`."""
    about = {"description": description} if description else {}
    return {**more, "metadata": {**schema, **about, **more.get("metadata", {})}}


class String(fields.String):
    """A text of `least` to `most` characters."""

    def __init__(self, least: int, most: int, description: str = "", **more: Any) -> None:
        super().__init__(validate=validate.Length(least, most), **described(description, more))


class Text(fields.String):
    """A text that must match a pattern."""

    def __init__(self, pattern: str, description: str = "", **more: Any) -> None:
        super().__init__(validate=Pattern(pattern), **described(description, more))


class Choice(fields.String):
    """One of several texts."""

    def __init__(self, choices: Iterable[str], description: str = "", **more: Any) -> None:
        super().__init__(validate=validate.OneOf(list(choices)), **described(description, more))


class Several(fields.List[Any]):
    """A list of `least` to `most` values of a field."""

    def __init__(
        self,
        field: Any,
        description: str = "",
        least: int | None = None,
        most: int | None = None,
        **more: Any,
    ) -> None:
        super().__init__(field, validate=validate.Length(least, most), **described(description, more))


class Whole(fields.Integer):
    """A whole number in a JSON body."""

    accepts: Callable[[Any], bool] = staticmethod(is_whole)

    def __init__(self, least: int, most: int, description: str = "", **more: Any) -> None:
        super().__init__(validate=validate.Range(least, most), **described(description, more))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not self.accepts(value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Number(Whole):
    """A whole number in a query."""

    accepts = staticmethod(lambda text: re.fullmatch(r"[0-9]{1,12}", text) is not None)


class Flag(fields.Boolean):
    """`true` or `false` in a JSON body; no other value is converted."""

    def __init__(self, description: str, **more: Any) -> None:
        super().__init__(**described(description, more))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class YesNo(fields.Boolean):
    """`true` or `false` in a query."""

    def __init__(self, description: str, **more: Any) -> None:
        super().__init__(truthy={"true"}, falsy={"false"}, **described(description, more))


_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)


def number_of(text: str) -> float | None:
    """Return the number in a query parameter, written as in JSON (`2`, `0.25`, `1e-3`).

    Return `None` for other text and for infinite numbers.
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


class Wait(fields.Float):
    """Seconds to wait, in a query. `api.waits` checks the upper bound, which is a setting."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        number = number_of(value) if isinstance(value, str) else None
        if number is None:
            raise self.make_error("invalid", input=value)
        return number


class Instant(fields.String):
    """An RFC 3339 instant, converted to ms."""

    def __init__(self, description: str, **more: Any) -> None:
        super().__init__(**described(description, more, format="date-time"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            # An unescaped `+` in a query has become a space.
            return ms_of(super()._deserialize(value, attr, data, **kwargs).replace(" ", "+"))
        except (ValueError, OverflowError):
            raise ValidationError("Must be an instant as in 2026-11-21T18:00:00Z.") from None


def cursor_field(description: str) -> fields.String:
    """Return a query parameter for a cursor. Unsealing it shows whether this service issued it."""
    schema = {
        "description": description,
        "minLength": 1,
        "maxLength": MOST_CURSOR,
        "pattern": CURSOR,
    }
    return fields.String(metadata=schema)


class PageQuery(Strict):
    """A page of a list."""

    cursor = cursor_field(
        "The `cursor` of the previous page, sent with the same filters; omit it for the first page"
    )
    limit = Number(
        1, 200, load_default=PAGE_LIMIT, metadata={"description": "The maximum number of entries in the page"}
    )


EXCEL: Final = fields.Boolean(
    truthy={"1", "true"},
    falsy={"0", "false"},
    metadata={
        "description": "Whether to send the table as CSV for spreadsheets, in UTF-8 with a byte order mark"
    },
)
"""The query parameter of all lists that are available as tables."""


# Responses


def obj(properties: Mapping[str, Any], description: str = "", optional: tuple[str, ...] = ()) -> Json:
    """Return the schema of an object in a response. Later releases may add fields, so it permits others."""
    schema: Json = {"type": "object", "properties": dict(properties)}
    if description:
        schema["description"] = description
    schema["required"] = [name for name in properties if name not in optional]
    return schema


def ref(name: str, description: str = "") -> Json:
    """Return a reference to a component."""
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {**schema, "description": description} if description else schema


def listed(items: Json, description: str = "", *, null: bool = False) -> Json:
    """Return the schema of a list, or with `null` of a list or null."""
    schema = _typed("array", null, items=items)
    return {**schema, "description": description} if description else schema


def mapping(values: Json | bool, description: str) -> Json:
    """Return the schema of an object with arbitrary names."""
    return {"type": "object", "additionalProperties": values, "description": description}


def either(name: str, description: str = "") -> Json:
    """Return the schema of a component or null."""
    schema: Json = {"oneOf": [ref(name), {"type": "null"}]}
    return {**schema, "description": description} if description else schema


def text(description: str, *, null: bool = False, **more: Any) -> Json:
    """Return the schema of a text, or with `null` of a text or null."""
    return _typed("string", null, description=description, **more)


def whole(description: str, least: int | None = 0, *, null: bool = False) -> Json:
    """Return the schema of a whole number, or with `null` of a whole number or null."""
    bounds = {} if least is None else {"minimum": least}
    return _typed("integer", null, **bounds, description=description)


def number(description: str, *, null: bool = False, **bounds: float) -> Json:
    """Return the schema of a number, or with `null` of a number or null. `bounds` are `minimum` and `maximum`."""
    return _typed("number", null, **bounds, description=description)


def flag(description: str, *, null: bool = False) -> Json:
    """Return the schema of a boolean, or with `null` of a boolean or null."""
    return _typed("boolean", null, description=description)


def instant(description: str, *, null: bool = False) -> Json:
    """Return the schema of an instant, or with `null` of an instant or null."""
    return _typed("string", null, format="date-time", description=description)


def _typed(kind: str, null: bool, **more: Any) -> Json:
    schema = {"type": kind, **more}
    return nullable(schema) if null else schema


def nullable(schema: Json) -> Json:
    """Return the schema, extended by null."""
    schema = {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return schema


NEXT_CURSOR: Final = text("The cursor of the next page; null on the last page", null=True)


STATUSES: Final = [status.value for status in Status]
ENDINGS: Final = [ending.value for ending in Ending]

COMPONENTS: Final[dict[str, Json]] = {
    "MatchStatus": text(
        "open: has open seats; waiting: for its seats to show up; running; finished", enum=STATUSES
    ),
    "Ending": text(
        "rules: played to the end; forfeit: ended early, because after timeouts at most one side was "
        "left; resigned: ended early, because after resignations at most one side was left; aborted: "
        "never started; void: does not count",
        enum=ENDINGS,
    ),
}
