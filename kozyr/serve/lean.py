"""Import large packages without what no process of the service uses.

Only after gevent has patched: redis-py and Flask are among them.
"""

from kozyr.extras import import_without, patterns_on_use

with patterns_on_use("marshmallow.validate"):  # the pattern of e-mail addresses, which no schema has
    import_without("yaml", "flask_smorest")  # a command of flask-smorest would write YAML
import_without("opentelemetry", "redis")  # redis-py would report to it
