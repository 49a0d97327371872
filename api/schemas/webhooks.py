"""Webhooks and their messages."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields, validate

from api.schemas.common import Choice, Flag, Strict, flag, instant, listed, nullable, text, whole
from api.schemas.responses import Listed, Nested, Output, ResponseSchema, listing
from league.notifications.addresses import MOST_CHARACTERS
from league.notifications.model import DEFAULT_EVENTS, EventType, MessageState, WebhookFormat

_EVENTS: Final = [each.value for each in EventType if each is not EventType.TEST]
_FORMATS: Final = [each.value for each in WebhookFormat]
_FORMAT: Final = (
    "`standard`: JSON, signed as Standard Webhooks define; `discord`: a text for a Discord webhook"
)


def _url(**more: Any) -> fields.String:
    description = "An `https` address with a public host name. Redirects are not followed"
    return fields.String(
        validate=validate.Length(1, MOST_CHARACTERS), metadata={"description": description}, **more
    )


def _events(**more: Any) -> fields.List[str]:
    return fields.List(
        Choice(_EVENTS),
        validate=validate.Length(1, len(_EVENTS)),
        metadata={"description": "The events to report, about your own bots and ladders"},
        **more,
    )


class NewWebhookSchema(Strict):
    """A webhook."""

    url = _url(required=True)
    events = _events(load_default=lambda: [each.value for each in DEFAULT_EVENTS])
    format = Choice(_FORMATS, _FORMAT, load_default=WebhookFormat.STANDARD.value)


class WebhookChangeSchema(Strict):
    """The fields to change. Omitted fields keep their values."""

    url = _url()
    events = _events()
    enabled = Flag("A disabled webhook gets no events")


class WebhookSchema(ResponseSchema):
    """A webhook."""

    id = Output(text("Names the webhook"))
    url = Output(text("Where messages are sent"))
    events = Output(listed(text("An event", enum=_EVENTS), "The events that it reports"))
    format = Output(text(_FORMAT, enum=_FORMATS))
    enabled = Output(flag("Whether it gets events. A receiver that answers 410 disables it"))
    created = Output(instant("When it was created"))


class CreatedWebhookSchema(ResponseSchema):
    """A new webhook with its secret."""

    webhook = Nested(WebhookSchema)
    secret = Output(text("The secret of its signatures. It is shown only once"))


WebhookListSchema: Final = listing("WebhookList", WebhookSchema, "webhooks", "By id")


class DeliveryAttemptSchema(ResponseSchema):
    """An attempt to deliver a message."""

    at = Output(instant("When it was made"))
    status = Output(nullable(whole("The status of the response; null without one")))
    error = Output(text("Why it failed; empty if it did not"))
    ms = Output(whole("How long it took"))


class DeliverySchema(ResponseSchema):
    """A message and its attempts."""

    id = Output(text("The message's id, the same in every attempt"))
    type = Output(text("The event", enum=[each.value for each in EventType]))
    created = Output(instant("When it was created"))
    state = Output(
        text(
            "`waiting`: for its next attempt; `delivered`; `dead`: every attempt failed",
            enum=[each.value for each in MessageState],
        )
    )
    body = Output(text("What is sent"))
    attempts = Listed(DeliveryAttemptSchema, "The first one first", inline=True)


DeliveryListSchema: Final = listing(
    "DeliveryList", DeliverySchema, "deliveries", "The last 100 messages, newest first"
)


class SentMessageSchema(ResponseSchema):
    """A message that will be sent."""

    id = Output(text("The message's id"))
