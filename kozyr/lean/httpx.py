"""httpx without its command line, which would import Pygments and half of rich."""

from kozyr.lean.importing import import_without

import_without("pygments", "httpx")
