"""Spaces: values there and back, and what is refused."""

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
