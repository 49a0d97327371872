"""An Inspect evaluation: a language model plays matches through Kozyr's tools (MCP).

    KOZYR_URL=… KOZYR_TOKEN=… inspect eval examples/arenas/inspect_task.py --model MODEL -T game=king

KOZYR_URL and KOZYR_TOKEN name the service and the bot (docs/agents.md). Each sample is a match against house bots. The
score is the share of the other seats that the model beats, where equal places count one half; 0 if it does not finish.
"""

from __future__ import annotations

import os
import re

import httpx
from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.tool import mcp_server_http

PROMPT = "Play one match to its end with the tools. Wait for your turns, and stop when the match is over."


def service() -> tuple[str, dict[str, str]]:
    """Return the service's address and the headers of its requests."""
    return os.environ["KOZYR_URL"], {"Authorization": f"Bearer {os.environ['KOZYR_TOKEN']}"}


@task
def kozyr(game: str = "durak", opponent: str = "house/greedy", matches: int = 10) -> Task:
    """Return an evaluation with this number of matches."""
    url, headers = service()
    tools = mcp_server_http(name="kozyr", url=f"{url}/mcp", headers=headers)
    ask = f"Start a match of {game} against {opponent} and play it."
    return Task(
        dataset=[Sample(id=number, input=ask) for number in range(1, matches + 1)],
        # The turn says all, so a long history may be cut.
        solver=react(prompt=PROMPT, tools=[tools], submit=False, truncation="auto"),
        scorer=beaten(),
    )


@scorer(metrics=[mean(), stderr()])
def beaten() -> Scorer:
    """Score the match that the model has started, by the service's result."""

    async def score(state: TaskState, target: Target) -> Score:
        found = re.search(r"match (\w+), turn", "\n".join(message.text for message in state.messages))
        if found is None:
            return Score(value=0.0, explanation="The model started no match.")
        url, headers = service()
        async with httpx.AsyncClient(base_url=url, headers=headers) as http:
            match = (await http.get(f"/v1/matches/{found[1]}")).raise_for_status().json()
        if match["status"] != "finished":
            return Score(value=0.0, explanation="The match is not over.", metadata={"match": match["id"]})
        own = match["places"][match["seat"]]
        others = [place for seat, place in enumerate(match["places"]) if seat != match["seat"]]
        value = sum(0.5 if place == own else float(place > own) for place in others) / len(others)
        return Score(value=value, explanation=f"Place {own}.", metadata={"match": match["id"]})

    return score
