"""Exact quantities of the paper from numpy arrays.

A round has `n` classes with probabilities `p`, and `n_e` experts with costs `c` (row `j`, column `y`: what
expert `j` costs when the label is `y`). `available` lists the experts who may be asked; all of them
without it. Arrays over actions follow the active ones: all classes, then the available experts.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _deferlab

__all__ = [
    "Bounds",
    "CalibrationBound",
    "Certificate",
    "Gap",
    "Risks",
    "Schedules",
    "Scores",
    "SurrogateRisk",
    "bounds",
    "calibration_bound",
    "calibration_gap",
    "calibration_witness",
    "min_gap",
    "normalized_cost",
    "risks",
    "schedules",
    "scores",
    "surrogate_risk",
]

Floats = npt.NDArray[np.float64]


def _ask(kind: str, **fields: Any) -> dict[str, Any]:
    """The answer of `deferlab eval`; what it refuses is a ValueError in its words."""
    request = {"id": 0, "kind": kind, "input": fields}
    answer = json.loads(_deferlab.evaluate(json.dumps(request, allow_nan=False)))
    if "error" in answer:
        raise ValueError(answer["error"])
    output: dict[str, Any] = answer["output"]
    return output


def _law(p: Any, c: Any, available: Sequence[int] | None) -> dict[str, Any]:
    """The fields that say what a round is."""
    p = np.asarray(p, dtype=np.float64)
    c = np.asarray(c, dtype=np.float64).reshape(-1, p.size)
    who = list(range(len(c))) if available is None else [int(j) for j in available]
    return {"n": p.size, "n_e": len(c), "A": who, "p": p.tolist(), "c": c.tolist()}


class Scores(NamedTuple):
    """What each active action is worth."""

    active: npt.NDArray[np.int64]
    #: `s`: the probability of the class, or one minus the mean cost of the expert.
    s: Floats
    #: `S`, the sum of `s`.
    mass: float
    #: `s / S`
    normalized: Floats
    #: The best action.
    best: int


def scores(p: Any, c: Any, available: Sequence[int] | None = None) -> Scores:
    """Scores of the active actions (Sec. 6)."""
    out = _ask("scores", **_law(p, c, available))
    active = np.array(out["active"], dtype=np.int64)
    return Scores(active, np.array(out["s"]), out["S"], np.array(out["sbar"]), out["y_max"])


class Risks(NamedTuple):
    """What a round costs in expectation."""

    #: Risk of each active action.
    actions: Floats
    #: Risk of playing `q`.
    mixture: float
    #: Risk of the best action.
    best: float
    #: Expected loss of `q` given each label.
    given_label: Floats


def risks(p: Any, c: Any, q: Any, available: Sequence[int] | None = None) -> Risks:
    """True risks of the actions and of the mixture `q` over them (Lem. D.1)."""
    q = np.asarray(q, dtype=np.float64).tolist()
    out = _ask("true_risk", **_law(p, c, available), q=q)
    return Risks(np.array(out["C_action"]), out["C_q"], out["C_star"], np.array(out["ell_q_given_y"]))


def normalized_cost(alpha: float, beta: float) -> tuple[float, float]:
    """What an expert costs who is right, and one who is wrong: `(alpha 1{wrong} + beta) / (alpha + beta)`."""
    out = _ask("normalized_cost", alpha=float(alpha), beta=float(beta))
    return out["correct"], out["wrong"]


class SurrogateRisk(NamedTuple):
    """What a surrogate says about a score vector."""

    #: `Phi_01(u, a)` for each active action.
    phi01: Floats
    #: `Phi_def` for each label.
    phi_def: Floats
    #: Conditional risk at `u`.
    risk: float
    #: Its infimum over all score vectors.
    best: float
    #: Where the infimum is attained, if it is.
    minimizer: Floats | None

    @property
    def gap(self) -> float:
        """`risk - best`."""
        return self.risk - self.best


def surrogate_risk(
    name: str,
    p: Any,
    c: Any,
    u: Any,
    available: Sequence[int] | None = None,
    alpha: float | None = None,
    tau: float | None = None,
) -> SurrogateRisk:
    """Loss and risk of the surrogate `name` at scores `u` (Def. 4.3, Lem. D.2)."""
    more = {"name": name, "u": np.asarray(u, dtype=np.float64).tolist(), "alpha": alpha, "tau": tau}
    out = _ask("surrogate", **_law(p, c, available), **more)
    minimizer = None if out["minimizer"] is None else np.array(out["minimizer"])
    phi01, phi_def = np.array(out["phi01"]), np.array(out["phi_def"])
    return SurrogateRisk(phi01, phi_def, out["C_phi"], out["C_phi_star"], minimizer)


def calibration_gap(
    name: str, s: Any, u: Any, alpha: float | None = None, tau: float | None = None
) -> float:
    """`C_Phi(u) - inf C_Phi` for action scores `s`."""
    s = np.ascontiguousarray(s, dtype=np.float64)
    u = np.ascontiguousarray(u, dtype=np.float64)
    return _deferlab.calibration_gap(name, s, u, alpha, tau)


class CalibrationBound(NamedTuple):
    """`(zero-one gap) ** exponent <= constant * (surrogate gap)`, proved."""

    exponent: int
    constant: float
    #: Whether this is the function that App. E states; otherwise the stated one is false.
    as_stated: bool
    #: Whether no smaller constant works for this number of actions.
    sharp: bool
    argument: str


def calibration_bound(
    name: str, actions: int, alpha: float | None = None, tau: float | None = None
) -> CalibrationBound:
    """What is proved about the calibration function of a surrogate."""
    return CalibrationBound(**json.loads(_deferlab.calibration_bound(name, actions, alpha, tau)))


def calibration_witness(
    name: str, actions: int, alpha: float | None = None, tau: float | None = None
) -> dict[str, Any] | None:
    """A counterexample to the stated calibration function in fractions, or None."""
    witness: dict[str, Any] | None = json.loads(_deferlab.calibration_witness(name, actions, alpha, tau))
    return witness


class Certificate(NamedTuple):
    """`lower <= infimum <= upper` per round, over matrices of norm up to `radius`; both recomputed plainly."""

    lower: float
    upper: float
    radius: float
    #: How the lower bound was obtained.
    kind: str
    #: Whether the two are as close as the claims need them.
    certified: bool


class Gap(NamedTuple):
    """A minimizability gap: what one matrix for all rounds costs the surrogate, per round."""

    gap: float
    #: The same against what the ball can reach at each input; None without a ball.
    gap_in_ball: float | None
    best_value: float
    pointwise: float
    #: `W*`, one row per action, bias last.
    matrix: Floats
    #: Greedy action of `W*` in every round.
    actions: npt.NDArray[np.int64]
    #: True risk of those actions above the best, per round.
    true_regret: float
    certificate: Certificate


def min_gap(
    x: Any,
    scores: Any,
    classes: int,
    available: Any = None,
    weights: Any = None,
    surrogate: str = "cstnd_hinge",
    radius: float | None = None,
    alpha: float | None = None,
    tau: float | None = None,
) -> Gap:
    """The minimizability gap on `T` weighted rounds (Thm F.4), with its certificate.

    `x` is `T x d`, `scores` is `T x N` (all classes, then all experts; what stands at an absent expert is
    not looked at), `available` a `T x n_e` mask. Without `radius` every matrix competes.
    """
    x = np.atleast_2d(np.asarray(x, dtype=np.float64))
    scores = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    experts = scores.shape[1] - classes
    if available is None:
        available = np.ones((len(x), max(experts, 0)), dtype=bool)
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    out = _deferlab.min_gap(
        classes, x, scores, np.asarray(available, dtype=bool), weights, surrogate, radius, alpha, tau
    )
    certificate = Certificate(**{field: out.pop(field) for field in Certificate._fields})
    out["actions"] = np.array(out["actions"], dtype=np.int64)
    return Gap(certificate=certificate, **out)


class Bounds(NamedTuple):
    """Numbers of the theorems at one horizon; each is a dict of the terms and their total."""

    #: Thm 6.3
    surrogate: dict[str, float]
    #: Thm 6.4
    true: dict[str, float]
    #: Thm 6.5
    concentrated: dict[str, float]
    #: Thm 6.5 with the exploration summed exactly.
    concentrated_exact_gamma: dict[str, float]


def bounds(radius: float, actions: int, rho: float, horizon: int) -> Bounds:
    """What Thm 6.3 to 6.5 promise for `B = radius`, `N = actions`, `|(x, 1)| <= rho`, `T = horizon`."""
    return Bounds(**_ask("bounds", B=float(radius), N=actions, rho=float(rho), T=horizon))


class Schedules(NamedTuple):
    """Learning and exploration rates; each array has the columns `eta`, `gamma`."""

    general: Floats
    concentrated: Floats
    experiment: Floats


def schedules(radius: float, actions: int, rho: float, t: Any) -> Schedules:
    """Rates of Thm 6.3, Thm 6.5 and App. G in the rounds `t`."""
    rounds = np.atleast_1d(np.asarray(t)).tolist()
    out = _ask("schedules", B=float(radius), N=actions, rho=float(rho), t=rounds)
    return Schedules(*(np.array(out[field]) for field in Schedules._fields))
