"""The image, compose.yaml and the systemd units run the commands of docs/operations.md."""

import configparser
import re
import shlex
import shutil
import subprocess

import pytest
import yaml
from prefect.events.schemas.automations import AutomationCore

from tests.calling import q2
from tests.conftest import ROOT
from tests.operations import GUIDE

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
UNITS = sorted((ROOT / "examples" / "systemd").glob("*.service"))
TYPED = {
    line.strip()
    for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
    for line in block.splitlines()
}
"""The commands that the guide has one type, which test_operations.py types."""


def commands_of(service):
    """Return the commands of a service of ours as one would type them on this machine."""
    command = service["command"]
    lines = command[2].splitlines() if command[:2] == ["sh", "-ec"] else [shlex.join(command)]
    return [line.replace("0.0.0.0", "127.0.0.1") for line in lines]


OURS = {name: service for name, service in SERVICES.items() if "command" in service}


@pytest.mark.parametrize("name", OURS)
def test_each_service_runs_a_command_of_the_guide(name):
    """Only what the guide has typed once is removed before it is made anew."""
    others = [c for c in commands_of(OURS[name]) if c not in TYPED]
    assert others == (
        [".venv/bin/prefect automation delete q2-dead-runs || true"]
        if name == "deployments"
        else []
    )


def test_the_services_of_the_guide_are_all_there():
    """Server, worker and reports, with PostgreSQL and the deployments before them."""
    assert set(OURS) == {"server", "deployments", "worker", "reports"}
    assert set(SERVICES) - set(OURS) == {"postgres"}


def test_each_service_waits_for_what_it_needs():
    """A dependency is a service; what is waited for as healthy has a check of its health."""
    for service in SERVICES.values():
        for other, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert SERVICES[other]["healthcheck"]["test"]
            else:
                assert SERVICES[other]["restart"] == "no"


def test_nothing_is_open_to_other_machines():
    """The server asks for no password."""
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_volumes_are_declared_and_lie_where_the_deployments_write():
    """The store and the reports of prefect.yaml outlive their container."""
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", ())]
    named = {mount.partition(":")[0] for mount in mounts if not mount.startswith(".")}
    assert named == set(COMPOSE["volumes"])
    targets = {mount.split(":")[1] for mount in OURS["worker"]["volumes"]}
    assert targets == {f"/opt/q2/{folder}" for folder in ("logs", "q2-store", "reports")}


def test_the_history_has_a_password_of_ones_own():
    """There is none by default, and the guide has the command that makes one."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    default, demand = re.findall(r"\$\{POSTGRES_PASSWORD([^}]*)\}", text)
    assert {default[:2], demand[:2]} == {"", ":?"}
    assert "file .env" in default + demand
    assert "POSTGRES_PASSWORD=" in GUIDE
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_what_goes_on_has_a_check_of_its_own():
    """That of the image only starts the program, which says nothing of a server."""
    for name, service in SERVICES.items():
        assert ("healthcheck" in service) == (name != "deployments"), name


def test_the_checks_of_health_are_programs():
    """A typing error would call a sound service sick."""
    for service in OURS.values():
        for test in [service["healthcheck"]["test"]] if "healthcheck" in service else []:
            assert test[:3] == ["CMD", ".venv/bin/python", "-c"]
            compile(test[3], "healthcheck", "exec")


def test_the_image_has_a_user_a_check_and_files_that_exist():
    """It runs without rights, and copies nothing that is not there or left out."""
    assert re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)[-1] not in {"root", "0"}
    assert "HEALTHCHECK" in DOCKERFILE
    assert "whl/cpu" in DOCKERFILE
    copied = re.search(r"^COPY (Makefile .*) \./$", DOCKERFILE, re.MULTILINE)[1].split()
    sent = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    kept = [line.removeprefix("!") for line in sent.splitlines() if line.startswith("!")]
    for pattern in [*copied, *kept]:
        assert list(ROOT.glob(pattern)), pattern
    assert set(copied) <= set(kept)
    rooms = re.search(r"^ROOMS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert {"qsquared", "prefect.yaml", "prefect.toml", *rooms} <= set(kept)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_each_unit_runs_a_command_of_the_guide(unit):
    """In the folder of the checkout, and again after a failure."""
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.optionxform = str
    read.read_string(unit.read_text(encoding="utf-8"))
    service = read["Service"]
    assert service["ExecStart"].replace("/srv/q2/", "") in TYPED
    assert service["WorkingDirectory"] == "/srv/q2"
    assert service["User"] == "q2"
    assert service["Restart"] == "always"


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_each_unit_is_shut_off_from_the_rest_of_the_machine(unit):
    """It gains no rights, and writes only where it has to."""
    lines = unit.read_text(encoding="utf-8").splitlines()
    assert {"NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateTmp=yes"} <= set(lines)
    written = [line for line in lines if line.startswith(("ReadWritePaths=", "StateDirectory="))]
    assert (
        written
        == {
            "q2-worker": ["ReadWritePaths=/srv/q2", "StateDirectory=q2"],
            "q2-server": ["StateDirectory=q2"],
            "q2-reports": [],
        }[unit.stem]
    )


def test_the_address_of_the_webhook_reaches_the_worker():
    """In the container from .env, in the unit from /etc/q2.env; the guide names both."""
    assert set(OURS["worker"]["environment"]) == {"PREFECT_API_URL", "Q2_WEBHOOK"}
    unit = (ROOT / "examples" / "systemd" / "q2-worker.service").read_text(encoding="utf-8")
    assert "EnvironmentFile=-/etc/q2.env" in unit
    assert "Q2_WEBHOOK" in (ROOT / "examples" / "gates.toml").read_text(encoding="utf-8")
    assert GUIDE.count("Q2_WEBHOOK=https://…") == 2


def test_the_commands_for_the_containers_name_services_options_and_files_that_exist():
    """`q2 serve` listens on the port that is published on this machine alone."""
    typed = re.findall(r"`docker compose (?:exec|run) ([^`]*)`", GUIDE)
    assert len(typed) == 4
    for line in typed:
        words = shlex.split(line)
        service = words.index("q2") - 1
        assert words[service] == "worker"
        page = q2(words[service + 2], "--help")
        assert page.code == 0
        assert all(word in page.out for word in words[service + 2 :] if word.startswith("--"))
        files = [word for word in words if "/" in word]
        assert all((ROOT / file).exists() for file in files)
    assert "--publish 127.0.0.1:8042:8042" in typed[-1]
    assert "8042" in q2("serve", "--help").out


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path):
    """Each section and setting is one that it knows."""
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace("/srv/q2/.venv/bin/", f"{ROOT}/.venv/bin/")
        (tmp_path / unit.name).write_text(text.replace("=/srv/q2\n", f"={tmp_path}\n"))
    files = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run(
        ["systemd-analyze", "verify", *files], capture_output=True, text=True, check=False
    )
    told = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert (done.returncode, told) == (0, [])


def test_the_automation_on_dead_runs_is_one_that_prefect_reads():
    """It acts when heartbeats end that prefect.toml has each run send."""
    found = yaml.safe_load((ROOT / "examples" / "dead-runs.yaml").read_text(encoding="utf-8"))
    automation = AutomationCore.model_validate(found)
    assert automation.trigger.posture == "Proactive"
    assert automation.actions[0].state == "CRASHED"
    settings = (ROOT / "prefect.toml").read_text(encoding="utf-8")
    (seconds,) = re.findall(r"^heartbeat_frequency = (\d+)$", settings, re.MULTILINE)
    assert automation.trigger.within.total_seconds() >= 2 * int(seconds)
