"""The adapters against the packages they are for."""

import coba
import numpy as np
import pytest
import river.bandit
import river.stats

from deferlab.coba import RouterLearner
from deferlab.river import RouterPolicy


def test_coba_plays_an_experiment_with_it():
    environments = coba.Environments.from_linear_synthetic(
        600, n_actions=3, n_context_features=4, n_action_features=0, seed=2
    )
    learners = [RouterLearner(reward_range=(-1.0, 2.0)), coba.RandomLearner()]
    result = coba.Experiment(environments, learners).run(quiet=True)
    rewards = {}
    for learner_id, reward in zip(result.interactions["learner_id"], result.interactions["reward"]):
        rewards.setdefault(learner_id, []).append(reward)
    assert len(rewards[0]) == len(rewards[1]) == 600
    # It learns: in the second half it is better than chance.
    assert np.mean(rewards[0][300:]) > np.mean(rewards[1][300:])
    assert list(result.learners["family"])[0] == "deferlab"


def test_the_convention_of_coba():
    learner, actions = RouterLearner(seed=3), [(1, 0), (0, 1)]
    for _ in range(200):
        action, probability = learner.predict((0.5, 1.0), actions)
        assert action in actions and probability == learner.score((0.5, 1.0), actions, action)
        learner.learn((0.5, 1.0), action, float(action == (0, 1)), probability)
    assert learner.score((0.5, 1.0), actions, (0, 1)) > 0.7
    assert abs(sum(learner.score((0.5, 1.0), actions)) - 1) < 1e-12
    with pytest.raises(ValueError, match="reward = 2: expected a number in reward_range, 0.0 to 1.0"):
        learner.learn((0.5, 1.0), (0, 1), 2, 0.5)
    # Dicts, texts and nothing at all are contexts as well, and so are new actions.
    other = RouterLearner(dim=64)
    for context in ({"a": 1.0, "b": "x"}, "word", None):
        action, _ = RouterLearner(dim=64).predict(context, ["l", "r"])
        assert action in ["l", "r"]
    other.predict({"a": 1.0}, ["l", "r"])
    assert other.predict({"a": 1.0}, ["l", "r", "m"])[0] in ["l", "r", "m"]
    assert other.params["family"] == "deferlab"


def test_river_pulls_and_updates():
    policy = RouterPolicy(seed=1, dim=64)
    assert isinstance(policy, river.bandit.base.ContextualPolicy)
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(600):
        context = {"size": float(rng.integers(2)), "kind": "x"}
        arm = policy.pull(["small", "large"], context)
        reward = float(arm == ("large" if context["size"] else "small"))
        policy.update(arm, context, reward)
        hits.append(reward)
    assert np.mean(hits[300:]) > 0.8
    assert policy.ranking and sum(policy._counts.values()) == 600
    copy = policy.clone()
    assert copy.seed == 1 and copy.pull(["small", "large"], {"size": 1.0, "kind": "x"}) in ["small", "large"]


def test_river_evaluates_it_offline():
    rng = np.random.default_rng(4)
    history = [
        (["a", "b"], {"v": float(rng.normal())}, str(rng.choice(["a", "b"])), float(rng.integers(2)))
        for _ in range(200)
    ]
    stat, pulls = river.bandit.evaluate_offline(RouterPolicy(dim=16), history, reward_stat=river.stats.Mean())
    assert 0 <= stat.get() <= 1 and 0 < pulls < 200
