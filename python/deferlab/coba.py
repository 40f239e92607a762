"""A router in the calling convention of coba's learners: `predict`, `learn`, `score`.

```python
import coba
from deferlab.coba import RouterLearner

environment = coba.Environments.from_linear_synthetic(1000, n_actions=4)
coba.Experiment(environment, [RouterLearner()]).run()
```

The actions of an environment become experts, by their names, as they appear; contexts become inputs.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ._deferlab import Router

__all__ = ["RouterLearner"]


def _name(action: Any) -> str:
    """Actions are numbers, names, one-hot vectors or dicts of features; equal ones have equal names."""
    if isinstance(action, Mapping):
        return repr(sorted(action.items()))
    if isinstance(action, str):
        return action
    if isinstance(action, Sequence):
        return repr(tuple(action))
    return repr(action)


def _features(context: Any) -> Any:
    """Contexts are None, a number, a name, or a sequence or mapping of those."""
    if context is None:
        return {}
    if isinstance(context, Mapping):
        return dict(context)
    if isinstance(context, (int, float, str)):
        return {"context": context}
    values = list(context)
    if any(isinstance(value, str) for value in values):
        return {f"c{i}": value for i, value in enumerate(values)}
    return values


class RouterLearner:
    """A learner for coba that keeps a `Router` without classes and asks its experts.

    Rewards of the environment lie in `reward_range`; a router's lie in [0, 1].
    """

    def __init__(self, seed: int = 1, reward_range: tuple[float, float] = (0.0, 1.0), **settings: Any) -> None:
        self._router: Router | None = None
        self._seed, self._range, self._settings = seed, reward_range, settings

    @property
    def params(self) -> Mapping[str, Any]:
        """What the results of an experiment say about it."""
        return {"family": "deferlab", "seed": self._seed, **self._settings}

    def _known(self, names: list[str]) -> Router:
        """The router, with every name among its experts."""
        if self._router is None:
            self._router = Router(experts=names, seed=self._seed, **self._settings)
        known = set(self._router.experts)
        for name in names:
            if name not in known:
                self._router.add_expert(name)
        return self._router

    def score(self, context: Any, actions: Sequence[Any], action: Any = None) -> Any:
        """The probability of an action; of all of them without one."""
        names = [_name(a) for a in actions]
        probabilities = self._known(names).consider(_features(context), names).probabilities
        if action is None:
            return [probabilities[name] for name in names]
        return probabilities[_name(action)]

    def predict(self, context: Any, actions: Sequence[Any]) -> tuple[Any, float]:
        """Draws an action and says its probability."""
        names = [_name(a) for a in actions]
        decision = self._known(names).decide(_features(context), names)
        return actions[names.index(decision.action)], decision.probability

    def learn(self, context: Any, action: Any, reward: float, probability: float) -> None:
        """Learns the reward of an action, whoever chose it."""
        low, high = self._range
        if not low <= reward <= high:
            raise ValueError(f"reward = {reward}: expected a number in reward_range, {low} to {high}")
        router = self._known([_name(action)])
        router.learn(_features(context), _name(action), reward=(float(reward) - low) / (high - low))
