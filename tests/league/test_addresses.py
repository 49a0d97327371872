"""Which addresses webhooks may have: no private address in any spelling."""

from __future__ import annotations

import pytest

from league.errors import BadValue
from league.notifications.addresses import checked_url, is_public

PRIVATE = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2130706433",
    "0x7f000001",
    "127.1",
    "0177.0.0.1",
    "localhost",
    "",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "1.1.1.1", "2606:4700:4700::1111"])
def test_a_public_address_is_accepted(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "file:///etc/passwd",
        "https://localhost./",
        "https://service.internal/",
        "https://printer.local/",
        "https://127.0.0.1/",
        "https://8.8.8.8/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://user:password@hooks.example.com/",
        "https://hooks.example.com@127.0.0.1/",
        "https://127.0.0.1\\@hooks.example.com/",
        "https://hooks.example.com:22/",
        "https://hooks.example.com:99999/",
        "https://hooks.example.com/#fragment",
        "https://hooks.example.com/a b",
        "https://hooks.example.com/\r\nHost: other",
        "https://hooks.example.com/é",
        "https://①②⑦.⓪.⓪.①/",
        "https://hooks。example.com/",
        "https://.example.com/",
        "https://" + "a" * 64 + ".example.com/",
        "https://hooks.example.com/" + "a" * 500,
        "hooks.example.com",
        "",
    ],
)
def test_a_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(BadValue):
        checked_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com",
        "https://hooks.example.com/a/b?c=d",
        "https://hooks.example.com:443/",
        "https://hooks.example.com:8443/",
        "https://discord.com/api/webhooks/1234/ab-cd_ef",
        "https://xn--bcher-kva.example/",
    ],
)
def test_an_https_url_with_a_public_name_is_accepted(url: str) -> None:
    assert checked_url(url) == url
