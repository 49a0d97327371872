"""Refusals of the site itself. All others are those of the services and of the API."""

from __future__ import annotations

from typing import ClassVar


class PageError(Exception):
    """Base class. The message is the detail, in English; `web.explanations` replaces it in other languages."""

    code: ClassVar[str]
    title: ClassVar[str]
    status: ClassVar[int] = 403


class SignInNeeded(PageError):
    """The page is for somebody who has signed in."""

    code = "sign_in_needed"
    title = "Sign in first"


class SignInRefused(PageError):
    """The token of a sign-in is not that of an owner or admin."""

    code = "token_invalid"
    title = "The token is unknown, revoked or expired"


class FriendsRefused(PageError):
    """A table of friends does not allow something. The `reason` is in the details."""

    code = "table_refused"
    title = "This table can't do that"
    status = 409


class FormRefused(PageError):
    """The form does not come from a page of this site."""

    code = "form_refused"
    title = "The form can't be accepted"
