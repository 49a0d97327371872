"""Settings come from the environment, are refused with a reason, and have their documentation in their definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.config.settings import SettingError, Settings, as_markdown, load, rows, shown

ROOT = Path(__file__).resolve().parents[2]


def test_settings_survive_the_way_to_another_process() -> None:
    there = Settings(
        port=9000,
        redis_url="redis://kozyr:p%2Cw@a:7000,[::1]:7001,b",
        queue_redis_url="redis://queue",
        secret="x" * 40,
        redis_cluster=True,
        max_wait_s=1.5,
        hot_days=0.5,
        archive_url="s3://bucket/prefix",
    )
    assert load(there.environment()) == there


@pytest.mark.parametrize(
    ("variable", "value", "right"),
    [
        ("KOZYR_PORT", "0", "from 1 to 65535"),
        ("KOZYR_METRICS_PORT", "8000", "differ from KOZYR_PORT"),
        ("KOZYR_PORT", "http", "a whole number"),
        ("KOZYR_MAX_WAIT_S", "nan", "a number of seconds"),
        ("KOZYR_MAX_WAIT_S", "inf", "a number of seconds"),
        ("KOZYR_APPENDFSYNC", "sometimes", "always, everysec, no"),
        ("KOZYR_REDIS_URL", "localhost:6379", "redis://"),
        ("KOZYR_REDIS_URL", "redis://", "redis://"),
        ("KOZYR_REDIS_URL", "redis://host:port", "redis://"),
        ("KOZYR_REDIS_CLUSTER", "perhaps", "yes or no"),
        ("KOZYR_REDIS_CLUSTER", "yes", "KOZYR_QUEUE_REDIS_URL"),
        ("KOZYR_REDIS_URL", "redis+sentinel://host", "redis+sentinel://"),
        ("KOZYR_REDIS_URL", "redis://a:7000,b:7001", "several nodes need KOZYR_REDIS_CLUSTER=yes"),
        ("KOZYR_REDIS_URL", "redis://a:7000,", "redis://user:password@host:port,host:port"),
        ("KOZYR_REDIS_URL", "redis://a:7000,b:x", "redis://user:password@host:port,host:port"),
        ("KOZYR_QUEUE_REDIS_URL", "redis://a:7000,b:7001", "redis://user:password@host:port/db"),
        ("KOZYR_ARCHIVE_URL", "archive", "s3://bucket/prefix"),
        ("KOZYR_ARCHIVE_URL", "s3://", "s3://bucket/prefix"),
        ("KOZYR_VAR", __file__, "a folder"),
        ("KOZYR_OPEN_REGISTRATION", "closed", "open, invitation"),
        ("KOZYR_TRUSTED_PROXIES", "10.0.0.1/8", "IP addresses or networks"),
        ("KOZYR_CORS_ORIGINS", "https://class.example/page", "origins"),
        ("KOZYR_CORS_ORIGINS", "class.example", "origins"),
        ("KOZYR_CORS_ORIGINS", "https://a.example,*", "origins"),
        ("KOZYR_REDIS_CA", "/nowhere/ca.pem", "an existing file"),
        ("KOZYR_REDIS_CA", __file__, "KOZYR_REDIS_URL=rediss://"),
        ("KOZYR_PROT", "8000", "did you mean KOZYR_PORT"),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_and_what_is_allowed(
    variable: str, value: str, right: str
) -> None:
    with pytest.raises(SettingError) as refusal:
        load({variable: value})
    assert variable in str(refusal.value)
    assert value in str(refusal.value)
    assert right in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("redis://a:7000,b:7001/3", "only database 0"),
        ("redis://a:7000,redis://b:7001", "the nodes come last"),
        ("redis://a:7000/0,b:7001", "the nodes come last"),
        ("redis+sentinel://a,b/name", "does not name nodes of a cluster"),
        ("unix:///path/to/socket", "does not name nodes of a cluster"),
    ],
)
def test_an_address_that_names_no_nodes_of_a_cluster_is_refused(url: str, reason: str) -> None:
    cluster = {"KOZYR_REDIS_CLUSTER": "yes", "KOZYR_QUEUE_REDIS_URL": "redis://queue"}
    with pytest.raises(SettingError) as refusal:
        load({**cluster, "KOZYR_REDIS_URL": url})
    assert "KOZYR_REDIS_URL" in str(refusal.value)
    assert reason in str(refusal.value)
    assert "should be redis://user:password@host:port,host:port" in str(refusal.value)


def test_a_cluster_needs_the_address_of_a_node() -> None:
    with pytest.raises(SettingError, match="it needs KOZYR_REDIS_URL=redis://"):
        load({"KOZYR_REDIS_CLUSTER": "yes", "KOZYR_QUEUE_REDIS_URL": "redis://queue"})


def test_a_refusal_does_not_reveal_a_secret() -> None:
    with pytest.raises(SettingError) as refusal:
        load({"KOZYR_SECRET": "too-short"})
    assert "too-short" not in str(refusal.value)


def test_secrets_are_not_shown_with_the_settings() -> None:
    assert "s3cret" not in repr(Settings(secret="s3cret" * 8, admin_token="s3cret" * 8))


def test_an_address_to_look_at_is_one_that_can_be_opened() -> None:
    assert Settings(host="0.0.0.0", port=80).url == "http://127.0.0.1:80"
    assert Settings(host="::").url == "http://[::1]:8000"
    assert Settings(host="kozyr.example").url == "http://kozyr.example:8000"


def test_the_table_in_the_docs_is_the_one_in_the_code() -> None:
    assert (ROOT / "docs" / "settings.md").read_text() == as_markdown(), "run `make docs`"


def test_settings_that_go_together_are_asked_for_together() -> None:
    url = {"KOZYR_REDIS_URL": "rediss://redis.example/0"}
    with pytest.raises(SettingError, match="it needs KOZYR_REDIS_KEY"):
        load({**url, "KOZYR_REDIS_CERT": __file__})


def test_a_password_in_an_address_is_shown_nowhere() -> None:
    url = "redis://kozyr:hunter2hunter2@redis.example:6379/0"
    settings = load({"KOZYR_REDIS_URL": url})
    assert settings.redis_address == url
    assert "hunter2" not in repr(settings)
    assert shown(rows()["redis_url"], url) == "redis://kozyr:…@redis.example:6379/0"
    with pytest.raises(SettingError) as refused:
        load({"KOZYR_REDIS_URL": url.replace(":6379", ":port")})
    assert "hunter2" not in str(refused.value)


def test_an_invalid_secret_is_not_shown() -> None:
    with pytest.raises(SettingError) as refused:
        load({"KOZYR_SECRET": "too-short"})
    assert "too-short" not in str(refused.value)


def test_origins_have_a_scheme_a_host_and_maybe_a_port() -> None:
    found = load({"KOZYR_CORS_ORIGINS": "https://class.example, http://localhost:8080"})
    assert found.cors_origins == ("https://class.example", "http://localhost:8080")
    assert load({"KOZYR_CORS_ORIGINS": "*"}).cors_origins == ("*",)


def test_trusted_proxies_are_addresses_and_networks() -> None:
    found = load({"KOZYR_TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8,::1"})
    assert [str(network) for network in found.trusted_proxies] == ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]
    assert load(found.environment()) == found


def test_nothing_moves_to_a_folder_that_other_hosts_may_lack() -> None:
    assert load({}).hot_ms == 30 * 86_400_000
    assert load({"KOZYR_HOT_DAYS": "0"}).hot_ms == 0
    remote = {"KOZYR_REDIS_URL": "redis://host"}
    assert load(remote).hot_ms == 0
    assert load({**remote, "KOZYR_ARCHIVE_URL": "/shared", "KOZYR_HOT_DAYS": "0.5"}).hot_ms == 43_200_000


def test_the_queue_uses_the_redis_of_the_matches_unless_it_has_its_own() -> None:
    ours = {"KOZYR_REDIS_URL": "redis://host"}
    assert load(ours).queue_address == "redis://host"
    assert load({**ours, "KOZYR_QUEUE_REDIS_URL": "redis://queue"}).queue_address == "redis://queue"
