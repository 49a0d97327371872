"""Schemas of requests and responses.

Requests are marshmallow schemas. Responses off the hot path are too (`api.schemas.responses`). The others are built by
one function each, mostly in `records.match.views`; their schemas in `COMPONENTS` only describe them, and tests check
real responses against them.
"""
