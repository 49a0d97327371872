"""The tests of the adapters and those of loading our tables can run."""

from importlib.util import find_spec

from tests.adapters.conftest import MISSING


def test_the_libraries_of_the_adapters_are_installed() -> None:
    assert not MISSING, f"not installed: {', '.join(MISSING)}; `make test` installs them"


def test_the_libraries_that_load_our_tables_are_installed() -> None:
    """`tests/referee/test_loading.py` is skipped without them."""
    missing = [name for name in ("duckdb", "pandas", "polars") if find_spec(name) is None]
    assert not missing, f"not installed: {', '.join(missing)}; `make test` installs them"
