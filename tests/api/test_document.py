"""The OpenAPI document is valid, current and complete, and real observations fit it."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator

from api.app import create_app
from api.contract import spec
from api.problems import KINDS
from api.services import Services
from engine.game import CHANCE, Game
from engine.match import Match
from engine.registry import GAMES
from league import errors as league_errors
from referee import errors as referee_errors
from tests.api.contract import ApiContract
from tests.support.strict_schemas import from_yaml
from tests.support.tokens import estimated_tokens

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def app() -> Flask:
    return create_app(Services.of_the_document())


@pytest.fixture(scope="module")
def contract(app: Flask) -> ApiContract:
    return ApiContract(app)


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
    ]


DOCUMENTS = pytest.mark.parametrize("name", ["openapi.yaml", "openapi-bot.yaml"])


@DOCUMENTS
def test_the_files_are_current_and_served(app: Flask, name: str) -> None:
    text = (ROOT / name).read_text()
    response = app.test_client().get(f"/{name}")
    assert (response.status_code, response.mimetype) == (200, "application/yaml")
    assert response.text == text, "run `kozyr openapi`"


def test_the_document_for_bots_is_the_players_part_of_the_whole(contract: ApiContract) -> None:
    bots, whole = from_yaml((ROOT / "openapi-bot.yaml").read_text()), contract.document
    of_players = {
        operation["operationId"]: operation
        for _, _, operation in operations(whole)
        if "player" in operation["tags"]
    }
    found = {operation["operationId"]: operation for _, _, operation in operations(bots)}
    assert found.keys() == of_players.keys()
    for name, operation in found.items():
        same = of_players[name].keys() - {"tags", "responses"}
        assert {key: operation[key] for key in same} == {key: of_players[name][key] for key in same}
        answers = of_players[name]["responses"]
        assert all(answers[status] == kept for status, kept in operation["responses"].items() if status < "4")
    for kind, parts in bots["components"].items():
        for name, part in parts.items():
            assert name == "Refusal" or part == whole["components"][kind][name]


def test_the_document_for_bots_makes_ten_tools_that_fit_a_models_context() -> None:
    text = (ROOT / "openapi-bot.yaml").read_text()
    document = from_yaml(text)
    assert len(operations(document)) == 10
    assert estimated_tokens(text) <= 21_000
    for unused in ("NewLadder", "Webhook", "Review", "DuplicateGroup"):
        assert unused not in document["components"]["schemas"]


def test_openapi_yaml_takes_at_most_4_430_bytes_per_operation(contract: ApiContract) -> None:
    count = len(operations(contract.document))
    assert (ROOT / "openapi.yaml").stat().st_size <= 4_430 * count, "share what repeats in `components`"


def test_every_application_of_a_process_has_the_same_document() -> None:
    first, second = (spec.openapi(create_app(Services.of_the_document())) for _ in range(2))
    assert first == second


def test_every_route_is_described_and_no_other(app: Flask, contract: ApiContract) -> None:
    served = {
        (re.sub(r"<(?:[^:>]*:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.rule.startswith(("/docs", "/llms.txt", "/skills"))
    }
    assert served == {(path, method) for path, method, _ in operations(contract.document)}


def test_operations_have_unique_names_and_descriptions(contract: ApiContract) -> None:
    found = operations(contract.document)
    names = [operation["operationId"] for _, _, operation in found]
    assert len(set(names)) == len(names)
    for path, method, operation in found:
        assert operation["summary"], (path, method)
        answers = map(contract.resolved, operation["responses"].values())
        assert all(answer["description"] for answer in answers), (path, method)


def test_every_problem_example_is_a_valid_problem(contract: ApiContract) -> None:
    examples = contract.document["components"]["examples"]
    assert examples.keys() >= KINDS.keys()
    for code in KINDS:
        example = examples[code]
        assert not contract.errors({"$ref": "#/components/schemas/Problem"}, example["value"]), code
    reported = {
        code
        for _, _, operation in operations(contract.document)
        for response in map(contract.resolved, operation["responses"].values())
        for content in response.get("content", {}).values()
        for code in content.get("examples", {})
    } & KINDS.keys()
    assert reported == KINDS.keys()


def test_examples_of_bodies_fit_and_cover_the_way_to_a_move(contract: ApiContract) -> None:
    shown = set()
    for path, method, operation in operations(contract.document):
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            for kind, content in contract.resolved(body).get("content", {}).items():
                for name, example in content.get("examples", {}).items():
                    value = contract.resolved(example)["value"]
                    assert not contract.errors(content["schema"], value), f"{method} {path}: {kind}, {name}"
                    shown.add(name)
    assert shown >= {"NewOwner", "NewBot", "NewMatch", "TurnList", "Move", "MoveBatch", "MoveResults"}


def test_fields_of_request_bodies_have_no_default(contract: ApiContract) -> None:
    """Generated types would require them."""
    schemas = contract.document["components"]["schemas"]
    for name in ("NewMatch", "NewBot", "MatchPolicyInput", "Clock", "Options", "MoveBatch"):
        assert not any("default" in field for field in schemas[name]["properties"].values()), name
    assert schemas["Clock"]["properties"]["strikes"]["description"].endswith("Default: `3`")


def schemas_of(document: dict[str, Any], parts: list[Any]) -> dict[str, Any]:
    """Return the schemas that these parts of the document refer to, by name."""
    reached: dict[str, Any] = {}
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        elif isinstance(part, dict):
            parts += part.values()
            _, _, place = str(part.get("$ref", "")).partition("#/components/")
            kind, _, name = place.partition("/")
            if kind in ("schemas", "responses") and place not in reached:
                reached[place] = document["components"][kind][name]
                parts.append(reached[place])
    return {place.partition("/")[2]: part for place, part in reached.items() if place.startswith("schemas/")}


def refusing(part: Any) -> bool:
    """Return whether a schema, or one inside it, refuses unknown fields."""
    if isinstance(part, list):
        return any(map(refusing, part))
    return isinstance(part, dict) and (
        part.get("additionalProperties") is False or any(map(refusing, part.values()))
    )


def test_response_schemas_permit_unknown_fields_and_request_schemas_refuse_them(
    contract: ApiContract,
) -> None:
    document = contract.document
    found = [operation for _, _, operation in operations(document)]
    sent = schemas_of(
        document, [operation["requestBody"] for operation in found if "requestBody" in operation]
    )
    received = schemas_of(document, [operation["responses"] for operation in found])
    assert {"Bot", "TurnList", "DurakObservation", "Problem"} <= received.keys()
    assert [name for name, schema in received.items() if name not in sent and refusing(schema)] == []
    objects = {name for name, schema in sent.items() if "properties" in schema}
    assert objects >= {"NewMatch", "NewBot", "Clock", "Options", "MoveBatch"}
    assert [name for name in objects if sent[name].get("additionalProperties") is not False] == []


def test_the_tests_find_a_response_field_that_the_document_lacks(contract: ApiContract) -> None:
    bot = {"$ref": "#/components/schemas/Bot"}
    example = contract.document["components"]["examples"]["BotExample"]["value"]
    assert contract.errors(bot, example) == []
    assert contract.errors(bot, {**example, "undocumented": 1})
    published = Draft202012Validator({**bot, "components": contract.document["components"]})
    assert published.is_valid({**example, "undocumented": 1})


def test_every_refusal_has_its_code_in_the_list() -> None:
    for module, base in ((referee_errors, "RefereeError"), (league_errors, "LeagueError")):
        kinds = getattr(module, base).__subclasses__()
        assert kinds
        assert {kind.code for kind in kinds} <= KINDS.keys()


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_real_events_and_observations_fit_their_schemas_and_those_of_no_other_game(
    game: type[Game], contract: ApiContract
) -> None:
    def validator(name: str) -> Draft202012Validator:
        return Draft202012Validator(contract.strict({"$ref": f"#/components/schemas/{name}"}))

    event, own = validator("MatchEvent"), validator(f"{game.__name__}Observation")
    others = [validator(f"{other.__name__}Observation") for other in GAMES.values() if other is not game]
    rng = Random(f"observations of {game.id}")
    for seats in game.seat_counts:
        match = Match(game.table(seats, {}), None if game.fixed_deals else 1)
        state = match.begin()
        for step in count():
            if state.over:
                break
            if state.to_move == CHANCE:
                state = match.deal(state, rng.sample(match.game.pack, len(match.game.pack)))
                events = match.deal_events(state)
            else:
                seat, move = state.to_move, rng.choice(state.deal.legal)
                before, state = state, match.play(state, state.to_move, move)
                events = match.events(before, seat, move, state)
            for viewer in (0, None):
                for each in events:
                    wrong = [error.message for error in event.iter_errors({"n": 1, **each.view(viewer)})]
                    assert not wrong, wrong[0]
            if step % 12 == 1 and not state.over and state.to_move != CHANCE:
                for viewer in (*range(seats), None):
                    seen = match.view(state, viewer)
                    wrong = [error.message for error in own.iter_errors(seen)]
                    assert not wrong, wrong[0]
                assert not any(other.is_valid(seen) for other in others)
