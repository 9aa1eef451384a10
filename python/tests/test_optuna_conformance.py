"""Optuna's own suite for samplers."""

import pytest

pytest.importorskip("optuna")
from optuna.testing.pytest_samplers import (  # noqa: E402
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from thrifty.optuna import GPSampler, TPESampler  # noqa: E402


class Suite(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
    kind = None

    @pytest.fixture(params=[None, 0], ids=["default startup", "no startup"])
    def sampler(self, request):
        return lambda: self.kind(seed=0, n_startup_trials=request.param, strict=True)


class TestTPE(Suite):
    kind = TPESampler


class TestGP(Suite):
    kind = GPSampler


class Single(GPSampler):
    def _check(self, study):
        self._raise_error_if_multi_objective(study)


class TestSingle(SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: Single(seed=0, strict=True)


del Suite
