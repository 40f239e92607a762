"""Your own implementation of Algorithm 1 under the checks of the paper.

A learner is an object with three methods, numbers in and numbers out::

    decide(x, available) -> {"active": [..], "scores": [..], "q": [..]}
    observe(action=, correct=, cost=)     bandit feedback
    observe(label=, costs=)               full feedback
    weights() -> N rows of d + 1 numbers, bias last

It is made anew for every check: give `verify` a class (or any callable) that takes the settings
`n, n_e, d, B, rho, surrogate, optimizer, schedule, feedback` as keywords, or an object whose method
`init` does. `serve` puts the same learner behind the pipe of `deferlab verify --subject`.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, NamedTuple

from . import _deferlab

__all__ = ["Finding", "serve", "verify"]


class Finding(NamedTuple):
    """What one check says about a learner."""

    check: str
    reference: str
    statement: str
    standing: str
    finding: str

    @property
    def passed(self) -> bool:
        """Whether the property holds wherever it was looked at."""
        return self.standing == "passed"


class _Session:
    """Answers requests of the subject protocol with a Python object."""

    def __init__(self, learner: Any) -> None:
        if not (callable(learner) or hasattr(learner, "init")):
            raise TypeError(
                f"{type(learner).__name__} is no learner: expected a class or function that makes one, "
                "or an object with init, decide, observe and weights"
            )
        self._given: Any = learner
        self._learner: Any = learner if hasattr(learner, "init") and not isinstance(learner, type) else None

    def reply(self, line: str) -> str:
        """The answer to one request. An exception of the learner is a refusal."""
        try:
            request = json.loads(line)
            return json.dumps(self._answer(request.pop("op"), request), default=_plain)
        except Exception as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})

    def _answer(self, op: str, request: dict[str, Any]) -> Any:
        if op == "init":
            if hasattr(self._given, "init") and not isinstance(self._given, type):
                self._given.init(**request)
            else:
                self._learner = self._given(**request)
            return {"ok": True}
        if self._learner is None:
            raise ValueError("send init first")
        if op == "decide":
            answer = self._learner.decide(request["x"], request["available"])
            if isinstance(answer, dict):
                return answer
            active, scores, q = answer
            return {"active": active, "scores": scores, "q": q}
        if op == "observe":
            self._learner.observe(**request)
            return {"ok": True}
        if op == "weights":
            return {"W": self._learner.weights()}
        raise ValueError(f"op: {op!r} is unknown, expected init, decide, observe, weights or bye")


def _plain(value: Any) -> Any:
    """Arrays and numbers of numpy, tuples of torch: anything that can say it as a list."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is neither a number nor a list of numbers")


def verify(learner: Any, seed: int = 1) -> list[Finding]:
    """Puts a learner through all checks of Algorithm 1, as `deferlab verify --subject` does.

    The findings come in the order in which a fault is easiest to understand: start with the first one
    that did not pass.
    """
    session = _Session(learner)
    return [Finding(**finding) for finding in json.loads(_deferlab.examine(session.reply, seed))]


def serve(learner: Any, lines: Any = None, write: Callable[[str], Any] | None = None) -> None:
    """Answers the requests on standard input until `bye`: the other end of `--subject`."""
    session = _Session(learner)
    say = write or sys.stdout.write
    for line in lines or sys.stdin:
        if not line.strip():
            continue
        if '"op":"bye"' in line.replace(" ", ""):
            say('{"ok":true}\n')
            sys.stdout.flush()
            return
        say(session.reply(line) + "\n")
        sys.stdout.flush()
