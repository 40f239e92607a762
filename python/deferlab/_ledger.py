"""The claims of the paper: recorded verdicts, and checks that can be run."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _deferlab

__all__ = ["check", "claim", "ledger"]


def _entries(path: str | os.PathLike[str] | None) -> list[dict[str, Any]]:
    if path is None:
        text = _deferlab.recorded_ledger()
    else:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    entries: list[dict[str, Any]] = json.loads(text)["claims"]
    return entries


def ledger(path: str | os.PathLike[str] | None = None) -> list[dict[str, str]]:
    """One row per claim, in the order of the paper, for `pandas.DataFrame` and `polars.DataFrame`.

    Without a path these are the verdicts recorded with this version. Evidence, witness and tightness
    differ in shape from claim to claim, so here they are JSON; `claim` has them as objects.
    """
    rows = []
    for entry in _entries(path):
        row = {
            key: value if isinstance(value, str) else json.dumps(value) for key, value in entry.items()
        }
        row["hypotheses"] = "; ".join(entry["hypotheses"])
        row["proofs"] = " ".join(entry.get("proofs", []))
        rows.append(row)
    return rows


def claim(id: str, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """The recorded entry of one claim: statement, verdict, evidence, witness."""
    for entry in _entries(path):
        if entry["id"] == id:
            return entry
    raise ValueError(f"claim {id!r} is not known; ledger() lists them")


def check(id: str, seed: int = 1, reports: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Runs the check of one claim and returns its entry, like `deferlab verify --claim`.

    A machine-checked proof counts only with `reports`, the folder of a checkout that records it;
    without it the entry shows what the computation alone says.
    """
    entry: dict[str, Any] = json.loads(_deferlab.check(id, seed, reports))
    return entry
