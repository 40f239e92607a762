"""The command comes along: the same words, the same exit codes."""

import json
import shutil
import signal
import subprocess
import sys
import time

import deferlab
from conftest import ROOT, command


def test_exit_codes():
    assert command("--version").returncode == 0
    assert command("claims").returncode == 0
    wrong = command("verfy")
    assert wrong.returncode == 2 and "verify" in wrong.stderr
    missing = command("run", "nowhere.toml")
    assert missing.returncode == 2 and "nowhere.toml" in missing.stderr
    # Bad input is told before anything runs, a failed check after it.
    failed = command("verify", "--subject", "cat", "--time-limit", "2")
    assert failed.returncode == 1


def test_a_folder_that_is_no_checkout(tmp_path):
    """What needs no checkout works anywhere; what does says so."""
    for line in ("claims", "audit", "audit --format json"):
        assert command(*line.split(), cwd=tmp_path).returncode == 0
    for line, words in [
        ("verify --claim lem-f.1", "record them first: `deferlab verify --record`"),
        ("page", "reports: there is no such folder: a checkout of deferlab has one"),
        ("reproduce", "experiments: there is no such folder: a checkout of deferlab has one"),
        ("report", "experiments: there is no such folder: a checkout of deferlab has one"),
    ]:
        done = command(*line.split(), cwd=tmp_path)
        assert done.returncode == 2 and words in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_in_a_checkout():
    done = command("verify", "--claim", "impl-two-actions", cwd=ROOT)
    assert done.returncode == 0 and "impl-two-actions" in done.stdout
    assert command("page", "--reports", ROOT / "nowhere").returncode == 2


def test_the_page_of_a_ledger(tmp_path):
    reports = tmp_path / "reports"
    reports.mkdir()
    shutil.copy(ROOT / "reports/ledger.json", reports)
    done = command("page", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (reports / "index.html").read_text()
    assert all(row["id"] in page for row in deferlab.ledger(reports / "ledger.json"))


def test_a_request_is_answered():
    request = {"id": 1, "kind": "normalized_cost", "input": {"alpha": 1.0, "beta": 0.25}}
    answer = command("eval", stdin=json.dumps(request) + "\n")
    assert json.loads(answer.stdout) == {"id": 1, "output": {"correct": 0.2, "wrong": 1.0}}


def test_ctrl_c_ends_it():
    line = [sys.executable, "-m", "deferlab", "eval"]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    request = b'{"id":1,"kind":"normalized_cost","input":{"alpha":1.0,"beta":0.0}}\n'
    process.stdin.write(request)
    process.stdin.flush()
    assert process.stdout.readline().startswith(b'{"id":1')
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) != 0
    assert time.monotonic() - start < 1.0
    process.stdin.close()
    process.stdout.close()
