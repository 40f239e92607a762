"""Exact quantities against their formulas."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deferlab
from deferlab import theory

unit = st.floats(0.0, 1.0)


@st.composite
def laws(draw):
    """`p`, costs, and who is available."""
    n, experts = draw(st.integers(2, 5)), draw(st.integers(0, 4))
    p = np.array(draw(st.lists(st.integers(1, 50), min_size=n, max_size=n)), dtype=float)
    c = np.array(draw(st.lists(st.lists(unit, min_size=n, max_size=n), min_size=experts, max_size=experts)))
    available = draw(st.sets(st.integers(0, experts - 1))) if experts else set()
    return p / p.sum(), c.reshape(experts, n), sorted(available)


@given(laws())
def test_scores_and_risks(law):
    p, c, available = law
    scores = theory.scores(p, c, available)
    expected = np.concatenate([p, [1 - p @ c[j] for j in available]])
    np.testing.assert_allclose(scores.s, expected, rtol=0, atol=1e-14)
    assert scores.active.tolist() == [*range(len(p)), *(len(p) + j for j in available)]
    assert scores.mass == pytest.approx(expected.sum())
    q = np.full(len(expected), 1 / len(expected))
    risks = theory.risks(p, c, q, available)
    np.testing.assert_allclose(risks.actions, 1 - expected, atol=1e-14)
    assert risks.mixture == pytest.approx(np.mean(1 - expected))
    assert risks.best == pytest.approx(1 - expected.max())
    assert p @ risks.given_label == pytest.approx(risks.mixture)


@given(laws(), st.data())
def test_a_calibration_gap_is_risk_minus_infimum(law, data):
    p, c, available = law
    scores = theory.scores(p, c, available)
    u = np.array(data.draw(st.lists(st.floats(-2, 2), min_size=len(scores.s), max_size=len(scores.s))))
    u -= u.mean()
    surrogate = theory.surrogate_risk("cstnd_hinge", p, c, u, available)
    gap = theory.calibration_gap("cstnd_hinge", scores.s, u)
    assert gap == pytest.approx(surrogate.gap, abs=1e-12) and gap >= -1e-12
    hinge = np.maximum(0, 1 + u)
    by_hand = sum(s * (hinge.sum() - hinge[a]) for a, s in enumerate(scores.s))
    assert surrogate.risk == pytest.approx(by_hand, abs=1e-10)
    zero_one = scores.s.max() - scores.s[np.argmax(u)]
    bound = theory.calibration_bound("cstnd_hinge", len(u))
    assert zero_one**bound.exponent <= bound.constant * gap + 1e-9


def test_a_false_calibration_function_has_a_witness():
    assert theory.calibration_witness("cstnd_hinge", 3) is None
    witness = theory.calibration_witness("sum_sq", 3)
    assert not theory.calibration_bound("sum_sq", 3).as_stated
    assert witness["zero_one_gap"] and witness["violated"]


def test_a_gap_with_its_certificate(rng):
    x = rng.normal(size=(6, 2))
    s = rng.uniform(size=(6, 4))
    s[:, :3] /= s[:, :3].sum(axis=1, keepdims=True)
    available = rng.uniform(size=(6, 1)) < 0.5
    gap = theory.min_gap(x, s, classes=3, available=available, radius=4.0)
    assert gap.certificate.certified
    assert gap.certificate.lower <= gap.best_value <= gap.certificate.upper + 1e-12
    assert gap.certificate.upper - gap.certificate.lower < 1e-6
    assert gap.gap == pytest.approx(gap.best_value - gap.pointwise) and gap.gap >= -1e-9
    assert np.linalg.norm(gap.matrix) <= 4.0 + 1e-9 and gap.matrix.shape == (4, 3)
    # The value of the matrix, by hand.
    value = 0.0
    for row, scores, there in zip(x, s, available):
        active = [0, 1, 2, *([3] if there[0] else [])]
        u = gap.matrix[active] @ np.append(row, 1.0)
        u -= u.mean()
        hinge = np.maximum(0, 1 + u)
        value += sum(scores[a] * (hinge.sum() - hinge[k]) for k, a in enumerate(active)) / 6
    assert value == pytest.approx(gap.best_value, abs=1e-9)
    with pytest.raises(ValueError, match="B = -1: the radius of the ball must be positive and finite"):
        theory.min_gap(x, s, classes=3, radius=-1.0)


def test_bounds_and_rates():
    small, large = theory.bounds(9, 9, 1.5, 100), theory.bounds(9, 9, 1.5, 10_000)
    assert all(large.surrogate[key] >= small.surrogate[key] for key in small.surrogate)
    rates = theory.schedules(9, 9, 1.5, [1, 10**6])
    assert rates.general.shape == (2, 2) and (rates.general[1] < rates.general[0]).all()
    assert theory.normalized_cost(1.0, 0.25) == (0.2, 1.0)


def test_what_is_refused_is_refused_in_the_words_of_the_command():
    from conftest import command

    fields = {"n": 2, "n_e": 1, "A": [3], "p": [0.5, 0.5], "c": [[0.1, 0.2]]}
    request = {"id": 0, "kind": "scores", "input": fields}
    said = json.loads(command("eval", stdin=json.dumps(request)).stdout)["error"]
    with pytest.raises(ValueError) as refused:
        theory.scores([0.5, 0.5], [[0.1, 0.2]], available=[3])
    assert str(refused.value) == said
    with pytest.raises(ValueError, match="p"):
        theory.scores([0.5, 0.6], [[0.1, 0.2]])
    with pytest.raises(ValueError, match="surrogate|name"):
        theory.calibration_gap("hinge", [0.5, 0.5], [0.0, 0.0])
    assert deferlab.theory is theory
