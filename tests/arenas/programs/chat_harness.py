"""A harness of verifiers that runs in its process: one request to the model for each message."""

from __future__ import annotations

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

__all__ = ["ChatHarness"]


class ChatHarnessConfig(vf.HarnessConfig):
    """Nothing to configure."""


class ChatHarness(vf.Harness[ChatHarnessConfig]):
    """Sends the conversation to the endpoint of the rollout."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):  # type: ignore[no-untyped-def]
        """Ask the model once."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}, *map(message_to_wire, prompt)]
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            body = {"model": ctx.model, "messages": messages}
            (await http.post(f"{endpoint}/chat/completions", json=body)).raise_for_status()
        return vf.ProgramResult(0, "", "")
