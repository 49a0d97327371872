"""redis-py without OpenTelemetry, to which it would report."""

from kozyr.lean.importing import import_without

import_without("opentelemetry", "redis")
