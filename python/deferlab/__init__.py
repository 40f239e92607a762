"""Route questions to your own classes or to experts who come and go, and check the theory behind it.

| question | where |
|---|---|
| does the paper hold? | `ledger`, `claim`, `check` |
| is my implementation of Algorithm 1 right? | `verify` |
| what is exactly true of a round? | `deferlab.theory` |

`python -m deferlab` is the command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._deferlab import __version__
from ._ledger import check, claim, ledger
from .subject import Finding, serve, verify

if TYPE_CHECKING:
    from . import theory

__all__ = ["Finding", "__version__", "check", "claim", "ledger", "serve", "theory", "verify"]


def __getattr__(name: str) -> Any:
    # numpy takes longer to import than everything else together: only where it is needed.
    if name == "theory":
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
