"""The parts of the web site. Only processes that serve it import this module."""

from __future__ import annotations

from api.limits import rates
from api.limits.rates import RateScope
from api.problems import request_id
from api.services import Services
from kozyr.starters.writing import STARTERS
from league.accounts.tokens import Token
from league.people import People
from web.sample import sample_deal
from web.services import ErrorPage, SiteServices


class PageCounter:
    """Counts page requests in the rate scopes of the API."""

    def anonymous(self) -> None:
        rates.check_address(RateScope.ANONYMOUS)

    def signed_in(self, token: Token) -> None:
        rates.check_token(token, RateScope.REQUESTS)

    def creation(self, token: Token) -> None:
        rates.check_token(token, RateScope.CREATIONS)

    def guest_match(self) -> None:
        rates.check_address(RateScope.REGISTRATIONS)

    def registration(self) -> None:
        rates.check_address(RateScope.REGISTRATIONS)

    def bad_token(self) -> None:
        rates.check_address(RateScope.BAD_TOKENS)


def site_services(api: Services, secret: str) -> SiteServices:
    """Return what the pages work with: the services of the API in the same process."""

    def refusal(error: Exception) -> ErrorPage:
        problem = api.problem_of(error)
        kind, retry = problem.kind, problem.headers.get("Retry-After")
        return ErrorPage(
            kind.status,
            problem.code,
            kind.title,
            problem.detail,
            None if retry is None else int(retry),
            problem.details,
        )

    return SiteServices(
        referee=api.referee,
        groups=api.groups,
        index=api.index,
        accounts=api.accounts,
        eligibility=api.eligibility,
        checks=api.checks,
        statistics=api.statistics,
        ladders=api.ladders,
        seasons=api.seasons,
        standings=api.standings,
        presence=api.presence,
        rounds=api.rounds,
        ratings=api.ratings,
        watch=api.watch,
        reviews=api.reviews,
        dumps=api.dumps,
        administration=api.administration,
        people=People(api.referee, api.accounts, api.eligibility),
        service=api.service,
        cursors=api.cursors,
        pipeline=api.pipeline,
        counter=PageCounter(),
        refusal=refusal,
        request_id=request_id,
        rules_text=api.rules_text,
        sample_deal=sample_deal,
        starters=list(STARTERS),
        secret=secret,
        behind_tls=api.behind_tls,
        open_registration=api.limits.open_registration,
    )
