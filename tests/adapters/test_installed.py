"""The tests of the adapters can run."""

from tests.adapters.conftest import MISSING


def test_the_libraries_of_the_adapters_are_installed() -> None:
    assert not MISSING, f"not installed: {', '.join(MISSING)}; `make test` installs them"
