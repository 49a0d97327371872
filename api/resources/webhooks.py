"""Webhooks of owners."""

from __future__ import annotations

from typing import Any, Final

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import LOCATION, ResponseSpec, describe
from api.idempotency import once
from api.limits.rates import RateScope
from api.schemas.responses import dump
from api.schemas.webhooks import (
    CreatedWebhookSchema,
    DeliveryListSchema,
    NewWebhookSchema,
    SentMessageSchema,
    WebhookChangeSchema,
    WebhookListSchema,
    WebhookSchema,
)
from api.services import services
from api.wire import answer
from league.accounts.tokens import Scope
from league.notifications.model import EventType, WebhookFormat
from records.names import first_owner

blueprint = Blueprint("webhooks", __name__, description="Webhooks that report events to owners.")

Body = dict[str, Any]
_MINE: Final = ("not_found", "no_such_webhook", "wrong_token_kind")


@blueprint.route("/v1/webhooks", methods=["POST"])
@describe(
    "createWebhook",
    {201: ResponseSpec("The webhook and its secret", "CreatedWebhook", headers=LOCATION)},
    scope="league",
    problems=["wrong_token_kind", "bad_value"],
    body=NewWebhookSchema,
    keyed=1,
)
def create_webhook(body: Body) -> Response:
    """Create a webhook.

    The service sends a request to the address for each event about your bots and ladders. The response has the secret
    that verifies the signatures. An owner has at most 10 webhooks.
    """
    token = auth.caller(Scope.LEAGUE, RateScope.CREATIONS)
    auth.owner_of(token)
    events = [EventType(each) for each in body["events"]]

    def create(ident: str | None) -> Response:
        webhook_id = None if ident is None else "w" + ident[2:18]
        format_ = WebhookFormat(body["format"])
        webhook = services().webhooks.create(
            first_owner(token.name), body["url"], events, format_, webhook_id
        )
        shown = {"webhook": webhook, "secret": services().webhooks.signer.secret(webhook.id)}
        return answer(dump(CreatedWebhookSchema, shown), 201, {"Location": f"/v1/webhooks/{webhook.id}"})

    return once(token.id, create)


@blueprint.route("/v1/webhooks")
@describe(
    "listWebhooks",
    {200: ResponseSpec("Your webhooks", "WebhookList")},
    scope="league",
    problems=["wrong_token_kind"],
)
def list_webhooks() -> Response:
    """List your webhooks.

    Secrets are not shown again.
    """
    return answer(dump(WebhookListSchema, {"webhooks": services().webhooks.of(_owner())}))


@blueprint.route("/v1/webhooks/<webhook>")
@describe("getWebhook", {200: ResponseSpec("The webhook", "Webhook")}, scope="league", problems=_MINE)
def get_webhook(webhook: str) -> Response:
    """Get one of your webhooks.

    Its log is at `/v1/webhooks/{webhook}/deliveries`.
    """
    return answer(dump(WebhookSchema, services().webhooks.get(_owner(), webhook)))


@blueprint.route("/v1/webhooks/<webhook>", methods=["PATCH"])
@describe(
    "changeWebhook",
    {200: ResponseSpec("The webhook", "Webhook")},
    scope="league",
    problems=[*_MINE, "bad_value"],
    body=WebhookChangeSchema,
)
def change_webhook(body: Body, webhook: str) -> Response:
    """Change, disable or enable a webhook.

    Messages that wait go to the new address.
    """
    changes = dict(body)
    if "events" in changes:
        changes["events"] = [EventType(each) for each in changes["events"]]
    return answer(dump(WebhookSchema, services().webhooks.change(_owner(), webhook, **changes)))


@blueprint.route("/v1/webhooks/<webhook>", methods=["DELETE"])
@describe("deleteWebhook", {204: ResponseSpec("It is gone")}, scope="league", problems=_MINE)
def delete_webhook(webhook: str) -> Response:
    """Delete a webhook with its log.

    Messages that wait are not sent.
    """
    services().webhooks.remove(_owner(), webhook)
    return Response(status=204)


@blueprint.route("/v1/webhooks/<webhook>/test", methods=["POST"])
@describe(
    "testWebhook", {202: ResponseSpec("The message", "SentMessage")}, scope="league", problems=_MINE, keyed=1
)
def test_webhook(webhook: str) -> Response:
    """Send a test event to a webhook.

    Its outcome appears in the log.
    """
    token = auth.caller(Scope.LEAGUE, RateScope.CREATIONS)
    auth.owner_of(token)

    def send(ident: str | None) -> Response:
        sent = services().webhooks.test(first_owner(token.name), webhook, ident)
        return answer(dump(SentMessageSchema, {"id": sent}), 202)

    return once(token.id, send, has_body=False)


@blueprint.route("/v1/webhooks/<webhook>/deliveries")
@describe(
    "listDeliveries",
    {200: ResponseSpec("The messages", "DeliveryList")},
    scope="league",
    problems=_MINE,
)
def list_deliveries(webhook: str) -> Response:
    """List the last messages of a webhook, newest first.

    Each message has its state and every attempt to deliver it. Messages are kept for a week.
    """
    return answer(dump(DeliveryListSchema, {"deliveries": services().webhooks.log(_owner(), webhook)}))


@blueprint.route("/v1/webhooks/<webhook>/deliveries/<message>", methods=["POST"])
@describe(
    "redeliver",
    {202: ResponseSpec("The message", "SentMessage")},
    scope="league",
    problems=[*_MINE, "no_such_message"],
)
def redeliver(webhook: str, message: str) -> Response:
    """Send a message of a webhook again.

    It keeps its id, so a receiver that has it can tell.
    """
    services().webhooks.redeliver(_owner(RateScope.CREATIONS), webhook, message)
    return answer(dump(SentMessageSchema, {"id": message}), 202)


def _owner(scope: RateScope = RateScope.REQUESTS) -> str:
    """Return the name of the calling owner. Raise `Problem`."""
    token = auth.caller(Scope.LEAGUE, scope)
    auth.owner_of(token)
    return first_owner(token.name)
