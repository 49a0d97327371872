"""Webhooks and their messages."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields, validate

from api.schemas.common import Choice, Flag, Several, Strict, flag, instant, listed, text, whole
from api.schemas.responses import Listed, Nested, ResponseSchema, listing
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
    return Several(
        Choice(_EVENTS),
        "The events to report, about your own bots and ladders",
        least=1,
        most=len(_EVENTS),
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

    id = text("Names the webhook")
    url = text("Where messages are sent")
    events = listed(text("An event", enum=_EVENTS), "The events that it reports")
    format = text(_FORMAT, enum=_FORMATS)
    enabled = flag("Whether it gets events. A receiver that answers 410 disables it")
    created = instant("When it was created")


class CreatedWebhookSchema(ResponseSchema):
    """A new webhook with its secret."""

    webhook = Nested(WebhookSchema)
    secret = text("The secret of its signatures. It is shown only once")


WebhookListSchema: Final = listing("WebhookList", WebhookSchema, "webhooks", "By id")


class DeliveryAttemptSchema(ResponseSchema):
    """An attempt to deliver a message."""

    at = instant("When it was made")
    status = whole("The status of the response; null without one", null=True)
    error = text("Why it failed; empty if it did not")
    ms = whole("How long it took")


class DeliverySchema(ResponseSchema):
    """A message and its attempts."""

    id = text("The message's id, the same in every attempt")
    type = text("The event", enum=[each.value for each in EventType])
    created = instant("When it was created")
    state = text(
        "`waiting`: for its next attempt; `delivered`; `dead`: every attempt failed",
        enum=[each.value for each in MessageState],
    )
    body = text("What is sent")
    attempts = Listed(DeliveryAttemptSchema, "The first one first", inline=True)


DeliveryListSchema: Final = listing(
    "DeliveryList", DeliverySchema, "deliveries", "The last 100 messages, newest first"
)


class SentMessageSchema(ResponseSchema):
    """A message that will be sent."""

    id = text("The message's id")
