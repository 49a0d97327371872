"""Looks for known vulnerabilities in what requirements.lock pins, with pip-audit in an environment of its own: what
audits is no part of what is audited.

Ends with 1 when there are any and with 0 when there are none, and also when nothing could be looked up, which it
says in plain words: a machine without a way to the advisories is no reason to stop a build there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
HOME: Final = ROOT / ".venv-audit"
SERVICES: Final = ("pypi", "osv")
"""Who keeps advisories: the one is asked when the other can't be reached."""

Run = Callable[[Sequence[str]], tuple[int, str]]
"""Runs a command; gives its status, and what it said."""


def run(command: Sequence[str]) -> tuple[int, str]:
    """A command as a process. Nothing of it is shown."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout.strip()


def pip_audit(home: Path, run: Run = run) -> list[str] | str:
    """The command that is pip-audit, installed if it is not; or why there is none."""
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    if run([str(python), "-m", "pip_audit", "--version"])[0] != 0:
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
        status, said = run([*pip, "pip-audit"])
        if status != 0:
            return f"pip-audit could not be installed ({_last_line(said)})"
    return [str(python), "-m", "pip_audit"]


def audit(command: Sequence[str], lock: Path, run: Run = run) -> int:
    """Asks one service, or the next. Returns the status to end with."""
    wanted = ["--requirement", str(lock), "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    reasons = []
    for service in SERVICES:
        with tempfile.TemporaryDirectory() as folder:
            answer = Path(folder) / "answer.json"
            more = ["--vulnerability-service", service, "--format", "json", "--output", str(answer)]
            _, said = run([*command, *wanted, *more])
            try:
                found = json.loads(answer.read_text())["dependencies"]
            except (OSError, ValueError, KeyError):
                reasons.append(f"{service}: {_last_line(said)}")
                continue
        if any("skip_reason" not in package for package in found):
            return told(found, service)
        reasons.append(f"{service}: it knows none of the packages")
    return skipped("no service that has advisories could be reached (" + "; ".join(reasons) + ")")


def told(found: list[dict[str, Any]], service: str) -> int:
    """Says what is known of each package. Returns 1 if any of it is a vulnerability."""
    for package in found:
        if "skip_reason" in package:
            print(f"not checked: {package['name']}: {package['skip_reason']}")
        for one in package.get("vulns", []):
            fixed = ", ".join(one.get("fix_versions", [])) or "no version yet"
            print(f"VULNERABLE: {package['name']} {package['version']}: {one['id']}; mended in {fixed}")
    checked = [package for package in found if "skip_reason" not in package]
    bad = [package for package in checked if package.get("vulns")]
    print(
        f"{len(checked)} packages were checked with {service}: {len(bad) or 'none'} with known vulnerabilities"
    )
    return 1 if bad else 0


def skipped(why: str) -> int:
    """Says that nothing was checked."""
    print(f"SKIPPED: {why}. NOTHING WAS CHECKED; run `make audit` again where the network allows it.")
    return 0


def _last_line(said: str) -> str:
    return said.splitlines()[-1][:200] if said else "it said nothing"


def main() -> int:
    """See the module."""
    command = pip_audit(HOME)
    return skipped(command) if isinstance(command, str) else audit(command, ROOT / "requirements.lock")


if __name__ == "__main__":
    sys.exit(main())
