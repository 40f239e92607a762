"""What the Python package costs: `just python-bench`. Each figure is the best of several turns."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import deferlab

EXPERIMENT = """
name = "bench"
title = "Bench"
seed = 1
runs = 1
rounds = {rounds}
checkpoints = {{ linear = 50 }}

[[stream]]
name = "synthetic"
label = "synthetic"

[stream.synthetic]
recipe = "van_der_hoeven"
n_prime = 3
noise = [0.3, 0.3, 0.3, 0.3, 0.0, 0.0]
noise_sigma = 2e-3
knows = [[0, 1], [2, 3], []]
boundary = "reflect"
cost = {{ alpha = 1.0, beta = 0.1 }}

[[policy]]
name = "alg1"
label = "Algorithm 1"
algorithm1 = {{}}

[report]
kind = "curves"
subject = "alg1"
baseline = "alg1"
"""


def best(turns, work):
    return min(work() for _ in range(turns))


def loop(learner, count=100_000):
    """Seconds for rounds of decide and observe, six classes and three experts, 120 features."""
    router = deferlab.Router([f"c{i}" for i in range(6)], ["ann", "bob", "cy"], learner=learner)
    rows = list(np.random.default_rng(1).normal(size=(1000, 120)) / 11.0)
    decide, observe = router.decide, router.observe
    start = time.perf_counter()
    for t in range(count):
        decision = decide(rows[t % 1000])
        observe(decision.probability > 0.5)
    return (time.perf_counter() - start) / count


def streams(rounds=300_000, turns=5):
    """Seconds a round of the command and of `simulate`, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.toml"
        file.write_text(EXPERIMENT.format(rounds=rounds))
        plan = deferlab.Experiment(file)
        command, simulated = [], []
        for turn in range(turns):
            store = Path(folder) / f"runs{turn}"
            line = [sys.executable, "-m", "deferlab", "run", str(file), "--store", str(store), "--threads", "1"]
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            command.append(json.loads((store / "timings.json").read_text())["bench"]["seconds"])
            start = time.perf_counter()
            deferlab.simulate("alg1", plan, progress=False)
            simulated.append(time.perf_counter() - start)
        return min(command) / rounds, min(simulated) / rounds


def starting(program):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    for learner in ("algorithm1", "belief"):
        seconds = best(5, lambda: loop(learner))
        print(f"decide + observe, {learner}: {1 / seconds:,.0f} rounds a second")
    command, simulated = streams()
    print(f"simulate: {1 / simulated:,.0f} rounds a second, {command / simulated:.2f} of the command's")
    extra = best(10, lambda: starting("import deferlab")) - best(10, lambda: starting("pass"))
    print(f"import: {extra:.3f} s")
    for wheel in sys.argv[1:]:
        if wheel.endswith(".whl"):
            print(f"wheel: {os.path.getsize(wheel) / 1e6:.1f} MB")
