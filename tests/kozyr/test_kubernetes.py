"""deploy/kubernetes: the overlays build, fit the schemas of Kubernetes, and keep the rules for pods.

Without kubectl or kustomize the overlays are not built, and only the files of the base are validated.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
import yaml

from kozyr.cli.main import main
from kozyr.config.settings import load

ROOT = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes"
OVERLAYS = sorted(path.name for path in (ROOT / "overlays").iterdir())
PROCESSES = {"api", "clock", "worker"}
SECRETS = {"KOZYR_SECRET": "s" * 32, "KOZYR_SIGNING_KEY": "ab" * 32}
VERSION = kubernetes_validate.latest_version()

Resource = Mapping[str, Any]


def built(overlay: str) -> list[Resource]:
    """Return the resources of an overlay."""
    command = next(
        (words for words in (["kubectl", "kustomize"], ["kustomize", "build"]) if shutil.which(words[0])),
        None,
    )
    if command is None:
        pytest.skip("needs kubectl or kustomize")
    done = subprocess.run(
        [*command, ROOT / "overlays" / overlay], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


@pytest.fixture(params=OVERLAYS)
def resources(request: pytest.FixtureRequest) -> list[Resource]:
    return built(request.param)


def of_kind(resources: list[Resource], *kinds: str) -> list[Resource]:
    return [each for each in resources if each["kind"] in kinds]


def pods(resources: list[Resource]) -> Iterator[tuple[str, Resource]]:
    """Yield the name and the template of every pod."""
    for each in of_kind(resources, "Deployment", "StatefulSet"):
        yield each["metadata"]["name"], each["spec"]["template"]


def test_every_resource_fits_its_schema(resources: list[Resource]) -> None:
    for each in resources:
        kubernetes_validate.validate(each, VERSION, strict=True)


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("base/*.yaml"), *ROOT.glob("components/*/*.yaml")]), ids=lambda path: path.name
)
def test_every_file_of_the_base_and_the_components_fits_its_schema(path: Path) -> None:
    for each in yaml.safe_load_all(path.read_text()):
        if each["kind"] not in ("Kustomization", "Component"):
            kubernetes_validate.validate(each, VERSION, strict=True)


def test_a_wrong_field_does_not_fit() -> None:
    """The check of the check."""
    wrong = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "datum": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSION, strict=True)


def test_every_pod_runs_without_rights(resources: list[Resource]) -> None:
    for name, template in pods(resources):
        spec = template["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert spec["automountServiceAccountToken"] is False, name
        for container in [*spec["containers"], *spec.get("initContainers", ())]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name


def test_every_container_has_probes_and_bounds(resources: list[Resource]) -> None:
    for name, template in pods(resources):
        for container in template["spec"]["containers"]:
            assert {"startupProbe", "livenessProbe"} <= container.keys(), name
            assert container["resources"]["limits"]["memory"], name
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}, name


def test_every_process_runs_a_command_of_ours_and_checks_its_own_health(resources: list[Resource]) -> None:
    found = {name.removeprefix("kozyr-"): template for name, template in pods(resources) if "kozyr-" in name}
    assert found.keys() == PROCESSES
    for kind, template in found.items():
        (container,) = template["spec"]["containers"]
        assert container["args"] == [kind]
        assert kind in main.commands
        if kind != "api":
            assert container["livenessProbe"]["exec"]["command"] == ["kozyr", "healthy", kind]


def test_the_settings_are_valid(resources: list[Resource]) -> None:
    (settings,) = (each for each in of_kind(resources, "ConfigMap") if each["metadata"]["name"] == "kozyr")
    ours = {name: value for name, value in settings["data"].items() if name.startswith("KOZYR_")}
    found = load({**ours, **SECRETS})
    assert found.redis_url is not None
    assert found.hot_ms > 0


def test_every_selector_finds_its_pods(resources: list[Resource]) -> None:
    labels = [template["metadata"]["labels"] for _, template in pods(resources)]

    def finds(wanted: Mapping[str, str]) -> bool:
        return any(wanted.items() <= each.items() for each in labels)

    for each in of_kind(resources, "Service"):
        assert finds(each["spec"]["selector"]), each["metadata"]
    for each in of_kind(resources, "Deployment", "StatefulSet", "PodDisruptionBudget"):
        assert finds(each["spec"]["selector"]["matchLabels"]), each["metadata"]
    for policy in of_kind(resources, "NetworkPolicy"):
        assert finds(policy["spec"]["podSelector"].get("matchLabels", {})), policy["metadata"]
        for rule in policy["spec"].get("ingress", ()):
            for source in rule["from"]:
                if source.keys() == {"podSelector"}:
                    assert finds(source["podSelector"].get("matchLabels", {})), policy["metadata"]


def test_the_autoscaler_alone_sets_the_number_of_api_pods(resources: list[Resource]) -> None:
    (scaler,) = of_kind(resources, "HorizontalPodAutoscaler")
    target = scaler["spec"]["scaleTargetRef"]
    (scaled,) = (
        each
        for each in resources
        if each["kind"] == target["kind"] and each["metadata"]["name"] == target["name"]
    )
    assert "replicas" not in scaled["spec"]
    assert scaler["spec"]["minReplicas"] >= 2
    (container,) = scaled["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["requests"]["cpu"], "utilization is relative to the request"


def test_an_update_starts_a_pod_before_it_stops_one(resources: list[Resource]) -> None:
    for each in of_kind(resources, "Deployment"):
        if each["metadata"]["name"].startswith("kozyr-"):
            assert each["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_every_process_keeps_a_pod_when_nodes_are_drained(resources: list[Resource]) -> None:
    budgets = {each["metadata"]["name"] for each in of_kind(resources, "PodDisruptionBudget")}
    assert {f"kozyr-{kind}" for kind in PROCESSES} <= budgets


def test_the_trial_keeps_its_archive_in_a_server_of_its_own() -> None:
    """The address, the bucket, the keys and the open port fit together."""
    resources = built("trial")
    (settings,) = (each for each in of_kind(resources, "ConfigMap") if each["metadata"]["name"] == "kozyr")
    server, bucket = (urlsplit(settings["data"][name]) for name in ("AWS_ENDPOINT_URL", "KOZYR_ARCHIVE_URL"))
    (service,) = (
        each for each in of_kind(resources, "Service") if each["metadata"]["name"] == server.hostname
    )
    assert [port["port"] for port in service["spec"]["ports"]] == [server.port]
    spec = dict(pods(resources))["s3"]["spec"]
    (container,) = spec["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [server.port]
    assert f"{container['args'][-1]}/{bucket.hostname}" in spec["initContainers"][0]["command"]
    assert settings["data"]["AWS_REGION"] in container["args"]
    keys = {each["valueFrom"]["secretKeyRef"]["key"] for each in container["env"]}
    assert keys == {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    allowed = [
        port["port"]
        for policy in of_kind(resources, "NetworkPolicy")
        for rule in policy["spec"].get("egress", ())
        if {"podSelector": {"matchLabels": service["spec"]["selector"]}} in rule["to"]
        for port in rule["ports"]
    ]
    assert allowed == [server.port]


def test_nothing_is_open_that_no_policy_names(resources: list[Resource]) -> None:
    (nothing,) = (
        each for each in of_kind(resources, "NetworkPolicy") if each["metadata"]["name"] == "nothing"
    )
    assert nothing["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


@pytest.mark.parametrize("script", sorted(ROOT.rglob("*.sh")), ids=lambda path: path.name)
def test_a_script_is_valid(script: Path) -> None:
    subprocess.run(["sh", "-n", script], check=True)
