"""What the Python package costs: `just python-bench`. A busy machine changes little: rounds are timed in turns so short
that most of them have the core for themselves, processes by their CPU time."""

import os
import statistics
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


def loop(learner, turns=2000, count=100):
    """Seconds a round of decide and observe, six classes and three experts, 120 features: the median over turns."""
    router = deferlab.Router([f"c{i}" for i in range(6)], ["ann", "bob", "cy"], learner=learner)
    rows = list(np.random.default_rng(1).normal(size=(1000, 120)) / 11.0)
    decide, observe = router.decide, router.observe
    seconds = []
    for turn in range(turns):
        some = rows[turn * count % 1000 :][:count]
        start = time.perf_counter()
        for row in some:
            decision = decide(row)
            observe(decision.probability > 0.5)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) / count


def spent(*line):
    """CPU seconds of another process."""
    process = subprocess.Popen([sys.executable, *map(str, line)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, line
    return usage.ru_utime + usage.ru_stime


def streams(short=50_000, long=350_000, turns=8):
    """Seconds a round of the command and of `simulate`: what more rounds cost, without the start and the report."""
    with tempfile.TemporaryDirectory() as folder:
        command, simulated = {}, {}
        for rounds in (short, long):
            file = Path(folder) / f"bench{rounds}.toml"
            file.write_text(EXPERIMENT.format(rounds=rounds))
            plan = deferlab.Experiment(file)

            def run():
                with tempfile.TemporaryDirectory() as store:
                    return spent("-m", "deferlab", "run", file, "--store", store, "--out", store, "--threads", 1)

            def simulate():
                start = time.process_time()
                deferlab.simulate("alg1", plan, progress=False)
                return time.process_time() - start

            command[rounds], simulated[rounds] = best(turns, run), best(turns, simulate)
        return [(of[long] - of[short]) / (long - short) for of in (command, simulated)]


if __name__ == "__main__":
    for learner in ("algorithm1", "belief", "auto"):
        print(f"decide + observe, {learner}: {1 / loop(learner):,.0f} rounds a second")
    command, simulated = streams()
    print(f"simulate: {1 / simulated:,.0f} rounds a second, {command / simulated:.2f} of the command's")
    extra = best(10, lambda: spent("-c", "import deferlab")) - best(10, lambda: spent("-c", "pass"))
    print(f"import: {extra:.3f} s")
    for wheel in sys.argv[1:]:
        if wheel.endswith(".whl"):
            print(f"wheel: {os.path.getsize(wheel) / 1e6:.1f} MB")
