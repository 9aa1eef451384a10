"""Samplers for rustuna: those of :mod:`thrifty.optuna` behind its `SamplerProtocol`. Needs rustuna and Optuna."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial
from rustuna.converter import ToOptunaStorage, to_optuna_distribution, to_optuna_distributions, to_optuna_state

from .optuna._sampler import Sampler


class RustunaSampler:
    """A sampler of :mod:`thrifty.optuna` with the interface of rustuna's samplers.

    The same trials have the same suggestions as in a study of Optuna.

    Parameters
    ----------
    sampler
        The sampler, such as :class:`thrifty.optuna.GPSampler`, without `space`.

    Raises
    ------
    ValueError
        For a sampler with `space`: rustuna chooses the parameters that are sampled together, and samples no tree.
    """

    def __init__(self, sampler: Sampler) -> None:
        if getattr(sampler, "_space", None) is not None:
            raise ValueError("the sampler has a space, which rustuna does not sample as one tree: it samples those parameters together that "
                             "all complete trials have. Use the sampler in Optuna, or one without space=")
        self.sampler = sampler
        self._studies: dict[tuple[int, str], optuna.Study] = {}

    @property
    def support_joint_sampling(self) -> bool:
        """True: parameters that all trials have are sampled together."""
        return True

    def before_trial(self, ctx: Any, storage: Any) -> None:
        """Does nothing."""

    def sample_joint(self, ctx: Any, storage: Any, search_space: dict[str, Any]) -> dict[str, float]:
        """Parameters that are sampled together, in Optuna's internal representation."""
        study = self._study(ctx, storage)
        # Their order is not the same from run to run; that of Optuna is by name.
        space: dict[str, BaseDistribution] = dict(sorted(to_optuna_distributions(search_space).items()))
        found = self.sampler.sample_relative(study, study._storage.get_trial(ctx.trial_id), space)
        return {name: space[name].to_internal_repr(value) for name, value in found.items()}

    def sample_independent(self, ctx: Any, storage: Any, name: str, distribution: Any) -> float:
        """A parameter by itself."""
        study, own = self._study(ctx, storage), to_optuna_distribution(distribution)
        value = self.sampler.sample_independent(study, study._storage.get_trial(ctx.trial_id), name, own)
        return float(own.to_internal_repr(value))

    def after_trial(self, ctx: Any, storage: Any, state: Any, values: Sequence[float] | None = None) -> None:
        """Keeps constraints with the trial."""
        study = self._study(ctx, storage)
        self.sampler.after_trial(study, study._storage.get_trial(ctx.trial_id), to_optuna_state(state), values)

    def _study(self, ctx: Any, storage: Any) -> optuna.Study:
        """The study as one of Optuna's; the same object as long as it lasts, since the sampler remembers what it has read of it."""
        adapted = ToOptunaStorage(storage)
        name = adapted.get_study_name_from_id(ctx.study_id)
        known = self._studies.get((ctx.study_id, name))
        # Each call brings another object for the same storage, and studies of two storages may have the same name.
        if known is not None and _is_there(known._storage, ctx.trial_id, adapted.get_trial(ctx.trial_id)):
            return known
        study = self._studies[ctx.study_id, name] = optuna.Study(name, adapted, sampler=self.sampler)
        return study


def _is_there(storage: Any, trial_id: int, trial: FrozenTrial) -> bool:
    """True if a storage has a trial."""
    try:
        found = storage.get_trial(trial_id)
    except Exception:  # an error of the storage, whatever it is: it lacks the trial
        return False
    return bool(found.datetime_start == trial.datetime_start and found.params == trial.params and found.state == trial.state)
