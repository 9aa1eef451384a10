"""Base of the classes around a study."""

from __future__ import annotations

from typing import TypeVar

from .study import Study, Trial, TrialRecord

Own = TypeVar("Own", bound="AroundStudy")


class AroundStudy:
    """Class around a study: what both share.

    Attributes
    ----------
    study
        The study, with all that it can do.
    """

    study: Study

    def ask(self) -> Trial | None:
        """The next trial; None when there is none, for the reason in :attr:`stopped`."""
        return self.study.ask()

    @property
    def trials(self) -> list[TrialRecord]:
        """All trials in the order of asking."""
        return self.study.trials

    @property
    def stopped(self) -> str | None:
        """Reason for which the last ask had no trial."""
        return self.study.stopped

    def close(self) -> None:
        """Closes the journal, as :meth:`thrifty.Study.close`."""
        self.study.close()

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.study)

    def _repr_html_(self) -> str | None:
        return self.study._repr_html_()
