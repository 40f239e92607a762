"""The ledger as tables, and a check run from here."""

import json

import pandas
import polars
import pytest

import deferlab
from conftest import ROOT


def test_it_becomes_a_table():
    recorded = json.loads((ROOT / "reports/ledger.json").read_text())["claims"]
    rows = deferlab.ledger()
    assert [row["id"] for row in rows] == [entry["id"] for entry in recorded]
    for table in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        assert table.shape[0] == len(recorded)
        assert list(table["verdict"]) == [entry["verdict"] for entry in recorded]
        assert json.loads(table["evidence"][0]) == recorded[0]["evidence"]
    assert deferlab.ledger(ROOT / "reports/ledger.json") == rows
    assert deferlab.claim(recorded[3]["id"]) == recorded[3]


def test_a_check_says_what_is_recorded():
    ran = deferlab.check("impl-two-actions")
    recorded = deferlab.claim("impl-two-actions")
    assert (ran["verdict"], ran["evidence"]) == (recorded["verdict"], recorded["evidence"])
    with pytest.raises(ValueError, match="impl-two-actions"):
        deferlab.check("impl-two-action")
    with pytest.raises(ValueError, match="ledger"):
        deferlab.claim("nothing")
