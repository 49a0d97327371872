"""Structured logs that hold no secret."""

from kozyr.extras import import_without

import_without("rich", "structlog")  # rich only colours tracebacks on terminals
