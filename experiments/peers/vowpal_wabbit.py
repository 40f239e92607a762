"""Vowpal Wabbit on the rounds of `frontier-reuters4`: same rounds, same order, same feedback.

Run by hand, from the root of the repository (DEFERLAB_DATA as for `deferlab`):

    pip install vowpalwabbit
    cargo build --release --example rounds
    python3 experiments/peers/vowpal_wabbit.py

It plays every run of the experiment and writes `experiments/peers/vowpal-wabbit.json`, which
`deferlab report` quotes as long as it is about the same data, seed and number of rounds.

Before it acts, the learner sees the input and who is available; afterwards it is told the loss of
its own action and nothing else. Its action is drawn here from the probabilities that it gives.
"""

import hashlib
import json
import platform
import random
import subprocess
import sys
from importlib.metadata import version

from vowpalwabbit import Workspace

EXPERIMENT = "experiments/frontier-reuters4.toml"
STREAM = "reuters4"
# Another build of the exporter may be named; the hashes of the rounds say that it does not matter.
EXPORTER = sys.argv[1] if len(sys.argv) > 1 else "target/release/examples/rounds"
OUT = "experiments/peers/vowpal-wabbit.json"
# One weight per feature and action (-q xa), no collisions worth speaking of in 2^22 of them.
ARGUMENTS = "--cb_explore_adf --epsilon 0.05 --cb_type mtr -q xa -b 22"


def play(lines):
    """Mean loss and accuracy over the rounds of one run."""
    head = json.loads(next(lines))
    learner = Workspace(ARGUMENTS + f" --quiet --random_seed {head['run'] + 1}")
    draws = random.Random(f"{head['seed']} {head['run']}")
    loss = right = 0
    for line in lines:
        r = json.loads(line)
        actions = list(range(head["classes"])) + [head["classes"] + j for j in r["active"]]
        shared = "shared |x " + " ".join(f"{i}:{v}" for i, v in r["x"])
        example = [shared] + [f"|a {a}" for a in actions]
        q = learner.predict(example)
        chosen = draws.choices(range(len(actions)), q)[0]
        action = actions[chosen]
        example[1 + chosen] = f"0:{r['loss'][action]}:{q[chosen]} |a {action}"
        learner.learn(example)
        loss += r["loss"][action]
        right += r["right"][action]
    learner.finish()
    return loss / head["rounds"], right / head["rounds"]


def main():
    result, run, runs = None, 0, 1
    while run < runs:
        command = [EXPORTER, EXPERIMENT, STREAM, str(run)]
        exported = subprocess.run(command, check=True, capture_output=True).stdout
        head = json.loads(exported.split(b"\n", 1)[0])
        runs = head["runs"]
        if result is None:
            result = {
                "peer": "Vowpal Wabbit",
                "version": version("vowpalwabbit"),
                "python": platform.python_version(),
                "arguments": ARGUMENTS,
                "command": "python3 experiments/peers/vowpal_wabbit.py",
                **{key: head[key] for key in ("experiment", "stream", "seed", "rounds", "data_sha256")},
                "rounds_sha256": [],
                "mean_loss": [],
                "accuracy": [],
            }
        loss, accuracy = play(iter(exported.decode().splitlines()))
        result["rounds_sha256"].append(hashlib.sha256(exported).hexdigest())
        result["mean_loss"].append(loss)
        result["accuracy"].append(accuracy)
        print(f"run {run}: mean loss {loss:.4f}, accuracy {accuracy:.4f}", file=sys.stderr)
        run += 1
    with open(OUT, "w") as out:
        json.dump(result, out, indent=2)
        out.write("\n")


if __name__ == "__main__":
    main()
