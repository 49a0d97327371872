"""The checks by hand of the hot routes' bodies agree with the document's schemas."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from api.app import create_app
from api.moves.bodies import read_batch, read_move
from api.problems import Problem
from api.services import Limits, Services
from tests.api.contract import ApiContract

LIMITS = Limits(max_wait_s=60)
APP: Flask = create_app(Services.of_the_document(LIMITS))
CONTRACT = ApiContract(APP)

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 1002),
    st.sampled_from([10**9, 10**9 + 1, 10**30, 0.0, 1.0, 1.5, float("inf"), -0.5]),
    st.sampled_from(["", "take", "beat 7H TH", "x" * 300, "x" * 301, "00" + "a" * 26, "x" * 65]),
    st.just([]),
    st.just({}),
)
NOTES = ["", "держу козыря 🂡", "x" * 200, "x" * 201, "two\nlines", "\t", "\u202eback", "\x85"]
facts = st.one_of(
    values,
    st.fixed_dictionaries(
        {},
        optional={
            "input_tokens": values,
            "output_tokens": values,
            "cost_micro_usd": values,
            "mended": st.one_of(values, st.lists(st.sampled_from(["case", "fence", "prose"]), max_size=12)),
            "thoughts": st.one_of(values, st.sampled_from(["x" * 8192, "x" * 8193, "two\nlines \u202e"])),
            "more": values,
        },
    ),
    st.just({"input_tokens": 812, "mended": ["case"], "thoughts": "The ace stays."}),
)
moves = st.one_of(
    values,
    st.fixed_dictionaries(
        {},
        optional={
            "match": st.one_of(st.just("00" + "a" * 26), values),
            "turn": st.one_of(st.just(3), values),
            "deal": st.one_of(st.just(1), values),
            "move": st.one_of(st.just("take"), values),
            "note": st.one_of(st.sampled_from(NOTES), values),
            "facts": facts,
            "more": values,
        },
    ),
    st.sampled_from(
        [
            {"turn": 1, "move": "take", "note": "keeps the ace"},
            {"turn": 1, "move": "take"},
            {"turn": 1, "move": "take", "facts": {"cost_micro_usd": 1400, "thoughts": "The ace stays."}},
            {"deal": 1, "move": "exchange"},
            {"match": "a", "turn": 1, "move": "take"},
            {"match": "a", "turn": 1, "move": "take", "note": "keeps the ace"},
            {"turn": 1, "move": "take", "note": "keeps the ace", "more": 1},
        ]
    ),
)
bodies = st.one_of(
    values,
    st.fixed_dictionaries(
        {},
        optional={
            "moves": st.one_of(values, st.lists(moves, max_size=3)),
            "wait": st.one_of(st.just(25), st.just(61), values),
            "since": values,
            "more": values,
        },
    ),
    st.lists(
        st.fixed_dictionaries({"match": st.just("a"), "turn": st.just(1), "move": st.just("pass")}),
        max_size=3,
    ).map(lambda found: {"moves": found, "wait": 1.5}),
)


def by_hand(check: Any, *arguments: Any) -> bool:
    refusal: Problem | None = None
    try:
        check(*arguments)
    except Problem as problem:
        refusal = problem
    assert refusal is None or (refusal.code == "invalid_body" and refusal.details["errors"])
    return refusal is None


def by_schema(component: str, body: Any) -> bool:
    return not CONTRACT.errors({"$ref": f"#/components/schemas/{component}"}, body)


@given(moves)
def test_one_move(body: Any) -> None:
    assert by_hand(read_move, body, "00" + "a" * 26) == by_schema("Move", body)


@given(bodies)
def test_many_moves(body: Any) -> None:
    assert by_hand(read_batch, body, LIMITS) == by_schema("MoveBatch", body)


def test_a_refusal_names_the_unknown_fields_alone() -> None:
    move = {"turn": 1, "move": "take", "note": "keeps the ace"}
    for check, body, unknown in [
        (partial(read_move, match="a"), {**move, "match": "a"}, "match"),
        (partial(read_batch, limits=LIMITS), {"moves": [{**move, "match": "a", "more": 1}]}, "moves.0.more"),
        (partial(read_batch, limits=LIMITS), {"moves": [{**move, "match": "a", "deal": 1}]}, "moves.0.deal"),
    ]:
        with pytest.raises(Problem) as refusal:
            check(body)
        assert refusal.value.details["errors"] == {unknown: ["Unknown field."]}


@pytest.mark.parametrize("count", [256, 257])
def test_how_many_moves(count: int) -> None:
    body = {"moves": [{"match": "a", "turn": 1, "move": "pass"}] * count}
    assert by_hand(read_batch, body, LIMITS) == by_schema("MoveBatch", body) == (count == 256)
