"""What moves over HTTP are measured beside: a Flask application that answers with a constant."""

from flask import Flask

app = Flask(__name__)


@app.get("/")
def constant() -> tuple[bytes, dict[str, str]]:
    """Two bytes."""
    return b"{}", {"Content-Type": "application/json"}
