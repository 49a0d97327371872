"""Creations whose answer must not get lost, because only it has the new token.

The Idempotency-Key of each is a file beside the profiles until the answer is kept: an interrupted command that is
given again sends the same key, and gets the same answer. The file has mode 0600: who has the key can read the answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kozyr.cli.author.profiles import ProfileError
from kozyr.cli.errors import may_come_back

if TYPE_CHECKING:
    from kozyr_client import Client


@contextlib.contextmanager
def creation(client: Client, path: str, body: Mapping[str, Any], folder: Path) -> Iterator[Any]:
    """Send a POST that creates something, and yield the answer. Forget the key when the block ends without an error,
    which has kept the answer, or when the service refuses. Raise `KozyrError` and `ProfileError`.
    """
    from kozyr_client import KozyrError

    digest = hashlib.sha256(json.dumps([client.url, path, body], sort_keys=True).encode()).hexdigest()
    file = folder / f"pending-{digest[:32]}"
    try:
        made = client.request("POST", path, body=dict(body), key=_key_in(file))
    except KozyrError as why:
        if not may_come_back(why):
            file.unlink(missing_ok=True)
        raise
    yield made
    file.unlink(missing_ok=True)


def _key_in(file: Path) -> str:
    """Return the key in the file, or a new one that is kept there. Raise `ProfileError`."""
    from kozyr_client.http import new_key

    try:
        number, name = tempfile.mkstemp(dir=file.parent, prefix=".pending-")
        with os.fdopen(number, "w", encoding="utf-8") as fresh:
            fresh.write(new_key())
        try:
            # Unlike writing in place, this never leaves a part of a key.
            os.link(name, file)
        except FileExistsError:
            pass
        finally:
            Path(name).unlink()
        return file.read_text(encoding="utf-8")
    except OSError as why:
        raise ProfileError(f"{file} can't be written: {why.strerror}") from None
