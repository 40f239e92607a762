"""Whatever people hold in their hands: arrays of every kind, names, who is there, what came of it."""

import copy
import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse

from deferlab import Router

X = np.array([0.5, -1.0, 2.0])


def make(**settings):
    return Router(["cat", "dog"], ["anna", "ben"], **settings)


def estimates(x, **settings):
    """What a router that has learned a little says about an input."""
    router = make(**settings)
    for t in range(5):
        router.learn(X * t, ["cat", "anna"][t % 2], t % 3 == 0)
    return router.consider(x).estimates


class Tensor:
    """What torch, jax and the others have in common."""

    def __array__(self, dtype=None, copy=None):
        return X.astype(dtype or np.float32)


@pytest.mark.parametrize(
    "x",
    [
        X.tolist(),
        tuple(X),
        X[None],
        X.astype(np.float32),
        np.repeat(X, 2)[::2],
        np.repeat(X.astype(np.float32), 2)[::2],
        np.asfortranarray(np.stack([X, X]))[0],
        X.astype(">f8"),
        X.astype(np.float16),
        X.astype(object),
        pandas.Series(X),
        pandas.DataFrame([X, X]).iloc[0],
        pandas.DataFrame([X]),
        Tensor(),
    ],
    ids=lambda x: type(x).__name__,
)
def test_every_kind_of_array(x):
    assert estimates(x) == estimates(X)


@pytest.mark.parametrize("kind", [bool, np.int8, np.int64, np.uint16])
def test_whole_numbers(kind):
    x = np.array([1, 0, 1], dtype=kind)
    assert estimates(x) == estimates(x.astype(np.float64))


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_every_kind_of_sparse_row(form):
    row = getattr(scipy.sparse, form)(np.array([[0.5, 0.0, 2.0]]))
    assert estimates(row) == estimates(scipy.sparse.csr_matrix([[0.5, 0.0, 2.0]]))
    with pytest.raises(ValueError, match=r"x has shape \(2, 3\): expected one row"):
        make().decide(getattr(scipy.sparse, form)(np.ones((2, 3))))


@pytest.mark.parametrize(
    "x, kind, words",
    [
        (np.ones((2, 3)), ValueError, r"x has shape \(2, 3\): expected one row"),
        (np.float64(1.0), ValueError, r"x has shape \(\): expected one row"),
        ([[1.0], [2.0, 3.0]], TypeError, "x is list: expected an array of numbers"),
        (["a", "b"], TypeError, "x is list: expected an array of numbers"),
        (None, (TypeError, ValueError), "x"),
        ({"a": None}, TypeError, "a feature is NoneType: expected a number or a text"),
        (np.array([1.0, np.nan]), ValueError, "NaN"),
        ([1.0, float("inf")], ValueError, "inf"),
        (np.array([1.0, np.inf], dtype=np.float32), ValueError, "inf"),
        ({"a": float("nan")}, ValueError, "NaN"),
    ],
)
def test_what_is_no_input(x, kind, words):
    router = make()
    with pytest.raises(kind, match=words):
        router.decide(x)
    # What was refused has not decided the dimension.
    assert router.dim is None
    with pytest.raises(kind, match=words):
        router.learn(x, "cat", True)
    router.decide(X)
    assert router.dim == 3


def test_the_reason_comes_along():
    with pytest.raises(TypeError) as refused:
        make().decide(["a"])
    assert isinstance(refused.value.__cause__, ValueError)


@pytest.mark.parametrize(
    "available, expected",
    [
        (None, ["anna", "ben"]),
        ([], []),
        ((), []),
        (("ben",), ["ben"]),
        ({"ben", "anna"}, ["anna", "ben"]),
        (frozenset(["ben"]), ["ben"]),
        ({"ben": 1.0}.keys(), ["ben"]),
        (np.array(["ben"]), ["ben"]),
        (pandas.Series(["ben", "anna"]), ["anna", "ben"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_who_is_there(available, expected):
    assert list(make().decide(X, available).probabilities) == ["cat", "dog", *expected]
    assert list(make().decide(X, available=(a for a in expected)).probabilities) == ["cat", "dog", *expected]


def test_who_is_not():
    for available, kind, words in [
        (["ana"], ValueError, 'no expert "ana", did you mean "anna"'),
        (["cat"], ValueError, "is a class"),
        ([1], ValueError, "no expert"),
        ([["anna"]], TypeError, "unhashable"),
        (3, TypeError, "not iterable"),
        ("anna", TypeError, "available is a str"),
    ]:
        with pytest.raises(kind, match=words):
            make().decide(X, available)
    with pytest.raises(ValueError, match="nobody is available and there are no classes"):
        Router(experts=["anna"]).decide(X, [])


def test_numbers_of_numpy_are_numbers():
    for outcome, same in [
        (dict(correct=np.bool_(True)), dict(correct=True)),
        (dict(reward=np.float32(0.5), cost=np.int64(1)), dict(reward=0.5, cost=1.0)),
        (dict(answer=np.str_("dog"), correct=np.True_), dict(answer="dog", correct=True)),
    ]:
        one, other = make(), make()
        one.learn(X, np.str_("anna"), **outcome)
        other.learn(X, "anna", **same)
        assert one.to_json() == other.to_json()
    with pytest.raises(TypeError, match="correct"):
        make().learn(X, "anna", 1)
    with pytest.raises(TypeError, match="reward"):
        make().learn(X, "anna", reward="0.5")


def test_once_for_every_question():
    router = make()
    router.decide(X)
    router.observe(True)
    with pytest.raises(ValueError, match="round 2: observe was called without a decide"):
        router.observe(True)
    router.decide(X)
    router.consider(X)
    with pytest.raises(ValueError, match="without a decide"):
        router.observe(True)


def test_an_expert_who_leaves_while_being_asked():
    """What was asked can be told, in the same process and from a file."""
    router = make(dim=3)
    while not router.decide(X, ["ben"]).is_expert:
        router.observe(False)
    router.retire_expert("ben")
    router.add_expert("cleo")
    again = pickle.loads(pickle.dumps(router))
    for one in (router, again):
        one.observe(True, answer="dog")
    assert router.to_json() == again.to_json()


def test_an_open_question_is_copied():
    x = np.random.default_rng(1).normal(size=(50, 3))
    router = make()
    for t, row in enumerate(x):
        decision = router.decide(row)
        for other in (copy.copy(router), copy.deepcopy(router), pickle.loads(pickle.dumps(router, 2))):
            assert other.to_json() == router.to_json()
        other.observe(t % 3 == 0)
        router.observe(t % 3 == 0)
        assert other.to_json() == router.to_json()
        assert other.decide(row).estimates == router.decide(row).estimates != decision.estimates


def test_how_it_looks():
    router = Router(["it's", "dog"], ["ännä"], seed=4)
    assert repr(router) == """Router(classes=["it's", 'dog'], experts=['ännä'], learner='auto')"""
    assert router.seed == 4
    for name, member in vars(Router).items():
        if not name.startswith("_"):
            assert member.__doc__, name
    for word in ("classes", "experts", "learner", "dim", "features", "seed", "cost_weight", "half_life", "floor"):
        assert word in Router.__doc__
