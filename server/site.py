"""The site in the process of the API: its pages count, refuse and page through lists as the API does."""

from __future__ import annotations

from functools import partial

from api.limits import rates
from api.limits.rates import RateScope
from api.problems import request_id
from api.services import Services
from kozyr.starters.writing import STARTERS, commands_to_run
from league.accounts.tokens import Token
from web.sample import sample_deal
from web.services import ErrorPage, Site, Starter


class PageCounter:
    """Counts page requests in the rate scopes of the API."""

    def anonymous(self) -> None:
        rates.check_address(RateScope.ANONYMOUS)

    def signed_in(self, token: Token) -> None:
        rates.check_token(token, RateScope.REQUESTS)

    def creation(self, token: Token) -> None:
        rates.check_token(token, RateScope.CREATIONS)

    def guest_creation(self) -> None:
        rates.check_address(RateScope.REGISTRATIONS)

    def registration(self, *, invited: bool) -> None:
        rates.check_registration(invited=invited)

    def bad_token(self) -> None:
        rates.check_address(RateScope.BAD_TOKENS)


def site_of(api: Services) -> Site:
    """Return what the pages need besides the services of the API in the same process."""
    return Site(
        cursors=api.cursors,
        counter=PageCounter(),
        refusal=partial(_refusal, api),
        readiness=lambda: api.readiness(),
        request_id=request_id,
        rules_text=api.rules_text,
        sample_deal=sample_deal,
        starters={name: Starter(each.title, commands_to_run(name)) for name, each in STARTERS.items()},
        behind_tls=api.behind_tls,
        open_registration=api.limits.open_registration,
    )


def _refusal(api: Services, error: Exception) -> ErrorPage:
    problem = api.problem_of(error)
    kind, retry = problem.kind, problem.headers.get("Retry-After")
    retry_s = None if retry is None else int(retry)
    return ErrorPage(kind.status, problem.code, kind.title, problem.detail, retry_s, problem.details)
