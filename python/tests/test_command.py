"""The command comes along: the same words, the same exit codes."""

import json
import signal
import subprocess
import sys
import time

from conftest import command


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
