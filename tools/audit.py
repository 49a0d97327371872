"""Look for known vulnerabilities in the locked versions. pip-audit runs in an environment of its own.

Exits with 1 if there are any, otherwise with 0. An unreachable advisory service also exits with 0 and prints
SKIPPED: a machine without network access must not fail a build.
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
"""Advisory services, in order of preference."""

Run = Callable[[Sequence[str]], tuple[int, str]]
"""Runs a command and returns its status and output."""


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a command without showing its output."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, encoding="utf-8"
    )
    return done.returncode, done.stdout.strip()


def pip_audit(home: Path, run: Run = run) -> list[str] | str:
    """Return the command of pip-audit, after installing it if necessary, or why it is unavailable."""
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    if run([str(python), "-m", "pip_audit", "--version"])[0] != 0:
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
        status, output = run([*pip, "pip-audit"])
        if status != 0:
            return f"pip-audit could not be installed ({_last_line(output)})"
    return [str(python), "-m", "pip_audit"]


def audit(command: Sequence[str], locks: Sequence[Path], run: Run = run) -> int:
    """Audit the lock files with the first service that answers. Return the exit status."""
    wanted = [word for lock in locks for word in ("--requirement", str(lock))]
    wanted += ["--no-deps", "--disable-pip", "--progress-spinner", "off"]
    reasons = []
    for service in SERVICES:
        with tempfile.TemporaryDirectory() as folder:
            answer = Path(folder) / "answer.json"
            more = ["--vulnerability-service", service, "--format", "json", "--output", str(answer)]
            _, output = run([*command, *wanted, *more])
            try:
                found = json.loads(answer.read_text(encoding="utf-8"))["dependencies"]
            except (OSError, ValueError, KeyError):
                reasons.append(f"{service}: {_last_line(output)}")
                continue
        if any("skip_reason" not in package for package in found):
            return report(found, service)
        reasons.append(f"{service}: it knows none of the packages")
    return skipped("no service that has advisories could be reached (" + "; ".join(reasons) + ")")


def report(found: list[dict[str, Any]], service: str) -> int:
    """Print the findings per package. Return 1 if there is a vulnerability, otherwise 0."""
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
    """Report that nothing was checked."""
    print(f"SKIPPED: {why}. NOTHING WAS CHECKED; run `make audit` again where the network allows it.")
    return 0


def _last_line(output: str) -> str:
    return output.splitlines()[-1][:200] if output else "it said nothing"


def main() -> int:
    command = pip_audit(HOME)
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    return skipped(command) if isinstance(command, str) else audit(command, locks)


if __name__ == "__main__":
    sys.exit(main())
