"""Whole streams in Rust: the same bits as round by round, as the command, and an end when asked for."""

import copy
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse

import deferlab
from conftest import command
from deferlab import Experiment, Router, Stream, simulate

CLASSES, EXPERTS = ["a", "b", "c"], ["anna", "ben"]


def recorded(count=400, seed=3):
    """Inputs, labels, and answers of two experts, of whom the second is there half of the time."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 5))
    labels = np.argmax(x[:, :3], axis=1)
    anna = np.where(rng.uniform(size=count) < 0.9, labels, 0)
    ben = np.where(rng.uniform(size=count) < 0.5, rng.integers(3, size=count), -1)
    return x, labels, np.stack([anna, ben], axis=1)


def make():
    return Router(CLASSES, EXPERTS)


def test_it_is_the_loop_of_python():
    x, labels, answers = recorded()
    stream = Stream(x, labels, CLASSES, answers=answers, experts=EXPERTS, ask_cost=0.1)
    whole = make()
    run = simulate(whole, stream)
    router = make()
    for t, row in enumerate(x):
        decision = router.decide(row, [e for e, a in zip(EXPERTS, answers[t]) if a >= 0])
        assert decision.action == run.names[run.action[t]]
        assert decision.probability == run.probability[t]
        answer = answers[t][EXPERTS.index(decision.action)] if decision.is_expert else None
        right = (CLASSES.index(decision.action) if answer is None else answer) == labels[t]
        assert right == run.correct[t]
        loss = (0.1 if right else 1.1) / 1.1 if decision.is_expert else None
        router.observe(bool(right), loss=loss)
    assert router.to_json() == whole.to_json()
    assert run.accuracy == pytest.approx(run.correct.mean()) and len(stream) == 400
    # It can be cut anywhere.
    cut = make()
    halves = [simulate(cut, Stream(x[s], labels[s], CLASSES, answers=answers[s], ask_cost=0.1))
              for s in (slice(0, 150), slice(150, None))]
    assert np.array_equal(np.concatenate([h.action for h in halves]), run.action)
    assert cut.to_json() == whole.to_json()


def test_names_sparse_rows_and_costs_say_the_same():
    x, labels, answers = recorded()
    x[np.abs(x) < 0.3] = 0
    by_number = simulate(make(), Stream(x, labels, CLASSES, answers=answers, ask_cost=0.1))
    names = np.array([*CLASSES, None], dtype=object)
    by_name = Stream(x, names[labels], CLASSES, answers=names[answers], ask_cost=0.1)
    assert np.array_equal(simulate(make(), by_name).action, by_number.action)
    right = answers == labels[:, None]
    costs = np.where(right, 0.1, 1.1) / 1.1
    by_cost = Stream(x, labels, 3, costs=costs, right=right, available=answers >= 0)
    assert np.array_equal(simulate(make(), by_cost).loss, by_number.loss)
    # The default learner scales dense features and leaves sparse ones alone; this one scales nothing.
    inputs = (x, scipy.sparse.csr_array(x))
    dense, sparse = (
        simulate(Router(CLASSES, EXPERTS, learner="belief"), Stream(one, labels, CLASSES, answers=answers))
        for one in inputs
    )
    assert np.array_equal(sparse.action, dense.action)


def test_experts_alone(rng):
    rewards = rng.uniform(size=(500, 3)) * [0.2, 1.0, 0.4]
    stream = Stream(rng.normal(size=(500, 2)), rewards=rewards, experts=["s", "m", "l"])
    run = simulate(Router(experts=["s", "m", "l"]), stream)
    assert run.names == ["s", "m", "l"] and run.shares["m"] > 0.6
    assert np.allclose(1 - run.loss, rewards[np.arange(500), run.action])
    with pytest.raises(TypeError, match="labels"):
        Stream(np.zeros((2, 1)), classes=["a", "b"])
    with pytest.raises(TypeError, match="one of answers"):
        Stream(np.zeros((2, 1)), rewards=np.ones((2, 1)), costs=np.ones((2, 1)))


def test_the_log_for_others():
    x, labels, answers = recorded()
    run = simulate(make(), Stream(x, labels, CLASSES, answers=answers))
    feedback = run.bandit_feedback()
    assert feedback["n_rounds"] == 400 and feedback["n_actions"] == 5
    assert feedback["context"].shape == (400, 5)
    # What Open Bandit Pipeline checks: kinds, shapes, and that every propensity is positive.
    assert feedback["action_context"].shape[0] > feedback["action"].max() >= 0
    for name in ("action", "position", "reward", "pscore"):
        assert isinstance(feedback[name], np.ndarray) and feedback[name].shape == (400,), name
    for name in ("action", "position"):
        assert np.issubdtype(feedback[name].dtype, np.integer)
    assert (feedback["pscore"] > 0).all() and np.array_equal(feedback["reward"], 1 - run.loss)
    # Propensities are what they say: an unbiased estimate of the value of playing the first expert.
    always = labels == answers[:, 0]
    estimate = (feedback["reward"] * (run.action == 3) / feedback["pscore"]).mean()
    assert abs(estimate - always.mean()) < 0.3
    for table in (pandas.DataFrame(run.columns()), polars.DataFrame(run.columns())):
        assert table.shape == (400, 5) and table["action"][0] == run.names[run.action[0]]
    assert sum(run.shares.values()) == pytest.approx(1.0)


def test_the_same_seeds_give_the_bits_of_the_command(experiment, tmp_path):
    store = tmp_path / "runs"
    assert command("run", experiment, "--store", store, cwd=tmp_path).returncode == 0
    plan = Experiment(experiment)
    rows = pandas.DataFrame(plan.results(store))
    assert len(rows) == 3 * 2 * 4 and polars.DataFrame(plan.results(store)).shape[0] == len(rows)
    for name in plan.policies:
        for run in range(plan.runs):
            log = simulate(name, plan, run=run)
            stored = rows[(rows.policy == name) & (rows.run == run)]
            right = np.cumsum(log.correct)[stored.t - 1]
            assert right.tolist() == stored.right.tolist()
            asked = np.cumsum(log.action >= log.classes)[stored.t - 1]
            assert asked.tolist() == stored.asked.tolist()
            total, losses = 0.0, {}
            for t, loss in enumerate(log.loss, 1):
                total += loss
                losses[t] = total
            assert [losses[t] for t in stored.t] == stored.loss.tolist()


def test_a_router_on_an_experiment(experiment):
    plan = Experiment(experiment)
    classes, experts, dim = plan.shape("setting")
    router = Router([str(c) for c in range(classes)], [f"e{j}" for j in range(experts)])
    run = simulate(router, plan, rounds=500, on="setting")
    assert len(run.action) == 500 and router.dim == dim and run.names == router.classes + router.experts
    with pytest.raises(ValueError, match='policy "alg2" is not in the experiment, did you mean "alg1"'):
        simulate("alg2", plan)
    with pytest.raises(ValueError, match='stream "other"'):
        simulate("alg1", plan, on="other")
    with pytest.raises(ValueError, match="nowhere.toml"):
        Experiment("nowhere.toml")


def test_progress_is_told():
    x, labels, answers = recorded()
    told = []
    simulate(make(), Stream(x, labels, CLASSES, answers=answers), progress=told.append)
    assert told[-1] == 400 and told == sorted(told)
    simulate(make(), Stream(x, labels, CLASSES, answers=answers), progress=True)

    def refuse(done):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        simulate(make(), Stream(x, labels, CLASSES, answers=answers), progress=refuse)


def test_rounds_that_cannot_be_are_refused():
    x, labels, answers = recorded(20)
    for change, words in [
        (dict(labels=labels[:5]), "20 inputs|cannot reshape"),
        (dict(labels=np.full(20, 7)), "round 1: label = 7: expected a class below 3"),
        (dict(x=np.full((20, 2), np.nan)), "round 1: .*NaN"),
        (dict(answers=None, costs=np.full((20, 1), 1.5)), r"round 1: costs\[0\] = 1.5: a cost must lie in"),
        (dict(labels=["a"] * 19 + ["z"]), "'z' is no class"),
        (dict(experts=["anna"]), "expected 2"),
    ]:
        given = dict(x=x, labels=labels, classes=CLASSES, answers=answers)
        with pytest.raises(ValueError, match=words):
            Stream(**{**given, **change})
    stream = Stream(x, labels, CLASSES, answers=answers)
    with pytest.raises(ValueError, match=r"the stream has the classes \['a', 'b', 'c'\], the router \['a', 'b'\]"):
        simulate(Router(["a", "b"]), stream)
    with pytest.raises(ValueError, match="the stream has 2 experts, the router 1"):
        simulate(Router(CLASSES, ["anna"]), stream)
    with pytest.raises(ValueError, match="rounds = -1: expected a number not below 0"):
        simulate(make(), stream, rounds=-1)
    with pytest.raises(TypeError, match="expected a Router"):
        simulate("alg1", stream)
    with pytest.raises(TypeError, match="stream is ndarray: expected a Stream or an Experiment"):
        simulate(make(), x)


def test_experts_are_found_by_their_names():
    x, labels, answers = recorded(100)
    expected = simulate(make(), Stream(x, labels, CLASSES, answers=answers, experts=EXPERTS))
    swapped = Stream(x, labels, CLASSES, answers=answers[:, ::-1], experts=EXPERTS[::-1])
    run = simulate(make(), swapped)
    assert run.names == expected.names and np.array_equal(run.action, expected.action)
    assert np.array_equal(run.loss, expected.loss)
    with pytest.raises(ValueError, match="expert 'cleo' of the stream is not in the router"):
        simulate(make(), Stream(x, labels, CLASSES, answers=answers, experts=["anna", "cleo"]))
    # Classes are positions in the arrays: another order is another problem.
    with pytest.raises(ValueError, match="the stream has the classes"):
        simulate(make(), Stream(x, labels, CLASSES[::-1], answers=answers))
    # Without names, order counts.
    run = simulate(make(), Stream(x, labels, 3, answers=answers))
    assert run.names == [*CLASSES, *EXPERTS] and np.array_equal(run.action, expected.action)


def test_who_was_retired_is_not_asked():
    x, labels, answers = recorded(200)
    router = make()
    simulate(router, Stream(x, labels, CLASSES, answers=answers))
    router.retire_expert("anna")
    run = simulate(router, Stream(x, labels, CLASSES, answers=answers, experts=EXPERTS))
    assert run.names == [*CLASSES, "anna", "ben"] and run.shares["anna"] == 0 < run.shares["ben"]
    alone = copy.deepcopy(router)
    one = simulate(router, Stream(x, labels, CLASSES, answers=answers[:, 1:]))
    other = simulate(alone, Stream(x, labels, CLASSES, answers=answers[:, 1:], experts=["ben"]))
    assert np.array_equal(one.action, other.action) and set(one.action) <= {0, 1, 2, 4}


def test_one_thread_at_a_time(experiment):
    plan, router, refused = Experiment(experiment), None, []
    classes, experts, dim = plan.shape("setting")
    router = Router([str(c) for c in range(classes)], [f"e{j}" for j in range(experts)])

    def intrude(done):
        other = threading.Thread(target=lambda: refused.append(pytest.raises(RuntimeError, router.decide, [0.0] * dim)))
        other.start()
        other.join()

    simulate(router, plan, rounds=500, progress=intrude)
    assert refused
    router.decide([0.0] * dim)


def test_ctrl_c_within_a_second(experiment):
    program = f"""
import deferlab, time
plan = deferlab.Experiment({str(experiment)!r})
print("started", flush=True)
try:
    deferlab.simulate("alg1", plan, rounds=10**9)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 1.0
    process.wait(timeout=20)
    process.stdout.close()


def test_the_interpreter_is_free_meanwhile(experiment):
    plan, stop, turns = Experiment(experiment), threading.Event(), []

    def count():
        while not stop.is_set():
            turns.append(1)
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    simulate("belief", plan, rounds=2000)
    start, before = time.monotonic(), len(turns)
    while time.monotonic() - start < 0.3:
        simulate("belief", plan, rounds=2000)
    stop.set()
    other.join()
    assert len(turns) - before > 20
    assert os.getpid() and deferlab
