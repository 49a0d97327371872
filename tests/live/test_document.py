"""The live service conforms to openapi.yaml for all generated requests.

It does not refuse valid requests for their form, and refuses invalid ones. No response is a 500, and each has a
documented status, content type, headers and body.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis import Case
from schemathesis.specs.openapi.schemas import OpenApiSchema

from tests.live.league import LiveLeague
from tests.support.live import LiveService
from tests.support.strict_schemas import closed, published

pytestmark = [pytest.mark.ci, pytest.mark.live]

NO_RATES = {
    f"KOZYR_RATE_{of}": "0"
    for of in ("REQUESTS", "CREATIONS", "POLLS", "REFUSED_MOVES", "ANONYMOUS", "REGISTRATIONS", "BAD_TOKENS")
}
LONGEST_STREAM_S = 3600
MOST_REQUEST_LINE = 8190
"""The longest request line that gunicorn accepts."""


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
    """Load the document in the repository, which another test compares with the served one, with closed schemas.

    With `every_value`, also generate values at the bounds of each field and parameter.
    """
    loaded = schemathesis.openapi.from_dict(closed(published()))
    loaded.config.phases.coverage.enabled = every_value
    # A schema cannot express that a cursor must come from this service, or which options go together. So the service
    # may refuse valid data, but only with documented responses.
    loaded.config.checks.positive_data_acceptance.expected_statuses = [
        "2xx", "400", "401", "403", "404", "409", "413", "422", "503"
    ]  # fmt: skip
    loaded.config.checks.negative_data_rejection.expected_statuses = [
        "400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"
    ]  # fmt: skip
    return loaded


def some(examples: int) -> settings:
    """Return the test settings: this many requests for each operation, the same in each run."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


schema, fewer = document(every_value=True), document(every_value=False)


def shorten(case: Case) -> None:
    """Make a stream short that the request would leave open for as long as a client may ask."""
    seconds = str((case.query or {}).get("seconds", LONGEST_STREAM_S))
    if case.path.endswith("/stream") and seconds.isdecimal() and 1 < int(seconds) <= LONGEST_STREAM_S:
        case.query = {**(case.query or {}), "seconds": 1}


def check(case: Case, service: LiveService, token: str | None) -> None:
    """Send the request and validate the response."""
    shorten(case)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    sent = case.as_transport_kwargs(base_url=service.url)
    url = requests.Request("GET", sent["url"], params=sent.get("params")).prepare().url
    assume(url is None or len(url) < MOST_REQUEST_LINE)
    case.call_and_validate(base_url=service.url, headers=headers, timeout=30)


@fewer.parametrize()
@some(8)
def test_every_response_to_an_owner_is_documented(
    case: Case, service: LiveService, tokens: dict[str, str]
) -> None:
    check(case, service, tokens["owner"])


@pytest.mark.soak
@schema.parametrize()
@some(8)
def test_every_response_to_values_at_the_bounds_is_documented(
    case: Case, service: LiveService, tokens: dict[str, str]
) -> None:
    check(case, service, tokens["owner"])


@fewer.parametrize()
@some(10)
def test_every_response_to_a_bot_is_documented(
    case: Case, service: LiveService, tokens: dict[str, str]
) -> None:
    # Conformance checks inject faults, which the document does not describe.
    check(case, service, tokens["checked" if case.path.startswith("/v1/checks") else "bot"])


@fewer.parametrize()
@some(4)
def test_every_response_to_an_anonymous_caller_is_documented(case: Case, service: LiveService) -> None:
    check(case, service, None)
