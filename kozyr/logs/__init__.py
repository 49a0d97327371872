"""Structured logs that hold no secret."""

from kozyr.lean.importing import import_without

import_without("rich", "structlog")  # rich only colours tracebacks on terminals
