"""The tests of this folder need requirements/adapters.txt, which `make test` installs.

Without it they are not collected, and `test_installed.py` fails, so that nothing is skipped silently.
"""

from importlib.util import find_spec

MISSING = [name for name in ("numpy", "pyspiel", "pettingzoo") if find_spec(name) is None]

collect_ignore = (
    ["test_docs.py", "test_encoding.py", "test_open_spiel.py", "test_pettingzoo.py"] if MISSING else []
)
