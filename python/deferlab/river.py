"""A router in the calling convention of river's bandits: `pull`, `update`.

```python
from deferlab.river import RouterPolicy

policy = RouterPolicy(seed=1)
arm = policy.pull(["small", "large"], context={"words": 12, "language": "fr"})
policy.update(arm, {"words": 12, "language": "fr"}, 1.0)
```

Arms become experts, by their names, as they appear; contexts are dicts of features, as everywhere in river.
"""

from __future__ import annotations

from typing import Any

from river.bandit.base import ContextualPolicy

from ._deferlab import Router

__all__ = ["RouterPolicy"]


class RouterPolicy(ContextualPolicy):
    """A contextual policy for river that keeps a `Router` without classes and asks its experts."""

    def __init__(self, reward_obj: Any = None, burn_in: int = 0, seed: int = 1, dim: int | None = None) -> None:
        super().__init__(reward_obj=reward_obj, burn_in=burn_in)
        self.seed, self.dim = seed, dim
        self._router: Router | None = None

    def _known(self, names: list[str]) -> Router:
        if self._router is None:
            self._router = Router(experts=names, seed=self.seed, dim=self.dim)
        known = set(self._router.experts)
        for name in names:
            if name not in known:
                self._router.add_expert(name)
        return self._router

    def _pull(self, arm_ids: Any, context: dict[str, Any] | None = None) -> Any:
        arms = list(arm_ids)
        names = [str(arm) for arm in arms]
        decision = self._known(names).decide(context or {}, names)
        return arms[names.index(decision.action)]

    def update(self, arm_id: Any, context: dict[str, Any] | None, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learns the reward, in [0, 1], of an arm, whoever chose it."""
        super().update(arm_id, context, *reward_args, **reward_kwargs)  # type: ignore[no-untyped-call]
        router = self._known([str(arm_id)])
        router.learn(context or {}, str(arm_id), reward=float(reward_args[0]))
