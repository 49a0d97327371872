"""The baseline for moves over HTTP: a Flask application with a constant response."""

from flask import Flask

app = Flask(__name__)


@app.get("/")
def constant() -> tuple[bytes, dict[str, str]]:
    """Return two bytes."""
    return b"{}", {"Content-Type": "application/json"}
