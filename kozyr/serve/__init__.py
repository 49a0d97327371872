"""The processes of a running service and their supervisor."""

import sys


def _import_structlog_without_rich() -> None:
    """Import structlog as where rich is not installed.

    With rich, which only colours tracebacks on terminals, structlog takes a tenth of the start of an API worker.
    """
    if "structlog" in sys.modules or "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment]  # an import of it raises ImportError
    try:
        import structlog  # noqa: F401
    finally:
        del sys.modules["rich"]


_import_structlog_without_rich()
