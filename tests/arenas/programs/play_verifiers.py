"""Play a match of the game in the arguments. Print the reward, the number of turns, and whether all went well."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import scripted
import verifiers.v1 as vf
from verifiers_env import HouseMatchEnv, HouseMatchEnvConfig, KozyrTasksetConfig

os.environ["SCRIPTED_KEY"] = "none"


async def main(game: str) -> None:
    player = vf.AgentConfig(harness={"id": "chat-harness"}, runtime=vf.SubprocessConfig())
    taskset = KozyrTasksetConfig(id="verifiers-env", game=game)
    env = HouseMatchEnv(HouseMatchEnvConfig(taskset=taskset, player=player))
    client = vf.EvalClientConfig(base_url=scripted.serve(), api_key_var="SCRIPTED_KEY")
    async with env.serving():
        (task,) = env.taskset.take(1)
        episode = await env.run_episode(task, vf.ModelContext(model="scripted", client=client))
    (trace,) = episode.traces
    print(json.dumps([trace.rewards["beaten"].score, trace.num_turns, episode.ok]))


asyncio.run(main(sys.argv[1]))
