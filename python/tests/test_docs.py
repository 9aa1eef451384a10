"""Python snippets of the book and of the README: every one is run, in a folder and a namespace of its own."""

import importlib.util
import re
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
    for name in [needs[1]] if needs else ["optuna", "sklearn"]:
        if name in code and importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    exec(compile(code, "snippet", "exec"), {"__name__": "snippet"})


def test_there_are_snippets():
    assert len(SNIPPETS) >= 9
    # Blocks in another form would not be run.
    assert not [page.name for page in PAGES if re.search(r"^```(py|python[ ,{])", page.read_text(), re.MULTILINE) and
                not BLOCK.search(page.read_text())]
