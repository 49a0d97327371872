"""The tests of this folder need requirements/adapters.txt, which `make test` installs.

Without it they are not collected, and `test_installed.py` fails, so that nothing is skipped silently.
"""

from importlib.util import find_spec

MISSING = [name for name in ("numpy", "pyspiel", "pettingzoo") if find_spec(name) is None]

NEEDING = ["docs", "encoding", "learned_king", "learning", "open_spiel", "pettingzoo"]
collect_ignore = [f"test_{name}.py" for name in NEEDING] if MISSING else []
