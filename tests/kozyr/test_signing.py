"""The key that signs records: given in one of three forms, or created once and kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from referee.proofs.proof import SigningKey
from server.config.keys import signing_key
from server.config.settings import SettingError, Settings

SEED = bytes(range(32))
PEM = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def test_a_key_is_generated_once_and_readable_by_this_user_only(tmp_path: Path) -> None:
    settings = Settings(var=tmp_path)
    assert signing_key(settings).public == signing_key(settings).public
    assert stat.S_IMODE((tmp_path / "signing-key").stat().st_mode) == 0o600
    assert signing_key(Settings(var=tmp_path / "other")).public != signing_key(settings).public


@pytest.mark.parametrize("form", ["hex", "file", "pem"])
def test_a_key_in_the_settings_is_used(tmp_path: Path, form: str) -> None:
    file = tmp_path / "key"
    pem = Ed25519PrivateKey.from_private_bytes(SEED).private_bytes(*PEM)
    file.write_bytes(pem if form == "pem" else SEED.hex().encode())
    given = SEED.hex() if form == "hex" else str(file)
    assert signing_key(Settings(var=tmp_path, signing_key=given)).public == SigningKey(SEED).public
    assert not (tmp_path / "signing-key").exists()


@pytest.mark.parametrize("bad", ["abc", "no/such/file", "x25519"])
def test_an_invalid_key_is_refused_and_not_revealed(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "x25519"
    file.write_bytes(X25519PrivateKey.generate().private_bytes(*PEM))
    with pytest.raises(SettingError, match="Ed25519") as reported:
        signing_key(Settings(var=tmp_path, signing_key=str(file) if bad == "x25519" else bad))
    assert bad not in str(reported.value)
