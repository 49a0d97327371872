"""That the tests of the adapters can run at all."""

from tests.adapters.conftest import MISSING


def test_what_the_adapters_need_is_installed() -> None:
    assert not MISSING, f"not installed: {', '.join(MISSING)}; `make test` installs them"
