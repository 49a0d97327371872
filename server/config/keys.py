"""The key that signs records: from the settings, or generated in var/."""

from __future__ import annotations

import re
from pathlib import Path

from referee.proofs.proof import SigningKey
from server.config.folder import kept_secret
from server.config.settings import SettingError, Settings

RIGHT = (
    "it should be an Ed25519 key: 64 hexadecimal digits, or a file with these or in PEM format without a password "
    "(`openssl genpkey -algorithm ed25519` generates one)"
)


def signing_key(settings: Settings) -> SigningKey:
    """Return the key. Raise `SettingError` if it is invalid."""
    return SigningKey(_seed(settings))


def _seed(settings: Settings) -> bytes:
    given = settings.signing_key
    if given is None:
        try:
            return bytes.fromhex(kept_secret(settings, "signing-key"))
        except (OSError, ValueError) as why:
            right = f"no key is set, and none can be stored in {settings.var} ({why})"
            raise SettingError("KOZYR_SIGNING_KEY", "", right) from None
    try:
        text = given if _is_seed(given) else Path(given).read_text(encoding="ascii").strip()
        if _is_seed(text):
            return bytes.fromhex(text)
        from cryptography.hazmat.primitives import serialization  # loads the formats of all kinds of keys
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key = serialization.load_pem_private_key(text.encode(), password=None)
    except (OSError, ValueError, TypeError):
        raise SettingError("KOZYR_SIGNING_KEY", "…", RIGHT) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingError("KOZYR_SIGNING_KEY", "…", RIGHT)
    return key.private_bytes_raw()


def _is_seed(text: str) -> bool:
    return re.fullmatch("[0-9a-fA-F]{64}", text) is not None
