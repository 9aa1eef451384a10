"""Spaces: values there and back, and what is refused."""

import json
import math

import pytest

import thrifty


def test_values_come_back():
    nan = float("nan")
    marker = object()
    space = (thrifty.Space().float("x", -1, 1).int("n", 2**60, 2**60 + 9).categorical("c", [1, 1.0, True, "1", None, nan, marker])
             .float("s", 0, 1, step=0.25).float("one", 2.5, 2.5).float("y", 1e-3, 1, log=True).when("c", [None, True]))
    space.check()
    params = {"x": 0.25, "n": 2**60 + 1, "c": None, "s": 0.5, "one": 2.5, "y": 0.125}
    assert space.decode(space.encode(params)) == params
    for at, choice in enumerate([1, 1.0, True, "1", None, nan, marker]):
        assert space.encode({"c": choice})[2] == at
    decoded = space.decode(space.encode({"c": nan}))["c"]
    assert math.isnan(decoded)


@pytest.mark.parametrize(("build", "message"), [
    (lambda s: s.float("x", 2, 1), "bounds"),
    (lambda s: s.float("x", 0, 1, log=True), "log scale"),
    (lambda s: s.float("x", -1e308, 1e308), "finite range"),
    (lambda s: s.categorical("c", []), "choices"),
    (lambda s: s.categorical("c", ["a", "a"]), "twice"),
    (lambda s: s.float("x", 0, 1).float("x", 0, 1), "twice"),
    (lambda s: s.float("x", 0, 1).when("z", [1]), "z"),
    (lambda s: s.categorical("c", ["a"]).float("x", 0, 1).when("c", ["b"]), "expected one of"),
    (lambda s: s.categorical("c", "adam"), "c has 'adam', expected a list of values"),
    (lambda s: s.categorical("c", 3), "c has 3, expected a list of values"),
    (lambda s: s.categorical("c", ["ab"]).float("x", 0, 1).when("c", "ab"), "c has 'ab', expected a list of values"),
    (lambda s: s.int("n", 0, 1).float("x", 0, 1).when("n", 1), "n has 1, expected a list of values"),
    (lambda s: s.int("n", 0.5, 1), "whole"),
    (lambda s: s.int("n", 0, math.nan), "n is nan, expected a whole"),
    (lambda s: s.int("n", 0, math.inf), "n is inf, expected a whole"),
    (lambda s: s.float("x", math.nan, 1), "x has the bound or step nan"),
    (lambda s: s.float("x", 0, math.inf), "x has the bound or step inf"),
    (lambda s: s.float("x", 0, 1, step=math.nan), "x has the bound or step nan"),
    (lambda s: s.float("x", 0, 1, log=True, step=0.1), "exclude"),
    (lambda s: s, "at least one"),
])
def test_what_is_no_space_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build(thrifty.Space()).check()


def test_scalars_of_numpy_are_their_numbers():
    numpy = pytest.importorskip("numpy")
    space = thrifty.Space().categorical("c", numpy.linspace(0, 1, 3)).categorical("flag", [True, False])
    space.float("x", 0, 1).when("flag", [numpy.True_]).check()
    assert [space.encode({"c": value})[0] for value in (0.0, numpy.float64(0.5), 1.0)] == [0, 1, 2]
    assert isinstance(space.decode([1, 1, None])["c"], numpy.float64)
    assert [parameter["choices"] for parameter in json.loads(space.to_json())[:2]] == [[0.0, 0.5, 1.0], [True, False]]
    assert thrifty.Space().categorical("n", [1, 2]).encode({"n": numpy.int64(2)}) == [1]
    with pytest.raises(ValueError, match="twice"):
        thrifty.Space().categorical("n", [1, numpy.int64(1)])


def test_choices_that_are_not_plain_have_their_text_for_a_label():
    """With the elements of sets in an order: numbers in that of the set, others in that of their texts."""
    same = [None, (1, "a"), [(2,), []], (), {8, 1}, {(1, 2), 9.5, frozenset({10, 3})}, {"only"}, set(), frozenset(), {"k": {1}}, math.nan]
    sets = [{"b", "a", ("d", frozenset({"e", "c"}))}, ([{"r", "q"}, "p"],), frozenset({None, "z", 1})]
    found = json.loads(thrifty.Space().categorical("c", same + sets).to_json())[0]["choices"]
    assert found[:len(same)] == [f"{at}: {choice}" for at, choice in enumerate(same)]
    assert found[len(same):] == ["11: {'a', 'b', ('d', frozenset({'c', 'e'}))}", "12: ([{'q', 'r'}, 'p'],)", "13: frozenset({'z', 1, None})"]


def test_configurations_are_checked():
    space = thrifty.Space().categorical("c", ["a", "b"]).int("n", 0, 3)
    for params in ({"z": 1}, {"c": "z"}, {"n": 1.5}, {"n": True}):
        with pytest.raises(ValueError):
            space.encode(params)
    study = thrifty.Study(space, "random")
    with pytest.raises(ValueError, match="parameter n is 9"):
        study.enqueue({"n": 9})
    with pytest.raises(ValueError, match="parameter n is 9"):
        study.add_known({"c": "a", "n": 9}, 1.0)
    with pytest.raises(ValueError, match="parameter n is missing"):
        study.add_known({"c": "a"}, 1.0)
    assert len(study) == 0


def test_whole_numbers_beyond_64_bits_are_refused_by_name():
    space = thrifty.Space().int("n", 0, 1000)
    study = thrifty.Study(space, "random", seed=1)
    for value in (2**63, 2**70, -(2**64), 10**400):
        with pytest.raises(ValueError, match="n is a whole number of [0-9]+ bits"):
            study.enqueue({"n": value})
    with pytest.raises(ValueError, match="n is a whole number of 64 bits"):
        thrifty.Space().int("n", 0, 2**63)
