"""Whole streams: rounds in arrays or of an experiment, played in Rust with the interpreter released."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _deferlab
from ._deferlab import Router

__all__ = ["Experiment", "Run", "Stream", "simulate"]


class Stream:
    """Recorded rounds: inputs, labels, and what every expert answered or cost.

    `x` is `T x d`, dense or `scipy.sparse`; `labels` are positions or names of classes. Experts are
    described by their `answers` (`T x n_e` classes; None, NaN or -1 where somebody was not there), by
    their `costs` in [0, 1], with `right` (whether the answer was right; a cost below one counts as right
    without it), or by graded `rewards` in [0, 1]. `available` is a mask of who could be asked. A router finds
    the `experts` by their names; without names, by their order. Rounds between experts alone have no classes
    and no labels.
    """

    def __init__(
        self,
        x: Any,
        labels: Any = None,
        classes: Sequence[str] | int = (),
        *,
        answers: Any = None,
        costs: Any = None,
        rewards: Any = None,
        right: Any = None,
        available: Any = None,
        experts: Sequence[str] | None = None,
        ask_cost: float = 0.0,
    ) -> None:
        names = [str(c) for c in (range(classes) if isinstance(classes, int) else classes)]
        self.x = _rows(x)
        if labels is None and names:
            raise TypeError("labels: expected a class in every round")
        label = np.full(self.x.shape[0], -1) if labels is None else _positions(labels, names, "labels")
        rounds = len(label)
        if sum(given is not None for given in (answers, costs, rewards)) > 1:
            raise TypeError("expected one of answers, costs and rewards")
        if rewards is not None:
            costs = 1.0 - np.asarray(rewards, dtype=np.float64)
        if answers is not None:
            answer = _positions(answers, names, "answers", absent=True).reshape(rounds, -1)
            there = answer >= 0
            right = answer == label[:, None]
            # The cost of an answer: 1{wrong} + ask_cost, scaled to [0, 1].
            costs = np.where(right, ask_cost, 1.0 + ask_cost) / (1.0 + ask_cost)
            available = there if available is None else there & np.asarray(available, dtype=bool)
        elif costs is None:
            costs = np.zeros((rounds, 0))
        costs = np.ascontiguousarray(costs, dtype=np.float64).reshape(rounds, -1)
        right = costs < 1.0 if right is None else right
        if available is None:
            available = np.ones(costs.shape, dtype=bool)
        self.classes = names
        self._classes_named, self._named = not isinstance(classes, int), experts is not None
        self.experts = list(experts) if experts is not None else [f"expert{j}" for j in range(costs.shape[1])]
        if len(self.experts) != costs.shape[1]:
            raise ValueError(f"{len(self.experts)} experts: expected {costs.shape[1]}")
        if len(set(self.experts)) < len(self.experts):
            raise ValueError(f"experts: every name once, not {self.experts}")
        self._label, self._costs = label, costs
        self._right = np.ascontiguousarray(right, dtype=bool)
        self._available = np.ascontiguousarray(available, dtype=bool)
        self._rounds = self._arrays(costs, self._right, self._available)

    def _arrays(self, costs: Any, right: Any, available: Any) -> _deferlab.Rounds:
        x = self.x if isinstance(self.x, np.ndarray) else _csr_parts(self.x)
        return _deferlab.Rounds(len(self.classes), x, self._label, costs, right, available)

    def _for(self, router: Router) -> tuple[_deferlab.Rounds, list[str]]:
        """The rounds with every expert in the place where the router has it, and the names of the places.

        Named experts are found by their names, others by their order among those who were not retired. Who
        was retired, or is not in the stream, is not available.
        """
        same = self.classes == router.classes if self._classes_named else len(self.classes) == len(router.classes)
        if not same:
            raise ValueError(f"the stream has the classes {self.classes}, the router {router.classes}")
        roster = router._roster()
        names = [name for name, _ in roster]
        known = self.experts if self._named else router.experts
        if len(known) != len(self.experts):
            raise ValueError(f"the stream has {len(self.experts)} experts, the router {len(known)}")
        unknown = [name for name in known if name not in names]
        if unknown:
            raise ValueError(f"expert {unknown[0]!r} of the stream is not in the router, which has {names}")
        if known == names and all(serving for _, serving in roster):
            return self._rounds, router.classes + names
        columns = {name: j for j, name in enumerate(known)}
        costs = np.ones((len(self), len(names)))
        right, available = np.zeros(costs.shape, dtype=bool), np.zeros(costs.shape, dtype=bool)
        for place, (name, serving) in enumerate(roster):
            if serving and name in columns:
                j = columns[name]
                costs[:, place] = self._costs[:, j]
                right[:, place], available[:, place] = self._right[:, j], self._available[:, j]
        return self._arrays(costs, right, available), router.classes + names

    def __len__(self) -> int:
        return len(self._rounds)

    def __repr__(self) -> str:
        actions = f"{len(self.classes)} classes, {len(self.experts)} experts"
        return f"Stream({len(self)} rounds, {actions}, {self.x.shape[1]} features)"


def _rows(x: Any) -> Any:
    """Dense rows of float64 one after another, or a CSR matrix; copied only if they are not."""
    if hasattr(x, "tocsr"):
        x = x.tocsr()
        x.sum_duplicates()
        return x
    x = np.ascontiguousarray(x, dtype=np.float64)
    return x.reshape(len(x), -1)


def _csr_parts(x: Any) -> tuple[Any, Any, Any, int]:
    indices = np.ascontiguousarray(x.indices)
    # The same four bytes mean the same number: indices are not negative.
    indices = indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)
    offsets = np.ascontiguousarray(x.indptr, dtype=np.int64)
    return offsets, indices, np.ascontiguousarray(x.data, dtype=np.float64), x.shape[1]


def _positions(values: Any, names: list[str], what: str, absent: bool = False) -> npt.NDArray[np.int64]:
    """Classes as positions, from positions or names."""
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        return np.ascontiguousarray(array, dtype=np.int64)
    if array.dtype.kind == "f":
        if not absent and not np.isfinite(array).all():
            raise ValueError(f"{what}: expected a class in every round")
        return np.where(np.isnan(array), -1, array).astype(np.int64)
    places = {name: place for place, name in enumerate(names)}

    def place(value: Any) -> int:
        if absent and (value is None or value != value):
            return -1
        if isinstance(value, (int, np.integer)):
            return int(value)
        try:
            return places[str(value)]
        except KeyError:
            raise ValueError(f"{what}: {value!r} is no class") from None

    flat = [place(value) for value in np.asarray(values, dtype=object).ravel()]
    return np.array(flat, dtype=np.int64).reshape(array.shape)


class Run(NamedTuple):
    """What happened in every round. `action` is a position in `names`: classes, then experts."""

    names: list[str]
    classes: int
    action: npt.NDArray[np.int64]
    #: The probability with which it was drawn.
    probability: npt.NDArray[np.float64]
    loss: npt.NDArray[np.float64]
    correct: npt.NDArray[np.bool_]
    #: The inputs, where they stand in arrays.
    context: Any

    def __repr__(self) -> str:
        return f"Run({len(self.action)} rounds, {self.accuracy:.1%} right, mean loss {self.mean_loss:.4f})"

    @property
    def mean_loss(self) -> float:
        """Loss per round."""
        return float(self.loss.mean())

    @property
    def accuracy(self) -> float:
        """Share of rounds with the right final answer."""
        return float(self.correct.mean())

    @property
    def shares(self) -> dict[str, float]:
        """How often each action was taken."""
        counts = np.bincount(self.action, minlength=len(self.names))
        return dict(zip(self.names, (counts / max(len(self.action), 1)).tolist()))

    def columns(self) -> dict[str, Any]:
        """The rounds as columns, for `pandas.DataFrame` and `polars.DataFrame`."""
        return {
            "t": np.arange(1, len(self.action) + 1),
            "action": np.array(self.names)[self.action],
            "probability": self.probability,
            "loss": self.loss,
            "correct": self.correct,
        }

    def bandit_feedback(self) -> dict[str, Any]:
        """The log in the arrays of open bandit pipelines: actions, rewards, and propensities.

        `context` is `stream.x`, a `scipy.sparse` matrix if that is one, and None on an experiment.
        """
        return {
            "n_rounds": len(self.action),
            "n_actions": len(self.names),
            "context": self.context,
            # Actions differ by nothing but their place, and there is one of them a round.
            "action_context": np.eye(len(self.names)),
            "action": self.action,
            "position": np.zeros(len(self.action), dtype=np.int64),
            "reward": 1.0 - self.loss,
            "expected_reward": None,
            "pi_b": None,
            "pscore": self.probability,
        }


class Experiment:
    """An experiment file: its streams and policies, and the results of its runs."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._experiment = _deferlab.Experiment(self.path)

    def __repr__(self) -> str:
        return f"Experiment({self.path!r})"

    @property
    def name(self) -> str:
        """Its name."""
        return self._experiment.name

    @property
    def rounds(self) -> int:
        """Rounds of a run."""
        return self._experiment.rounds

    @property
    def runs(self) -> int:
        """Runs of every policy on every stream."""
        return self._experiment.runs

    @property
    def streams(self) -> list[str]:
        """Names of its streams."""
        return self._experiment.streams

    @property
    def policies(self) -> list[str]:
        """Names of its policies."""
        return self._experiment.policies

    def shape(self, stream: str) -> tuple[int, int, int]:
        """Classes, experts and features of a stream."""
        return self._experiment.shape(stream)

    def run(self, store: str | os.PathLike[str] = "runs", *arguments: str) -> list[dict[str, Any]]:
        """Runs what is not stored yet, as `deferlab run` does, and returns the results.

        It is the command, in a process of its own: Ctrl-C ends it, and the next call goes on from there.
        """
        line = [sys.executable, "-m", "deferlab", "run", self.path, "--store", os.fspath(store)]
        done = subprocess.run([*line, "--format", "json", *arguments], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"deferlab run ended with exit code {done.returncode}")
        return self.results(store)

    def results(self, store: str | os.PathLike[str] = "runs") -> list[dict[str, Any]]:
        """Stored runs, one row per checkpoint, for `pandas.DataFrame` and `polars.DataFrame`.

        Totals are over rounds `1..t`: `loss`, `right` final answers, rounds in which somebody was `asked`.
        """
        rows = []
        for job in json.loads(self._experiment.stored(os.fspath(store))):
            series = job.pop("series")
            for i, t in enumerate(series["t"]):
                totals = {"t": t, "loss": series["loss"][i], "right": series["right"][i]}
                rows.append({**job, **totals, "asked": sum(series["asked"][i])})
        return rows


@contextlib.contextmanager
def _shown(total: int, progress: bool | Callable[[int], Any] | None) -> Iterator[Callable[[int], Any] | None]:
    """Who is told how many rounds are done: a function of the caller, or a bar."""
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield None
        return
    try:
        tqdm: Any = importlib.import_module("tqdm").tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=total, unit="round", unit_scale=True) as bar:
        yield lambda done: bar.update(done - bar.n)


def simulate(
    policy: Router | str,
    stream: Stream | Experiment,
    rounds: int | None = None,
    *,
    on: str | None = None,
    run: int = 0,
    progress: bool | Callable[[int], Any] | None = None,
) -> Run:
    """Plays a whole stream in Rust, with the interpreter released, and returns what happened.

    A `Router` goes on from its state and keeps what it learns. On an experiment, `on` names the stream
    (the first one without it), `run` chooses the seeds, and `policy` may be the name of a policy of the
    file, at its first round and with the numbers that `deferlab run` gets. `progress` shows a bar (tqdm, if
    it is installed), or is called with the number of rounds that are done. Ctrl-C ends it; the router has
    then learned from the rounds that were played.
    """
    if rounds is not None and rounds < 0:
        raise ValueError(f"rounds = {rounds}: expected a number not below 0")
    if isinstance(stream, Experiment):
        experiment = stream._experiment
        on = on if on is not None else experiment.streams[0]
        total = experiment.rounds if rounds is None else rounds
        classes, experts, _ = experiment.shape(on)
        names = [str(c) for c in range(classes)] + [f"expert{j}" for j in range(experts)]
        if isinstance(policy, Router):
            roster = policy._roster()
            for name, serving in roster:
                if not serving:
                    raise ValueError(f"expert {name!r} has been retired: in an experiment everybody plays")
            names = policy.classes + [name for name, _ in roster]
        context = None
        with _shown(total, progress) as tell:
            out = _deferlab.simulate_experiment(experiment, on, policy, run, total, tell)
    elif isinstance(stream, Stream):
        if not isinstance(policy, Router):
            raise TypeError("policy: expected a Router; names belong to the policies of an experiment")
        total = len(stream) if rounds is None else min(rounds, len(stream))
        recorded, names = stream._for(policy)
        classes, context = len(stream.classes), stream.x[:total]
        with _shown(total, progress) as tell:
            out = _deferlab.simulate_rounds(policy, recorded, total, tell)
    else:
        raise TypeError(f"stream is {type(stream).__name__}: expected a Stream or an Experiment")
    return Run(names=names, classes=classes, context=context, **out)
