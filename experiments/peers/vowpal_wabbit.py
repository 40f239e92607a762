"""Vowpal Wabbit on the rounds of an experiment: same rounds, same order, same feedback.

Run by hand, from the root of the repository (DEFERLAB_DATA as for `deferlab`):

    pip install vowpalwabbit
    cargo build --release --example rounds
    python3 experiments/peers/vowpal_wabbit.py

Without arguments it plays every run of `frontier-reuters4` and writes
`experiments/peers/vowpal-wabbit.json`, which `deferlab report` quotes as long as it is about the same
data, seed and number of rounds. Any other experiment, stream and settings of its own:

    python3 experiments/peers/vowpal_wabbit.py --experiment experiments/frontier-labelme.toml \\
        --stream labelme --out labelme.json --arguments "--cb_explore_adf --squarecb -q xa -b 22"

Before it acts, the learner sees the input and who is available; afterwards it is told the loss of
its own action and nothing else. Its action is drawn here from the probabilities that it gives.
"""

import argparse
import hashlib
import json
import platform
import random
import subprocess
import sys
from importlib.metadata import version

from vowpalwabbit import Workspace

# One weight per feature and action (-q xa), no collisions worth speaking of in 2^22 of them.
ARGUMENTS = "--cb_explore_adf --epsilon 0.05 --cb_type mtr -q xa -b 22"
SCRIPT = "python3 experiments/peers/vowpal_wabbit.py"
DEFAULTS = {
    "experiment": "experiments/frontier-reuters4.toml",
    "stream": "reuters4",
    "arguments": ARGUMENTS,
    "out": "experiments/peers/vowpal-wabbit.json",
    # Another build of the exporter may be named; the hashes of the rounds say that it does not matter.
    "exporter": "target/release/examples/rounds",
}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in DEFAULTS.items():
        parser.add_argument(f"--{name}", default=default, help=f"default: {default}")
    return parser.parse_args()


def play(lines, arguments):
    """Mean loss and accuracy over the rounds of one run."""
    head = json.loads(next(lines))
    learner = Workspace(arguments + f" --quiet --random_seed {head['run'] + 1}")
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
        right += bool(r["right"][action])
    learner.finish()
    return loss / head["rounds"], right / head["rounds"]


def main():
    chosen = options()
    given = [f'--{k} "{v}"' for k, v in vars(chosen).items() if k != "exporter" and v != DEFAULTS[k]]
    result, run, runs = None, 0, 1
    while run < runs:
        command = [chosen.exporter, chosen.experiment, chosen.stream, str(run)]
        exported = subprocess.run(command, check=True, capture_output=True).stdout
        head = json.loads(exported.split(b"\n", 1)[0])
        runs = head["runs"]
        if result is None:
            result = {
                "peer": "Vowpal Wabbit",
                "version": version("vowpalwabbit"),
                "python": platform.python_version(),
                "arguments": chosen.arguments,
                "command": " ".join([SCRIPT, *given]),
                **{key: head[key] for key in ("experiment", "stream", "seed", "rounds", "data_sha256")},
                "rounds_sha256": [],
                "mean_loss": [],
                "accuracy": [],
            }
        loss, accuracy = play(iter(exported.decode().splitlines()), chosen.arguments)
        result["rounds_sha256"].append(hashlib.sha256(exported).hexdigest())
        result["mean_loss"].append(loss)
        result["accuracy"].append(accuracy)
        print(f"run {run}: mean loss {loss:.4f}, accuracy {accuracy:.4f}", file=sys.stderr)
        run += 1
    with open(chosen.out, "w") as out:
        json.dump(result, out, indent=2)
        out.write("\n")


if __name__ == "__main__":
    main()
