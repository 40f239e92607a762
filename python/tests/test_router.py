"""The router: names, inputs, bits, states, refusals, threads, leaks."""

import copy
import gc
import json
import pickle
import sys
import threading

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import deferlab
from deferlab import Router

CLASSES, EXPERTS = ["cat", "dog", "bird"], ["anna", "ben"]


def make(**settings):
    return Router(CLASSES, EXPERTS, **settings)


def play(router, x, labels, available=None):
    """Plays rounds and returns every number that was answered. Experts are right when the label is even."""
    seen = []
    for t, (row, label) in enumerate(zip(x, labels)):
        decision = router.decide(row, None if available is None else available[t])
        seen.append((decision.action, decision.probability, *decision.estimates.values()))
        right = label % 2 == 0 if decision.is_expert else decision.action == CLASSES[label]
        router.observe(bool(right))
    return seen


def rounds(seed, count, d=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, d)), rng.integers(3, size=count)


def test_a_first_round():
    router = make()
    decision = router.decide([0.5, -1.0], available=["ben"])
    assert decision.action in [*CLASSES, "ben"]
    assert list(decision.probabilities) == [*CLASSES, "ben"] == list(decision.estimates)
    assert decision.probability == decision.probabilities[decision.action]
    assert sum(decision.probabilities.values()) == pytest.approx(1.0)
    assert decision.is_expert == (decision.action == "ben")
    assert repr(decision).startswith(f"Decision(action={decision.action!r}, probability=")
    router.observe(True)
    assert router.dim == 2 and router.classes == CLASSES and router.experts == EXPERTS


@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_the_same_seed_gives_the_same_bits(seed, data):
    x, labels = rounds(data, 30)
    assert play(make(seed=seed), x, labels) == play(make(seed=seed), x, labels)


@given(st.integers(1, 40), st.booleans(), st.sampled_from(["auto", "belief", "square_cb", "algorithm1"]))
def test_a_saved_router_goes_on_bit_for_bit(stop, open_question, learner):
    x, labels = rounds(3, 60)
    whole = make(learner=learner)
    expected = play(whole, x, labels)
    router = make(learner=learner)
    play(router, x[:stop], labels[:stop])
    if open_question:
        router.decide(x[stop])
        router = pickle.loads(pickle.dumps(router))
        # The open question comes along: the copy can be told what came of it.
        pickle.loads(pickle.dumps(router)).observe(True)
        router = make(learner=learner)
        play(router, x[:stop], labels[:stop])
    for again in (pickle.loads(pickle.dumps(router)), copy.deepcopy(router), Router.from_json(router.to_json())):
        assert play(again, x[stop:], labels[stop:]) == expected[stop:]
        assert again.to_json() == whole.to_json()


def test_files_appear_whole(tmp_path):
    router = make()
    play(router, *rounds(1, 10))
    router.save(tmp_path / "router.json")
    assert Router.load(tmp_path / "router.json").to_json() == router.to_json()
    with pytest.raises(FileNotFoundError):
        Router.load(tmp_path / "nothing.json")
    # A file is JSON, and one changed digit is noticed.
    text = (tmp_path / "router.json").read_text()
    assert json.loads(text)["seed"] == json.loads(router.to_json())["seed"]
    digit = next(i for i in range(len(text) // 2, len(text)) if text[i] in "0123456789")
    (tmp_path / "damaged.json").write_text(text[:digit] + str((int(text[digit]) + 1) % 10) + text[digit + 1 :])
    with pytest.raises(ValueError, match="damaged"):
        Router.load(tmp_path / "damaged.json")
    state = json.loads(router.to_json())
    for key, value, words in [
        ("format", 99, "format 99, this version reads"),
        ("surprise", 1, "unknown field `surprise`"),
        ("experts", ["anna"], "other actions"),
    ]:
        with pytest.raises(ValueError, match=words):
            Router.from_json(json.dumps({**state, key: value}))


def test_inputs_that_say_the_same_give_the_same():
    x, labels = rounds(5, 20)
    x[np.abs(x) < 0.5] = 0.0
    x[:, 0] = 1.0
    expected = play(make(), x, labels)
    assert play(make(), x.tolist(), labels) == expected
    assert play(make(), [tuple(row) for row in x], labels) == expected
    assert play(make(), np.asfortranarray(x), labels) == expected
    assert play(make(), np.repeat(x, 2, axis=0)[::2], labels) == expected
    # Exact in single precision as well.
    single = np.round(x, 2).astype(np.float32)
    assert play(make(), single, labels) == play(make(), single.astype(np.float64), labels)
    sparse = scipy.sparse.csr_matrix(x)
    rows = [sparse[t] for t in range(len(labels))]
    by_name = [{f"f{j}": v for j, v in enumerate(row) if v} for row in x]
    # The default learner scales dense features and leaves sparse ones alone; this one scales nothing.
    belief = dict(learner="belief")
    expected = play(make(**belief), x, labels)
    named = make(features=[f"f{j}" for j in range(4)], **belief)
    for seen in (play(make(**belief), rows, labels), play(named, by_name, labels)):
        assert [s[0] for s in seen] == [s[0] for s in expected]
        np.testing.assert_allclose([s[1] for s in seen], [s[1] for s in expected], rtol=1e-9)


def test_nothing_is_copied_and_nothing_is_written():
    router, x = make(), np.ones(1000)
    x.setflags(write=False)
    router.decide(x)
    assert router.dim == 1000 and (x == 1).all()


def test_text_and_dicts():
    router = make(dim=256)
    text = router.decide("How do I cook rice?")
    router.observe(True)
    assert router.decide("how do i COOK rice").estimates != text.estimates
    assert make(dim=256).decide("how do i COOK rice").estimates == text.estimates
    hashed = make(dim=256)
    hashed.decide({"age": 41, "city": "Lyon"})
    hashed.observe(True)
    assert hashed.decide({"city": "Lyon", "age": 41}).estimates == hashed.consider({"age": 41, "city": "Lyon"}).estimates
    with pytest.raises(ValueError, match=r"expected a power of two"):
        make(dim=100).decide("text")
    with pytest.raises(ValueError, match=r'feature "aeg" is not known, did you mean "age"\?'):
        make(features=["age", "city"]).decide({"aeg": 1})


def told(action, **outcome):
    """What a router thinks of an action after one round in which it was taken."""
    router = make(dim=1)
    router.learn([1.0], action, **outcome)
    return router.consider([1.0]).estimates


def test_every_kind_of_feedback():
    before = make(dim=1).consider([1.0]).estimates
    assert told("anna", correct=True)["anna"] > before["anna"] > told("anna", correct=False)["anna"]
    assert told("cat", correct=True)["cat"] > before["cat"] > told("cat", correct=False)["cat"]
    # The cost of the paper says all there is to say.
    assert told("anna", correct=True, loss=0.0) == told("anna", correct=True)
    assert told("anna", correct=True, loss=0.9)["anna"] < before["anna"]
    # A right answer names the label, a wrong one rules it out.
    assert told("anna", correct=True, answer="dog")["dog"] > before["dog"]
    assert told("anna", correct=False, answer="dog")["dog"] < before["dog"]
    assert told("anna", answer="dog", label="dog")["dog"] > before["dog"]
    assert told("cat", label="dog")["dog"] > before["dog"] > told("cat", label="dog")["cat"]
    assert told("ben", reward=0.9)["ben"] > told("ben", reward=0.2)["ben"]
    for wrong in (
        dict(),
        dict(correct=True, reward=0.5),
        dict(reward=0.5, loss=0.5),
        dict(answer="dog"),
    ):
        with pytest.raises(TypeError):
            told("anna", **wrong)
    for wrong in (dict(reward=1.5), dict(reward=0.5, cost=-1.0), dict(correct=True, loss=2.0), dict(label="dog")):
        with pytest.raises(ValueError):
            told("anna", **wrong)
    with pytest.raises(ValueError, match="cat"):
        told("anna", correct=True, answer="cta")
    with pytest.raises(ValueError, match="is a class"):
        told("cat", correct=True, answer="dog")


def test_costs_in_the_unit_of_the_user():
    def route(**settings):
        router = Router(experts=["cheap", "dear"], dim=1, cost_weight=1.0, **settings)
        for _ in range(300):
            decision = router.decide([1.0])
            dear = decision.action == "dear"
            router.observe(reward=0.8 if dear else 0.6, cost=0.5 if dear else 0.01)
        return router

    router = route()
    assert router.consider([1.0]).greedy == "cheap"
    router.set_costs({"dear": 0.0})
    assert router.consider([1.0]).greedy == "dear"
    with pytest.raises(ValueError, match='did you mean "dear"'):
        router.set_costs({"deer": 0.0})


def test_experts_come_and_go():
    router = make(dim=2)
    play(router, *rounds(2, 100, d=2))
    router.add_expert("cleo")
    assert router.experts == ["anna", "ben", "cleo"]
    assert "cleo" in router.decide([1.0, 0.0]).probabilities
    router.retire_expert("anna")
    assert router.experts == ["ben", "cleo"]
    assert "anna" not in router.decide([1.0, 0.0]).probabilities
    with pytest.raises(ValueError, match="retired"):
        router.decide([1.0, 0.0], ["anna"])
    again = pickle.loads(pickle.dumps(router))
    for one in (router, again):
        one.add_expert("anna")
        with pytest.raises(ValueError, match="already the name of an expert"):
            one.add_expert("anna")
        with pytest.raises(ValueError, match="already the name of a class"):
            one.add_expert("cat")
    assert again.experts == router.experts == ["anna", "ben", "cleo"]
    assert again.to_json() == router.to_json()
    # Also before anything is known about the inputs.
    fresh = Router(experts=["anna"])
    fresh.add_expert("ben")
    fresh.retire_expert("anna")
    assert list(fresh.decide([0.0]).probabilities) == ["ben"] and fresh.decide([0.0]).probability == 1.0


def test_another_action_than_the_one_that_was_drawn():
    router = make(dim=1)
    considered = router.consider([1.0])
    assert considered.action == considered.greedy
    with pytest.raises(ValueError, match="without a decide"):
        router.observe(True)
    router.decide([1.0])
    router.observe(True, action="anna")
    assert router.consider([1.0]).estimates["anna"] > considered.estimates["anna"]
    router.decide([1.0], ["ben"])
    with pytest.raises(ValueError, match="not available"):
        router.observe(True, action="anna")


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda: Router(["a"]), ValueError, "n = 1"),
        (lambda: Router(["a", "a"]), ValueError, "twice"),
        (lambda: Router("ab"), TypeError, "str"),
        (lambda: make(learner="magic"), ValueError, '"magic" is not known'),
        (lambda: make(learner="belief", rate=-1.0), ValueError, "rate = -1: expected a finite number above 0"),
        (lambda: make(floor=2.0), ValueError, "floor = 2: expected"),
        (lambda: make(speed=1.0), ValueError, '"speed" is not known'),
        (lambda: make(flor=0.1), ValueError, 'setting "flor" is not known to this learner, did you mean "floor"'),
        (lambda: make().decide(object()), TypeError, "x is object: expected an array of numbers"),
        (lambda: make().decide([1.0, float("nan")]), ValueError, r"feature 1 .*NaN"),
        (lambda: make(dim=3).decide([1.0]), ValueError, "dimension 1, expected 3"),
        (lambda: make().decide([1.0], ["carla"]), ValueError, "there is no class and no expert \"carla\""),
        (lambda: make().decide([1.0], ["ana"]), ValueError, "did you mean \"anna\""),
        (lambda: make(learner="belief").add_expert("cleo"), ValueError, "auto"),
        (lambda: Router(), ValueError, "nothing to choose from"),
        (lambda: make().decide([1.0], ["cat"]), ValueError, "is a class"),
        (lambda: make().decide([1.0], "anna"), TypeError, "available is a str"),
        (lambda: make().observe(True), ValueError, "observe was called without a decide"),
    ],
)
def test_bad_input_is_an_exception(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_a_refused_round_changes_nothing():
    router = make()
    router.decide([1.0, 2.0])
    before = router.to_json()
    for call in (
        lambda: router.observe(),
        lambda: router.observe(True, action="nobody"),
        lambda: router.observe(True, action="anna", loss=7.0),
        lambda: router.decide([1.0]),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
        assert router.to_json() == before


def test_threads():
    x, labels = rounds(8, 300)
    expected = play(make(), x, labels)
    results = [None] * 8

    def work(i):
        results[i] = play(make(), x, labels)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results == [expected] * 8
    # One router for all: rounds may be refused, but nothing breaks.
    shared, refused = make(), []

    def share():
        for row in x:
            try:
                shared.decide(row)
                shared.observe(True)
            except (ValueError, RuntimeError) as error:
                refused.append(error)

    threads = [threading.Thread(target=share) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert Router.from_json(shared.to_json()).to_json() == shared.to_json()


def test_a_million_rounds_leak_nothing():
    router, x = make(), np.array([0.5, 1.0, -0.5])
    available = ["anna"]

    def some(count):
        for _ in range(count):
            decision = router.decide(x, available)
            decision.action, decision.probability
            router.observe(True)

    some(1000)
    gc.collect()
    counts = [sys.getrefcount(o) for o in (x, available, available[0], router, None, True)]
    before, objects = resident(), len(gc.get_objects())
    some(1_000_000)
    gc.collect()
    after = [sys.getrefcount(o) for o in (x, available, available[0], router, None, True)]
    assert all(abs(a - b) < 100 for a, b in zip(counts, after))
    assert len(gc.get_objects()) - objects < 100
    assert resident() - before < 5_000_000


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_the_version_is_that_of_the_command():
    from conftest import command

    # A release build also names its commit.
    said = command("--version").stdout.split()
    assert said[:2] == ["deferlab", deferlab.__version__]
    assert len(said) <= 3
