"""flask-smorest without YAML, which one of its commands writes, and marshmallow, which comes with it.

No schema has an e-mail address, so marshmallow compiles the pattern of one only if it is used.
"""

from kozyr.lean.importing import import_without, patterns_on_use

with patterns_on_use("marshmallow.validate"):
    import_without("yaml", "flask_smorest")
