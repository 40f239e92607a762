"""A Python learner under the checks, in process and through a pipe."""

import json
import sys
from pathlib import Path

import pytest

import deferlab
import plain_learner
from conftest import command

HERE = Path(__file__).parent


def through_the_pipe(name):
    program = f"{sys.executable} {HERE / 'plain_learner.py'} {name}"
    done = command("verify", "--subject", program, "--format", "json")
    return done.returncode, json.loads(done.stdout)["checks"]


def test_the_plain_learner_passes():
    findings = deferlab.verify(plain_learner.PlainAlgorithm1)
    assert all(f.passed or f.standing == "not_run" for f in findings), findings
    assert sum(f.passed for f in findings) >= 15


@pytest.mark.parametrize("name", ["TooFar", "NotANumber", "GivesUp"])
def test_the_verdicts_are_those_of_the_pipe(name):
    code, checks = through_the_pipe(name)
    findings = deferlab.verify(getattr(plain_learner, name))
    assert code == 1
    assert [f._asdict() for f in findings] == checks
    assert any(f.standing in ("wrong", "broken") for f in findings)


def test_an_object_that_starts_anew():
    class Restarted:
        def init(self, **spec):
            self.learner = plain_learner.PlainAlgorithm1(**spec)

        def decide(self, x, available):
            return tuple(self.learner.decide(x, available).values())

        def observe(self, **outcome):
            self.learner.observe(**outcome)

        def weights(self):
            return self.learner.weights()

    assert all(f.passed or f.standing == "not_run" for f in deferlab.verify(Restarted()))


def test_what_is_no_learner_is_refused():
    with pytest.raises(TypeError, match="int is no learner"):
        deferlab.verify(3)

    def interrupted(**spec):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deferlab.verify(interrupted)
