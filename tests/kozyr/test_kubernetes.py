"""deploy/kubernetes: the overlay builds, fits the schemas of Kubernetes, and keeps the rules for pods.

Without kubectl or kustomize it is not built, and only the files of the base are validated.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from server.config.settings import load
from tests.support.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes"
PROCESSES = {"api", "clock", "worker"}
SECRETS = {"KOZYR_SECRET": "s" * 32, "KOZYR_SIGNING_KEY": "ab" * 32}
PASSWORD = "a-password-of-redis"
CUSTOM = {"PodMonitor"}
"""Kinds that an operator brings, whose schemas are not here."""
DOCKERFILE = ROOT.parent / "Dockerfile"
VERSION = kubernetes_validate.latest_version()

Resource = Mapping[str, Any]


@pytest.fixture(scope="module")
def resources() -> list[Resource]:
    """The resources of the overlay."""
    command = next(
        (words for words in (["kubectl", "kustomize"], ["kustomize", "build"]) if shutil.which(words[0])),
        None,
    )
    if command is None:
        pytest.skip("needs kubectl or kustomize")
    done = subprocess.run(
        [*command, ROOT / "overlays" / "single"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def of_kind(resources: list[Resource], *kinds: str) -> list[Resource]:
    return [each for each in resources if each["kind"] in kinds]


def pods(resources: list[Resource]) -> Iterator[tuple[str, Resource]]:
    """Yield the name and the template of every pod."""
    for each in of_kind(resources, "Deployment", "StatefulSet"):
        yield each["metadata"]["name"], each["spec"]["template"]
    for each in of_kind(resources, "CronJob"):
        yield each["metadata"]["name"], each["spec"]["jobTemplate"]["spec"]["template"]


def environment(container: Resource) -> dict[str, str]:
    """Return the variables that a container defines itself, with the references to those before expanded."""
    found: dict[str, str] = {}
    for each in container.get("env", ()):
        from_secret = "secretKeyRef" in each.get("valueFrom", {})
        value = PASSWORD if from_secret else each.get("value", "")
        found[each["name"]] = re.sub(r"\$\((\w+)\)", lambda name: found[name[1]], value)
    return found


def test_every_resource_fits_its_schema(resources: list[Resource]) -> None:
    for each in resources:
        kubernetes_validate.validate(each, VERSION, strict=True)


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("base/*.yaml"), *ROOT.glob("components/*/*.yaml")]), ids=lambda path: path.name
)
def test_every_file_of_the_base_and_the_components_fits_its_schema(path: Path) -> None:
    for each in yaml.safe_load_all(path.read_text()):
        if each["kind"] not in {"Kustomization", "Component", *CUSTOM}:
            kubernetes_validate.validate(each, VERSION, strict=True)


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
            if template["spec"].get("restartPolicy") == "Never":
                assert container["resources"]["limits"]["memory"], name
                continue  # a job ends by itself
            assert {"startupProbe", "livenessProbe"} <= container.keys(), name
            assert container["resources"]["limits"]["memory"], name
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}, name


def test_every_process_runs_a_command_of_ours_and_checks_its_own_health(resources: list[Resource]) -> None:
    found = {name.removeprefix("kozyr-"): template for name, template in pods(resources) if "kozyr-" in name}
    (backup,) = found.pop("backup")["spec"]["containers"]
    assert backup["args"][0] in COMMANDS
    assert backup["args"][-1] in {each["mountPath"] for each in backup["volumeMounts"]}
    assert found.keys() == PROCESSES
    for kind, template in found.items():
        (container,) = template["spec"]["containers"]
        assert container["args"] == [kind]
        assert kind in COMMANDS
        if kind != "api":
            assert container["livenessProbe"]["exec"]["command"] == ["kozyr", "healthy", kind]


def test_the_settings_are_valid(resources: list[Resource]) -> None:
    (settings,) = (each for each in of_kind(resources, "ConfigMap") if each["metadata"]["name"] == "kozyr")
    ours = {name: value for name, value in settings["data"].items() if name.startswith("KOZYR_")}
    addresses = set()
    for name, template in pods(resources):
        if name.startswith("kozyr-"):
            (container,) = template["spec"]["containers"]
            given = {key: value for key, value in environment(container).items() if key.startswith("KOZYR_")}
            found = load({**ours, **SECRETS, **{key: value or "pod" for key, value in given.items()}})
            assert found.hot_ms > 0
            addresses.add((found.redis_url, found.queue_redis_url))
    assert len(addresses) == 1, "all processes have the same Redis"
    assert all(f":{PASSWORD}@" in address for address in addresses.pop() if address is not None)


def test_redis_asks_for_the_password_and_is_the_server_of_the_image(resources: list[Resource]) -> None:
    """`kozyr backup` verifies with the server of the image, which must read what the others write."""
    stage = re.search(r"^FROM (\S+) AS redis$", DOCKERFILE.read_text(), re.MULTILINE)
    assert stage
    (container,) = dict(pods(resources))["redis"]["spec"]["containers"]
    assert container["image"].partition("@")[0] == stage[1].partition("@")[0]
    assert environment(container)["REDISCLI_AUTH"] == PASSWORD
    assert "--requirepass $(REDISCLI_AUTH)" in container["args"]


def test_the_api_is_scraped_as_the_job_that_the_alerts_name(resources: list[Resource]) -> None:
    """By the operator, whose job is a label of the pods, or by the configuration for a plain Prometheus."""
    (monitor,) = yaml.safe_load_all((ROOT / "components" / "pod-monitor" / "pod-monitor.yaml").read_text())
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    template = dict(pods(resources))["kozyr-api"]
    labels = template["metadata"]["labels"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert labels[monitor["spec"]["jobLabel"]] == "kozyr"
    assert endpoint["port"] in {port["name"] for port in template["spec"]["containers"][0]["ports"]}
    plain = yaml.safe_load((ROOT.parent / "monitoring" / "prometheus-kubernetes.yml").read_text())
    (scrape,) = plain["scrape_configs"]
    assert scrape["job_name"] == "kozyr"
    assert scrape["relabel_configs"][0]["regex"] == f"{labels['app.kubernetes.io/name']};{endpoint['port']}"


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


def test_nothing_is_open_that_no_policy_names(resources: list[Resource]) -> None:
    (nothing,) = (
        each for each in of_kind(resources, "NetworkPolicy") if each["metadata"]["name"] == "nothing"
    )
    assert nothing["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
