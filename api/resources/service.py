"""The service: health, limits, and documentation pages that load nothing from other hosts."""

from __future__ import annotations

import html
import mimetypes
from functools import cache
from pathlib import Path
from typing import Final

import flask_swagger_ui
from flask import Flask, Response, abort, current_app, redirect, request

from api.blueprint import Blueprint
from api.caching import ETAG, UNCHANGED, constant
from api.contract.describe import ResponseSpec
from api.host_and_accept import check_accept
from api.http.compression import KeptBody
from api.problems import KINDS
from api.schemas.responses import dump
from api.schemas.service import HealthSchema, KeysSchema, LimitsSchema, ReadinessSchema, RootSchema
from api.services import services
from api.wire import JSON, answer
from records.chain import GENESIS
from referee.proofs.proof import pem

blueprint = Blueprint("service", __name__, description="Health, limits and documentation.")

_UI: Final = Path(flask_swagger_ui.__file__).parent / "dist"
_UI_FILES: Final = frozenset(
    {
        "swagger-ui.css",
        "index.css",
        "swagger-ui-bundle.js",
        "swagger-ui-standalone-preset.js",
        "favicon-16x16.png",
        "favicon-32x32.png",
    }
)
PAGES: Final = frozenset({"docs", "docs_index", "docs_problems", "docs_file"})
"""The endpoints of HTML pages."""
_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/png" href="favicon-32x32.png" sizes="32x32">
"""
_PAGE: Final = f"""{_HEAD}<title>Kozyr: the protocol</title>
<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="index.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="swagger-ui-standalone-preset.js"></script>
<script src="start.js"></script>
</body>
</html>
"""
_INDEX: Final = KeptBody(_PAGE.encode(), "text/html")
_PROBLEMS_STYLE: Final = (
    ":root { color-scheme: light dark } body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem;"
    " font: 1rem/1.5 system-ui, sans-serif } dd { margin: 0 0 1rem } :target { outline: 2px solid }"
)
_START: Final = """window.onload = () => {
  window.ui = SwaggerUIBundle({
    url: "../openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
};
"""


@blueprint.serve("GET /", ResponseSpec("Links", RootSchema), any_query=True, store=False)
def get_root() -> object:
    """Get links to the documentation.

    The first request to make when you know only the address of the service.
    """
    root = request.script_root
    links = {"docs": f"{root}/docs/", "openapi": f"{root}/openapi.yaml"}
    return {"service": "kozyr", **links}


@blueprint.serve(
    "GET /healthz",
    ResponseSpec("The process answers", HealthSchema),
    any_query=True,
    store=False,
    counted=False,
)
def get_health() -> object:
    """Test whether this process responds.

    Checks nothing else, so it suits a load balancer. `GET /readyz` checks the service as a whole.
    """
    return {"status": "ok"}


@blueprint.serve(
    "GET /readyz",
    ResponseSpec("Matches can be played", ReadinessSchema),
    ResponseSpec("Matches can't be played; `problems` lists the reasons", ReadinessSchema, status=503),
    any_query=True,
    store=False,
    counted=False,
)
def get_readiness() -> object:
    """Test whether the service as a whole can play matches.

    `problems` lists what is wrong. The response is as recent as the last heartbeat. A service that is paused or
    draining is ready. Point a load balancer at `/healthz`, which checks only the process that responds.
    """
    readiness = services().readiness()
    body = dump(ReadinessSchema, {**readiness.to_json(), "service": services().hub.service})
    return answer(body, 200 if readiness.ready else 503)


@blueprint.serve("GET /v1/limits", ResponseSpec("The limits", LimitsSchema), store=False)
def get_limits() -> object:
    """Get the limits of this service.

    For example the longest wait, the largest body and the allowed request rates. They are settings and differ
    between services.
    """
    return services().limits


@blueprint.serve("GET /v1/keys", ResponseSpec("The keys", KeysSchema))
def get_keys() -> object:
    """Get the public keys that sign records, and the last link of the record chain.

    Records are signed when they are read, so the key in use signs all current reads. Older keys signed earlier
    reads.
    """
    proofs = services().proofs
    head = proofs.chain.head()
    keys = [
        {"key": key, "pem": pem(key), "since": since, "in_use": key == proofs.key.public}
        for key, since in proofs.public_keys()
    ]
    return {
        "algorithm": "Ed25519",
        "keys": keys,
        "records": 0 if head is None else head.number,
        "link": (GENESIS if head is None else head.link).hex(),
    }


_YAML: Final = (
    ResponseSpec("The document", content={"application/yaml": {"type": "object"}}, headers=ETAG),
    UNCHANGED,
)


@blueprint.serve("GET /openapi.yaml", *_YAML, any_query=True, store=False)
def get_openapi_yaml() -> object:
    """Get this document as YAML.

    It describes the running service, with its limits.
    """
    return _document("openapi.yaml")


@blueprint.serve("GET /openapi-bot.yaml", *_YAML, any_query=True, store=False)
def get_bot_openapi_yaml() -> object:
    """Get the part of this document that a bot needs, as YAML.

    It holds the operations with the tag `player`, and is small enough to give to a language model as tools.
    """
    return _document("openapi-bot.yaml")


@blueprint.serve(
    "GET /openapi.json",
    ResponseSpec("The document", content={JSON: {"type": "object"}}, headers=ETAG),
    UNCHANGED,
    any_query=True,
    store=False,
)
def get_openapi_json() -> object:
    """Get this document as JSON.

    It describes the running service, with its limits.
    """
    return _document("openapi.json")


def _document(name: str) -> Response:
    """Return a document of this application, which is made once."""
    from api.contract import spec  # makes the schemas of the whole document

    kept: dict[str, KeptBody] = current_app.extensions.setdefault("kozyr-documents", {})
    if name not in kept:
        if name == "openapi.json":
            kept[name] = KeptBody(answer(spec.openapi(current_app)).get_data(), JSON)
        else:
            kept[name] = KeptBody(spec.openapi_texts(current_app)[name].encode(), "application/yaml")
    return constant(kept[name])


def add_pages(app: Flask) -> None:
    """Add the HTML pages, which are not part of the protocol."""
    app.add_url_rule("/docs", view_func=lambda: redirect("/docs/"), endpoint="docs")
    app.add_url_rule("/docs/", view_func=_index, endpoint="docs_index")
    app.add_url_rule("/docs/problems", view_func=_problems, endpoint="docs_problems")
    app.add_url_rule("/docs/<name>", view_func=_file, endpoint="docs_file")


def _index() -> Response:
    check_accept(["text/html"], request.environ)
    return constant(_INDEX)


def _problems() -> Response:
    check_accept(["text/html"], request.environ)
    return constant(_problems_page())


def _file(name: str) -> Response:
    kind, _ = mimetypes.guess_type(name)
    check_accept([kind] if kind else [], request.environ)
    if name != "start.js" and name not in _UI_FILES:
        abort(404)
    return constant(_ui_file(name), max_age_s=86_400)


@cache
def _ui_file(name: str) -> KeptBody:
    data = _START.encode() if name == "start.js" else (_UI / name).read_bytes()
    return KeptBody(data, mimetypes.guess_type(name)[0] or "application/octet-stream")


@cache
def _problems_page() -> KeptBody:
    rows = "\n".join(
        f'<dt id="{code}"><code>{code}</code> ({kind.status})</dt>'
        f"<dd>{html.escape(kind.title)}.{' May be retried.' if kind.retryable else ''}</dd>"
        for code, kind in KINDS.items()
    )
    page = (
        f"{_HEAD}<title>Kozyr: problems</title>\n<style>{_PROBLEMS_STYLE}</style>\n</head>\n"
        f"<body>\n<h1>Problems</h1>\n<dl>\n{rows}\n</dl>\n</body>\n</html>\n"
    )
    return KeptBody(page.encode(), "text/html")
