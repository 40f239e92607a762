"""Route questions to your own classes or to experts who come and go, and check the theory behind it.

| question | where |
|---|---|
| which class, or whom to ask? | `Router`, `Decision` |
| how does it do on my data, on an experiment? | `simulate`, `Stream`, `Experiment`, `Run` |
| does the paper hold? | `ledger`, `claim`, `check` |
| is my implementation of Algorithm 1 right? | `verify`, `serve` |
| what is exactly true of a round? | `deferlab.theory` |
| where does it fit in? | `deferlab.coba`, `deferlab.river` |

`python -m deferlab` is the command.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._deferlab import Decision, Router, __version__
from ._ledger import check, claim, ledger
from .subject import Finding, serve, verify

if TYPE_CHECKING:
    from . import theory
    from ._simulate import Experiment, Run, Stream, simulate

__all__ = [
    "Decision",
    "Experiment",
    "Finding",
    "Router",
    "Run",
    "Stream",
    "__version__",
    "check",
    "claim",
    "ledger",
    "serve",
    "simulate",
    "theory",
    "verify",
]

#: numpy takes longer to import than everything else together: only where it is needed.
_LATER = {"Experiment": "_simulate", "Run": "_simulate", "Stream": "_simulate", "simulate": "_simulate"}


def __getattr__(name: str) -> Any:
    if name == "theory":
        return importlib.import_module(".theory", __name__)
    if name in _LATER:
        return getattr(importlib.import_module("." + _LATER[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
