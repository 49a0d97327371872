"""structlog without rich, which would colour tracebacks on terminals."""

from kozyr.lean.importing import import_without

import_without("rich", "structlog")
