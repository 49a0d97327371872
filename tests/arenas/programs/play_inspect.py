"""Evaluate a mock model in two matches of the game in the arguments. Print the scores and the matches."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import scripted
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_task import kozyr


def model(messages: list[Any], *_: object) -> ModelOutput:
    """Call the tool that comes next."""
    output = called(messages[-1].text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def called(text: str) -> ModelOutput:
    """Return the call of a tool, or a last message."""
    if "is over (" in text:
        return ModelOutput.from_content("mockllm", "The match is over.")
    if (task := re.search(r"match of (\w+) against (\S+) ", text)) is not None:
        return ModelOutput.for_tool_call("mockllm", "start_match", {"game": task[1], "opponent": task[2]})
    turn = re.search(r"match (\w+), turn (\d+)", text)
    if turn is None or scripted.HEAD not in text:
        return ModelOutput.for_tool_call("mockllm", "wait", {})
    move = {"match": turn[1], "turn": int(turn[2]), "move": scripted.first_move(text)}
    return ModelOutput.for_tool_call("mockllm", "play", move)


mock = get_model("mockllm/model", custom_outputs=model)
(log,) = evaluate(kozyr(sys.argv[1], matches=2), model=mock, display="none", log_dir=sys.argv[2])
assert log.status == "success", log.error
print(
    json.dumps([[sample.scores["beaten"].value, sample.scores["beaten"].metadata] for sample in log.samples])
)
