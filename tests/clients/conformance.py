"""The conformance check of a bot by `kozyr check`, on a machine that may be busy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.live.league import LiveLeague
from tests.support.live import ROOT

TRIES: Final = 3
"""A turn of a check has three seconds. A busy machine may need longer, so a check with a timeout is repeated."""
FAULTS: Final = 8
"""How many faults a conformance check injects."""


def passes_with_all_faults(
    league: LiveLeague, command: Sequence[str], folder: Path, *, client: bool = True
) -> None:
    """Assert that a program, by default a client, passes as a bot of this league, and meets every fault.

    Each try has a bot of its own. The check of a bot that was online a moment ago begins without waiting for it.
    """
    kozyr = [
        sys.executable,
        "-m",
        "kozyr.cli.main",
        "check",
        "--json",
        *(["--client"] if client else []),
        "--",
        *command,
    ]
    for attempt in range(TRIES):
        bot = league.bot(f"checked-{attempt}")
        at = {"KOZYR_URL": league.service.url, "KOZYR_TOKEN": bot.token, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            kozyr,
            cwd=folder,
            env={**os.environ, **at},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.stdout, done.stderr
        verdict: Any = json.loads(done.stdout)
        if not any("timed out" in reason for reason in verdict["reasons"]):
            break
    assert verdict["status"] == "passed", (verdict, done.stderr)
    assert len({met["fault"] for met in verdict["faults_met"]}) == FAULTS
