"""What several tests use."""

import os
import subprocess
import sys
from pathlib import Path

import hypothesis
import numpy as np
import pytest

#: The checkout, for experiment files and notebooks.
ROOT = Path(__file__).parents[2]

hypothesis.settings.register_profile("deferlab", deadline=None, max_examples=40, derandomize=True)
hypothesis.settings.load_profile("deferlab")


def command(*arguments, stdin="", cwd=None):
    """Runs the command as a user does."""
    line = [sys.executable, "-m", "deferlab", *map(str, arguments)]
    return subprocess.run(line, input=stdin, capture_output=True, text=True, cwd=cwd, timeout=120)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def experiment(tmp_path):
    """A small experiment of every common kind of policy."""
    path = tmp_path / "small.toml"
    path.write_text((Path(__file__).parent / "small.toml").read_text())
    return path
