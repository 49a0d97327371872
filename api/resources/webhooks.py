"""Webhooks of owners."""

from __future__ import annotations

from typing import Any

from api.blueprint import Blueprint
from api.contract.describe import Created, ResponseSpec, created
from api.idempotency import derived_id
from api.limits.rates import RateScope
from api.schemas import webhooks as schemas
from api.services import services
from league.accounts.tokens import Token
from league.notifications.model import EventType, WebhookFormat
from league.permissions import acting_owner
from records.names import first_owner

blueprint = Blueprint("webhooks", __name__, description="Webhooks that report events to owners.")

Body = dict[str, Any]


@blueprint.serve(
    "POST /v1/webhooks",
    created("The webhook and its secret", schemas.CreatedWebhookSchema),
    scope="league",
    problems=["bad_value"],
    body=schemas.NewWebhookSchema,
    keyed=1,
)
def create_webhook(body: Body, caller: Token, seed: str | None) -> object:
    """Create a webhook.

    The service sends a request to the address for each event about your bots and ladders. The response has the secret
    that verifies the signatures. An owner has at most 10 webhooks.
    """
    events = [EventType(each) for each in body["events"]]
    webhook_id = derived_id("w", seed)
    format_ = WebhookFormat(body["format"])
    webhook = services().webhooks.create(_name(caller), body["url"], events, format_, webhook_id)
    shown = {"webhook": webhook, "secret": services().webhooks.signer.secret(webhook.id)}
    return Created(shown, f"/v1/webhooks/{webhook.id}")


@blueprint.serve("GET /v1/webhooks", ResponseSpec("Your webhooks", schemas.WebhookListSchema), scope="league")
def list_webhooks(caller: Token) -> object:
    """List your webhooks.

    Secrets are not shown again.
    """
    return {"webhooks": services().webhooks.of(_name(caller))}


@blueprint.serve(
    "GET /v1/webhooks/<webhook>", ResponseSpec("The webhook", schemas.WebhookSchema), scope="league"
)
def get_webhook(caller: Token, webhook: str) -> object:
    """Get one of your webhooks.

    Its log is at `/v1/webhooks/{webhook}/deliveries`.
    """
    return services().webhooks.get(_name(caller), webhook)


@blueprint.serve(
    "PATCH /v1/webhooks/<webhook>",
    ResponseSpec("The webhook", schemas.WebhookSchema),
    scope="league",
    problems=["bad_value"],
    body=schemas.WebhookChangeSchema,
)
def change_webhook(body: Body, caller: Token, webhook: str) -> object:
    """Change, disable or enable a webhook.

    Messages that wait go to the new address.
    """
    changes = dict(body)
    if "events" in changes:
        changes["events"] = [EventType(each) for each in changes["events"]]
    return services().webhooks.change(_name(caller), webhook, **changes)


@blueprint.serve("DELETE /v1/webhooks/<webhook>", ResponseSpec("It is gone", status=204), scope="league")
def delete_webhook(caller: Token, webhook: str) -> None:
    """Delete a webhook with its log.

    Messages that wait are not sent.
    """
    services().webhooks.remove(_name(caller), webhook)


@blueprint.serve(
    "POST /v1/webhooks/<webhook>/test",
    ResponseSpec("The message", schemas.SentMessageSchema, status=202),
    scope="league",
    keyed=1,
)
def test_webhook(caller: Token, seed: str | None, webhook: str) -> object:
    """Send a test event to a webhook.

    Its outcome appears in the log.
    """
    return {"id": services().webhooks.test(_name(caller), webhook, seed)}


@blueprint.serve(
    "GET /v1/webhooks/<webhook>/deliveries",
    ResponseSpec("The messages", schemas.DeliveryListSchema),
    scope="league",
)
def list_deliveries(caller: Token, webhook: str) -> object:
    """List the last messages of a webhook, newest first.

    Each message has its state and every attempt to deliver it. Messages are kept for a week.
    """
    return {"deliveries": services().webhooks.log(_name(caller), webhook)}


@blueprint.serve(
    "POST /v1/webhooks/<webhook>/deliveries/<message>",
    ResponseSpec("The message", schemas.SentMessageSchema, status=202),
    scope="league",
    rate=RateScope.CREATIONS,
)
def redeliver(caller: Token, webhook: str, message: str) -> object:
    """Send a message of a webhook again.

    It keeps its id, so a receiver that has it can tell.
    """
    services().webhooks.redeliver(_name(caller), webhook, message)
    return {"id": message}


def _name(caller: Token) -> str:
    """Return the name under which the calling owner registered. Raise `WrongTokenKind` for another kind of token."""
    acting_owner(caller)
    return first_owner(caller.name)
