"""The part of deferlab that is written in Rust."""

import os
from typing import Any, Callable, Iterable, Sequence, final

import numpy as np
import numpy.typing as npt

__version__: str

@final
class Decision:
    @property
    def action(self) -> str: ...
    @property
    def probability(self) -> float: ...
    @property
    def is_expert(self) -> bool: ...
    @property
    def greedy(self) -> str: ...
    @property
    def estimates(self) -> dict[str, float]: ...
    @property
    def probabilities(self) -> dict[str, float]: ...

@final
class Router:
    def __new__(
        cls,
        classes: Sequence[str] = ...,
        experts: Sequence[str] = ...,
        *,
        learner: str = ...,
        dim: int | None = ...,
        features: Sequence[str] | None = ...,
        seed: int = ...,
        **settings: Any,
    ) -> Router: ...
    def decide(self, x: Any, available: Iterable[str] | None = ...) -> Decision: ...
    def consider(self, x: Any, available: Iterable[str] | None = ...) -> Decision: ...
    def observe(
        self,
        correct: bool | None = ...,
        *,
        action: str | None = ...,
        loss: float | None = ...,
        answer: str | None = ...,
        reward: float | None = ...,
        cost: float | None = ...,
        label: str | None = ...,
    ) -> None: ...
    def learn(
        self,
        x: Any,
        action: str,
        correct: bool | None = ...,
        *,
        loss: float | None = ...,
        answer: str | None = ...,
        reward: float | None = ...,
        cost: float | None = ...,
        label: str | None = ...,
    ) -> None: ...
    def set_costs(self, costs: dict[str, float], /) -> None: ...
    def add_expert(self, name: str, /) -> None: ...
    def retire_expert(self, name: str, /) -> None: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def experts(self) -> list[str]: ...
    @property
    def learner(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def dim(self) -> int | None: ...
    def _roster(self) -> list[tuple[str, bool]]: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str, /) -> Router: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Router: ...

@final
class Experiment:
    def __new__(cls, path: str | os.PathLike[str], /) -> Experiment: ...
    @property
    def name(self) -> str: ...
    @property
    def rounds(self) -> int: ...
    @property
    def runs(self) -> int: ...
    @property
    def streams(self) -> list[str]: ...
    @property
    def policies(self) -> list[str]: ...
    def shape(self, stream: str, /) -> tuple[int, int, int]: ...
    def stored(self, store: str | os.PathLike[str], /) -> str: ...

@final
class Rounds:
    def __new__(
        cls,
        classes: int,
        x: Any,
        label: npt.NDArray[np.int64],
        cost: npt.NDArray[np.float64],
        right: npt.NDArray[np.bool_],
        available: npt.NDArray[np.bool_],
    ) -> Rounds: ...
    def __len__(self) -> int: ...

def command(argv: Sequence[str], /) -> int: ...
def recorded_ledger() -> str: ...
def check(id: str, /, seed: int = ..., reports: str | os.PathLike[str] | None = ...) -> str: ...
def examine(reply: Callable[[str], str], /, seed: int = ...) -> str: ...
def evaluate(line: str, /) -> str: ...
def calibration_gap(
    name: str,
    s: npt.NDArray[np.float64],
    u: npt.NDArray[np.float64],
    alpha: float | None = ...,
    tau: float | None = ...,
) -> float: ...
def calibration_bound(name: str, actions: int, alpha: float | None = ..., tau: float | None = ...) -> str: ...
def calibration_witness(name: str, actions: int, alpha: float | None = ..., tau: float | None = ...) -> str: ...
def min_gap(
    classes: int,
    x: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    available: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64],
    name: str,
    radius: float | None = ...,
    alpha: float | None = ...,
    tau: float | None = ...,
) -> dict[str, Any]: ...
def simulate_rounds(
    router: Router,
    rounds: Rounds,
    count: int,
    progress: Callable[[int], Any] | None = ...,
) -> dict[str, Any]: ...
def simulate_experiment(
    experiment: Experiment,
    stream: str,
    policy: Router | str,
    run: int,
    count: int | None = ...,
    progress: Callable[[int], Any] | None = ...,
) -> dict[str, Any]: ...
