"""Python snippets of the book and of the README: every one is run, in a folder and a namespace of its own."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "src").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SNIPPETS = [(f"{page.stem}-{at}", code) for page in PAGES for at, code in enumerate(BLOCK.findall(page.read_text()))]


@pytest.mark.parametrize("code", [code for _, code in SNIPPETS], ids=[name for name, _ in SNIPPETS])
def test_snippets_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    needs = re.match(r"# needs (\w+)\n", code)
    if needs and needs[1] == "optuna_integration" and importlib.util.find_spec("distributed") is None:
        pytest.skip("distributed is not installed")
    for name in [needs[1]] if needs else ["optuna", "sklearn"]:
        if name in code and importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    exec(compile(code, "snippet", "exec"), {"__name__": "snippet"})


def test_the_tasks_of_an_array_job_share_a_study(tmp_path):
    """The snippet for Slurm, as two processes at once."""
    optuna = pytest.importorskip("optuna")
    [code] = [code for _, code in SNIPPETS if "SLURM_ARRAY_TASK_ID" in code]
    (tmp_path / "tune.py").write_text(code)
    tasks = [subprocess.Popen([sys.executable, "tune.py"], cwd=tmp_path, env={**os.environ, "SLURM_ARRAY_TASK_ID": task})
             for task in "01"]
    assert [task.wait(300) for task in tasks] == [0, 0]
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(tmp_path / "tune.log")))
    trials = optuna.load_study(storage=storage, study_name="s").trials
    assert sorted(trial.user_attrs["task"] for trial in trials) == [0] * 6 + [1] * 6
    assert len({trial.params["x"] for trial in trials}) == 12


def test_there_are_snippets():
    assert len(SNIPPETS) >= 9
    # Blocks in another form would not be run.
    assert not [page.name for page in PAGES if re.search(r"^```(py|python[ ,{])", page.read_text(), re.MULTILINE) and
                not BLOCK.search(page.read_text())]
