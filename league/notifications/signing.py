"""Signatures of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 over id, time and body.

The secret of a webhook derives from the server's pepper and the webhook's id, so Redis alone reveals none.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from functools import cached_property


class WebhookSigner:
    """Signs the messages of webhooks."""

    def __init__(self, pepper: Callable[[], str]) -> None:
        """`pepper` is asked when the first message is signed; commands that sign none have no pepper."""
        self._ask_pepper = pepper

    def secret(self, webhook: str) -> str:
        """Return the secret of a webhook, as its receiver configures it."""
        return "whsec_" + base64.b64encode(self._key(webhook)).decode()

    def headers(self, webhook: str, message: str, at_s: int, body: bytes) -> dict[str, str]:
        """Return the headers of a message sent at this instant, in seconds since 1970."""
        signed = b"%b.%d.%b" % (message.encode(), at_s, body)
        signature = base64.b64encode(hmac.digest(self._key(webhook), signed, "sha256")).decode()
        return {
            "webhook-id": message,
            "webhook-timestamp": str(at_s),
            "webhook-signature": f"v1,{signature}",
        }

    def _key(self, webhook: str) -> bytes:
        return hmac.digest(self._pepper, webhook.encode(), "sha256")

    @cached_property
    def _pepper(self) -> bytes:
        return hashlib.sha256(b"kozyr-webhooks\0" + self._ask_pepper().encode()).digest()
