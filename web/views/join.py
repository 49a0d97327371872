"""Signing up, signing in and signing out, and invitations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

import segno
from flask import Response, request
from werkzeug.exceptions import BadRequest

from api.auth import actor
from api.limits import rates
from api.limits.rates import RateScope
from api.services import services
from league.accounts.invitations import MOST_INVITATION_NOTE, csv_of
from league.operators.administration import MOST_INVITATION_S, MOST_INVITATIONS
from web.errors import SignInRefused
from web.fields import field, number, own_address
from web.pages import Pages, again, show, to
from web.queries import text
from web.session import form_seed, signed_in_admin, valid_token, viewer

pages = Pages("site_join", __name__)

_MOST_DAYS: Final = MOST_INVITATION_S // 86_400


@pages.page("/sign-up")
def sign_up() -> str:
    """Show the form for a new owner."""
    return show(
        "sign_up.html", **_invited(text("invitation", 200) or ""), name="", real_name="", refusal=None
    )


def _invited(invitation: str) -> dict[str, str | None]:
    return {"invitation": invitation, "names_for": services().accounts.names_asked_for(invitation)}


def _sign_up_page() -> tuple[str, dict[str, Any]]:
    sent = {"name": field("name", 100), "real_name": field("real_name", 200)}
    return "sign_up.html", _invited(field("invitation", 200)) | sent


@pages.form("/sign-up", again=_sign_up_page)
def create_owner() -> str:
    """Create an owner, sign it in and show its token."""
    name, invitation, real_name = field("name", 100), field("invitation", 200), field("real_name", 200)
    rates.check_registration(invited=services().accounts.is_invited(invitation))
    owner, secret = services().accounts.create_owner(
        name, invitation=invitation or None, real_name=real_name, seed=form_seed(name)
    )
    token = valid_token(secret)
    if token is not None:
        viewer().sign_in(token)
    return show("token_shown.html", name=owner.name, secret=secret, next="/me", is_owner=True)


@pages.page("/sign-in")
def sign_in() -> str:
    """Show the form for signing in."""
    return show("sign_in.html", next=own_address(request.args.get("next")) or "", refusal=None)


@pages.form("/sign-in")
def begin_session() -> str | Response:
    """Sign in with the token of an owner or admin."""
    goes_on = own_address(field("next", 500))
    token = valid_token(field("token", 200))
    if token is None or token.parent:
        rates.check_address(RateScope.BAD_TOKENS)
        return again("sign_in.html", SignInRefused("this is no valid token of an owner"), next=goes_on or "")
    viewer().sign_in(token)
    return to(goes_on or ("/admin" if viewer().is_admin else "/me"))


@pages.form("/sign-out")
def end_session() -> Response:
    """Revoke the token of this browser."""
    token = viewer().token
    if token is not None:
        services().accounts.revoke(token.id)
        viewer().sign_out()
    return to("/")


@pages.page("/invitations")
def show_invitations() -> str:
    """Show the form for inviting a class."""
    signed_in_admin()
    return _invitations([])


@pages.page("/invitations.csv")
def download_invitations() -> Response:
    """Return all invitations as CSV, without their codes."""
    signed_in_admin()
    accounts = services().accounts
    found, then = accounts.invitations()
    while then is not None:
        page, then = accounts.invitations(then)
        found += page
    headers = {"Content-Disposition": 'attachment; filename="invitations.csv"'}
    return Response(csv_of(found), mimetype="text/csv", headers=headers)


@pages.form("/invitations")
def invite() -> str:
    """Create invitations and show their addresses once."""
    token = signed_in_admin()
    days, names = number("days", 1, _MOST_DAYS), field("names", MOST_INVITATIONS * 102).splitlines()
    names = [name.strip() for name in names if name.strip()]
    count = len(names) or number("count", 1, MOST_INVITATIONS)
    reason = field("reason", 200)
    if not reason:
        raise BadRequest("the reason is missing; the audit log shows it")
    codes = services().administration.invite(
        actor(token),
        days * 86_400,
        reason,
        count=count,
        names=names,
        note=field("note", MOST_INVITATION_NOTE),
        names_for=field("names_for", 32) or None,
    )
    return _invitations(list(zip_longest(codes, names, fillvalue="")))


def _invitations(created: Sequence[tuple[str, str]]) -> str:
    """Return the page of invitations, with codes and names of those that were just created."""
    root = request.url_root + "sign-up?invitation="
    found, then = services().accounts.invitations()
    # Hundreds of pictures take seconds, in which the process must serve moves.
    shown = services().options.run_in_thread(
        lambda: [
            (name, root + code, segno.make(root + code, error="m").svg_data_uri(scale=3))
            for code, name in created
        ]
    )
    return show("invitations.html", created=shown, found=found, more=then is not None)
