"""Our verification of Ed25519 signatures agrees with RFC 8032 and with the library that makes them."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from records.ed25519 import is_valid

ORDER = 2**252 + 27742317777372353535851937790883648493
# RFC 8032, section 7.1: tests 1 to 3.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_the_signatures_of_the_standard_are_valid(key: str, message: str, signature: str) -> None:
    assert is_valid(bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature))


@given(seed=st.binary(min_size=32, max_size=32), message=st.binary(max_size=80), place=st.integers(0, 1023))
def test_a_signature_is_valid_until_any_bit_changes(seed: bytes, message: bytes, place: int) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    parts = [private.public_key().public_bytes_raw(), message, private.sign(message)]
    assert is_valid(*parts)
    found = [len(part) * 8 for part in parts]
    changed, place = 0, place % sum(found)
    while place >= found[changed]:
        place -= found[changed]
        changed += 1
    data = bytearray(parts[changed])
    data[place // 8] ^= 1 << place % 8
    parts[changed] = bytes(data)
    assert not is_valid(*parts)


def test_a_second_form_of_a_signature_is_refused() -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    key, signature = private.public_key().public_bytes_raw(), private.sign(b"text")
    larger = int.from_bytes(signature[32:], "little") + ORDER
    assert not is_valid(key, b"text", signature[:32] + larger.to_bytes(32, "little"))


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_key_or_a_signature_of_another_length_is_refused(length: int) -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    key, signature = private.public_key().public_bytes_raw(), private.sign(b"text")
    assert not is_valid(key.ljust(length, b"0")[:length], b"text", signature)
    assert length == 64 or not is_valid(key, b"text", signature.ljust(length, b"0")[:length])


@given(key=st.binary(min_size=32, max_size=32), signature=st.binary(min_size=64, max_size=64))
def test_any_bytes_are_refused(key: bytes, signature: bytes) -> None:
    assert not is_valid(key, b"text", signature)
