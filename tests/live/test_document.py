"""The whole of openapi.yaml against the live service: whatever is sent, the answer is one that the document has.

Good requests, made from the document, are not refused for their form; bad ones are; no answer is a 500, and each has a
status, a content type, headers and a body as documented.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
import schemathesis
import yaml
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis import Case
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tests.live.league import LiveLeague
from tests.support.live import ROOT, LiveService
from tests.support.strict_schemas import closed

pytestmark = [pytest.mark.live, pytest.mark.slow]

NO_RATES = {
    f"KOZYR_RATE_{of}": "0"
    for of in ("REQUESTS", "CREATIONS", "POLLS", "REFUSED_MOVES", "ANONYMOUS", "REGISTRATIONS", "BAD_TOKENS")
}
MOST_REQUEST_LINE = 8190
"""A longer one is refused by gunicorn, and the service never sees it."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    folder = tmp_path_factory.mktemp("document")
    with LiveService(
        folder, settings={"KOZYR_MAX_WAIT_S": "1", "KOZYR_LOG_LEVEL": "warning", **NO_RATES}
    ) as running:
        yield running


@pytest.fixture(scope="module")
def tokens(service: LiveService) -> dict[str, str]:
    league = LiveLeague(service)
    bot = league.bot("fuzz")
    league.match([bot, "house/random"], deals=100)
    return {"owner": league.token, "bot": bot.token, "checked": league.bot("checked").token}


def document(*, every_value: bool) -> OpenApiSchema:
    """The document in the repository; another test holds it to the one that is served. `every_value`: at the bounds
    of each field and parameter too."""
    loaded = schemathesis.openapi.from_dict(closed(yaml.safe_load((ROOT / "openapi.yaml").read_text())))
    loaded.config.phases.coverage.enabled = every_value
    # A schema can't say that a cursor was given by this service, or what an option goes with: good data may be
    # refused, but only in the ways that the document has for it.
    loaded.config.checks.positive_data_acceptance.expected_statuses = [
        "2xx", "400", "401", "403", "404", "409", "413", "422", "503"
    ]  # fmt: skip
    return loaded


def some(examples: int) -> settings:
    """So many requests to each address, the same at each run."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


schema, fewer = document(every_value=True), document(every_value=False)


def check(case: Case, service: LiveService, token: str | None) -> None:
    """Send it."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    sent = case.as_transport_kwargs(base_url=service.url)
    url = requests.Request("GET", sent["url"], params=sent.get("params")).prepare().url
    assume(url is None or len(url) < MOST_REQUEST_LINE)
    case.call_and_validate(base_url=service.url, headers=headers, timeout=30)


@schema.parametrize()
@some(8)
def test_every_answer_to_an_owner_is_in_the_document(
    case: Case, service: LiveService, tokens: dict[str, str]
) -> None:
    check(case, service, tokens["owner"])


@fewer.parametrize()
@some(10)
def test_every_answer_to_a_bot_is_in_the_document(
    case: Case, service: LiveService, tokens: dict[str, str]
) -> None:
    # A bot that is checked has faults put in its way, which the document does not have.
    check(case, service, tokens["checked" if case.path.startswith("/v1/checks") else "bot"])


@fewer.parametrize()
@some(4)
def test_every_answer_to_nobody_is_in_the_document(case: Case, service: LiveService) -> None:
    check(case, service, None)
