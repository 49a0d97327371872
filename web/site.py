"""Puts the site into the application that serves the API."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, NotFound

from web import views
from web.assets import assets
from web.pages import unrouted
from web.services import Site
from web.views import home

SUBJECTS: Final = tuple(import_module(f"web.views.{each.name}") for each in iter_modules(views.__path__))
"""The modules of pages."""
_DATA: Final = ("/v1/", "/static/")
"""Paths below which errors are never pages."""


def install(app: Flask, site: Site) -> None:
    """Add the pages to an application that has the API's routes and error handlers."""
    app.extensions["kozyr-site"] = site
    for subject in SUBJECTS:
        app.register_blueprint(subject.pages)
    app.add_url_rule("/static/<version>/<path:path>", view_func=_static, endpoint="site_static")
    api_error: Callable[[Any], Any] = app.error_handler_spec[None][None][HTTPException]

    def unknown(error: HTTPException) -> Response:
        response: Response = unrouted(error) if _wants_page() else api_error(error)
        return response

    app.register_error_handler(404, unknown)
    app.register_error_handler(405, unknown)
    _share_root(app)


def _share_root(app: Flask) -> None:
    """Answer `/` with the home page for browsers, and as the API does for programs."""
    endpoint, _ = app.url_map.bind("").match("/")
    api_root: Callable[..., Any] = app.view_functions[endpoint]
    page_root: Callable[..., Any] = app.view_functions[home.ENDPOINT]

    def root() -> Response:
        response: Response = page_root() if _wants_page() else api_root()
        response.vary.add("Accept")
        return response

    app.view_functions[endpoint] = root


def _wants_page() -> bool:
    """Return whether the client prefers a page to JSON, as browsers do."""
    accepted = request.accept_mimetypes
    return not request.path.startswith(_DATA) and accepted["text/html"] > accepted["application/json"]


def _static(version: str, path: str) -> Response:
    """Return a static file. A page of another release still finds it, but must ask again."""
    found = assets().files.get(path)
    if found is None:
        raise NotFound
    response = Response(found.data, content_type=found.kind)
    current = version == assets().version
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if current else "no-cache"
    response.set_etag(found.etag)
    response.make_conditional(request)
    return response
