"""Response schemas: one declaration gives the document of a resource and its serialisation.

A field takes the JSON Schema that the document shows and the attribute of the model that it reads. Handlers dump
models through `dump`; `component` makes the schema in `components`. Nested schemas become references, or with `inline`
a part of the outer schema.

Off the hot path only: responses with turns, moves, matches and events are built by hand (`records.match.views`), and
their schemas are plain dicts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Final, TypeVar

from marshmallow import Schema, fields, missing
from marshmallow.schema import SchemaMeta

from api.schemas.common import NEXT_CURSOR, Json, either, listed, nullable, obj, ref
from records.instants import text_of

S = TypeVar("S", bound="ResponseSchema")


class Output(fields.Field[Any]):
    """A field with this JSON Schema. Values are sent unchanged, except that instants are converted from ms."""

    def __init__(self, schema: Json, attribute: str | None = None, *, optional: bool = False) -> None:
        super().__init__(attribute=attribute, dump_only=True)
        self.schema, self.optional = schema, optional

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        if value is None:
            return None
        if self.schema.get("format") == "date-time":
            return text_of(value)
        if self.schema.get("items", {}).get("format") == "date-time":
            return [text_of(each) for each in value]
        return value


class Derived(Output):
    """A field whose value `compute` returns for the whole model."""

    _CHECK_ATTRIBUTE = False

    def __init__(self, schema: Json, compute: Callable[[Any], Any]) -> None:
        super().__init__(schema)
        self.compute = compute

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return super()._serialize(self.compute(obj), attr, obj, **kwargs)


class Nested(Output):
    """An object of another schema; null if the attribute is `None`, which `null` declares.

    An `inline` object takes its description from its own schema.
    """

    def __init__(
        self,
        schema: type[ResponseSchema],
        description: str = "",
        attribute: str | None = None,
        *,
        null: bool = False,
        inline: bool = False,
    ) -> None:
        if inline:
            part(schema)
            component = schema.component()
            document = nullable(component) if null else component
        else:
            document = (either if null else ref)(schema.component_name(), description)
        super().__init__(document, attribute)
        self.nested = schema

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else dump(self.nested, value)


class Listed(Output):
    """A list of objects of another schema; null if the attribute is `None`, which `null` declares.

    The document refers to the component of the other schema, or contains it if `inline`.
    """

    def __init__(
        self,
        schema: type[ResponseSchema],
        description: str,
        attribute: str | None = None,
        *,
        optional: bool = False,
        null: bool = False,
        inline: bool = False,
    ) -> None:
        if inline:
            part(schema)
        items = schema.component() if inline else ref(schema.component_name())
        array = listed(items, description)
        super().__init__(nullable(array) if null else array, attribute, optional=optional)
        self.nested = schema

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else dump_all(self.nested, value)


class Encoded(Output):
    """A value that is sent as its `to_json()`, or null if it is `None`."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else value.to_json()


class _ResponseMeta(SchemaMeta):
    def __new__(mcs, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> SchemaMeta:
        for each, value in attrs.items():
            if isinstance(value, dict) and not each.startswith("__"):
                attrs[each] = Output(value)
        return super().__new__(mcs, name, bases, attrs)


class ResponseSchema(Schema, metaclass=_ResponseMeta):
    """The fields of one component, in the order of the document. Its name is the class name without `Schema`.

    A plain JSON Schema as a class attribute becomes an `Output`.
    """

    doc: ClassVar[str] = ""
    """The description in the document."""
    first: ClassVar[tuple[str, ...]] = ()
    """The fields that come before the inherited ones."""

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Return the attribute of the model. Raise `AttributeError` if it lacks a required one."""
        value = super().get_attribute(obj, attr, default)
        if value is missing and attr not in self._optional():
            raise AttributeError(f"{type(obj).__name__} has no {attr} for {type(self).__name__}")
        return value

    @classmethod
    @cache
    def component_name(cls) -> str:
        """Return the name in `components`."""
        return cls.__name__.removesuffix("Schema")

    @classmethod
    def component(cls) -> Json:
        """Return the JSON Schema."""
        declared = cls._declared_fields
        ordered = {name: declared[name] for name in (*cls.first, *declared)}
        outputs = {name: field for name, field in ordered.items() if isinstance(field, Output)}
        properties = {name: field.schema for name, field in outputs.items()}
        optional = tuple(name for name, field in outputs.items() if field.optional)
        return obj(properties, cls.doc, optional)

    @classmethod
    @cache
    def _optional(cls) -> frozenset[str]:
        return frozenset(
            field.attribute or name
            for name, field in cls._declared_fields.items()
            if isinstance(field, Output) and field.optional
        )


def listing(
    name: str, schema: type[ResponseSchema], field: str, order: str, *, paged: bool = False
) -> type[ResponseSchema]:
    """Return the schema of a response with a list of objects, perhaps a page of it. `name` is that of its component,
    and `order` describes the list."""
    fields: dict[str, Output] = {field: Listed(schema, order)}
    if paged:
        fields["cursor"] = Output(NEXT_CURSOR)
    return type(f"{name}Schema", (ResponseSchema,), fields)


_PARTS: Final[set[type[ResponseSchema]]] = set()
"""The schemas that others contain or extend, and that are no components."""


def part(schema: type[S]) -> type[S]:
    """Mark a schema that others extend, and that is no component."""
    _PARTS.add(schema)
    return schema


def components(schema: type[ResponseSchema] = ResponseSchema) -> dict[str, Json]:
    """Return the JSON Schemas of all response schemas that are no parts of others, by name."""
    found: dict[str, Json] = {}
    for subclass in schema.__subclasses__():
        if subclass not in _PARTS:
            found[subclass.component_name()] = subclass.component()
        found |= components(subclass)
    return found


def dump(schema: type[ResponseSchema], value: Any) -> Json:
    """Return the fields of a model, or of a mapping, as JSON."""
    body: Json = _instance(schema).dump(value)
    return body


def dump_all(schema: type[ResponseSchema], values: Any) -> list[Json]:
    """Return the fields of several models as JSON."""
    return [dump(schema, value) for value in values]


@cache
def _instance(schema: type[ResponseSchema]) -> ResponseSchema:
    return schema()
