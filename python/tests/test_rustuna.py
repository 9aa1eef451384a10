"""Samplers behind rustuna's protocol: the trials of Optuna, bit for bit."""

import pytest

optuna = pytest.importorskip("optuna")
rustuna = pytest.importorskip("rustuna")

import thrifty  # noqa: E402
from thrifty.optuna import GPSampler, TPESampler  # noqa: E402
from thrifty.rustuna import RustunaSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial):
    loss = (trial.suggest_float("x", -5, 5) - 1) ** 2 + 0.1 * trial.suggest_int("n", 1, 8)
    return loss + (trial.suggest_categorical("kind", ["a", "b"]) == "b") + abs(trial.suggest_float("rate", 1e-4, 1, log=True) - 0.01)


@pytest.mark.parametrize("kind", [TPESampler, GPSampler])
def test_trials_are_those_of_optuna(kind):
    theirs = rustuna.create_study(sampler=RustunaSampler(kind(seed=3, n_startup_trials=5, strict=True)))
    theirs.optimize(objective, n_trials=20)
    ours = optuna.create_study(sampler=kind(seed=3, n_startup_trials=5, strict=True))
    ours.optimize(objective, n_trials=20)
    assert [trial.params for trial in theirs.trials] == [trial.params for trial in ours.trials]
    assert [trial.value for trial in theirs.trials] == [trial.value for trial in ours.trials]


def test_one_sampler_serves_several_studies():
    sampler = RustunaSampler(TPESampler(seed=1, n_startup_trials=3, strict=True))
    alone = rustuna.create_study(sampler=RustunaSampler(TPESampler(seed=1, n_startup_trials=3, strict=True)))
    alone.optimize(objective, n_trials=8)
    first, second = rustuna.create_study(sampler=sampler), rustuna.create_study(sampler=sampler)
    for _ in range(8):
        first.optimize(objective, n_trials=1)
        second.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert [trial.params for trial in first.trials] == [trial.params for trial in alone.trials]


@pytest.mark.parametrize("kind", [TPESampler, GPSampler])
def test_a_sampler_with_a_space_is_refused(kind):
    space = thrifty.Space().categorical("kind", ["a", "b"]).float("x", 0, 1).when("kind", ["a"])
    with pytest.raises(ValueError, match="the sampler has a space, which rustuna does not sample as one tree"):
        RustunaSampler(kind(seed=1, space=space))


def test_it_has_all_of_the_protocol():
    from rustuna.samplers import SamplerProtocol
    names = {name for name in vars(SamplerProtocol) if not name.startswith("_")}
    assert names and all(hasattr(RustunaSampler, name) for name in names)
