"""Bytes as text: one text per value, so that a changed text is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import base64url


@given(st.binary(max_size=40))
def test_an_encoded_value_decodes_to_itself(data: bytes) -> None:
    assert base64url.decode(base64url.encode(data)) == data


@pytest.mark.parametrize("text", ["AB", "AAB", "A", "AA==", "AA+A", "AA/A", "AA A", "é"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"text|data|ASCII|padding"):
        base64url.decode(text)
