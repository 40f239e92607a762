"""Vowpal Wabbit on the rounds of the experiments: same rounds, same order, same feedback.

Run by hand, from the root of the repository (DEFERLAB_DATA as for `deferlab`):

    pip install vowpalwabbit
    cargo build --release --example rounds
    python3 experiments/peers/vowpal_wabbit.py

It plays every run of the streams below with each of its two ways to explore and writes
`experiments/peers/vw-NAME.json`, which `deferlab report` quotes as long as it is about the same data,
seed and number of rounds. One stream, one way; what else was measured stays:

    python3 experiments/peers/vowpal_wabbit.py --stream frontier-labelme/labelme --learner squarecb

Before it acts, the learner sees the input and who is available; afterwards it is told the loss of
its own action and nothing else. Its action is drawn here from the probabilities that it gives.
"""

import argparse
import hashlib
import json
import os
import platform
import random
import subprocess
import sys
import tomllib
from importlib.metadata import version

from vowpalwabbit import Workspace

# One weight per feature and action (-q xa), no collisions worth speaking of in 2^22 of them.
LEARNERS = {
    "squarecb": "--cb_explore_adf --squarecb --cb_type mtr -q xa -b 22",
    "epsilon": "--cb_explore_adf --epsilon 0.05 --cb_type mtr -q xa -b 22",
}
EXPERIMENTS = ["frontier-peers", "frontier-reuters4", "frontier-labelme"]
COMMAND = "python3 experiments/peers/vowpal_wabbit.py"


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stream", action="append", help="EXPERIMENT/STREAM; default: all of them")
    parser.add_argument("--learner", choices=LEARNERS, action="append", help="default: both")
    # Another build of the exporter may be named; the hashes of the rounds say that it does not matter.
    parser.add_argument("--exporter", default="target/release/examples/rounds")
    return parser.parse_args()


def all_streams():
    names = []
    for experiment in EXPERIMENTS:
        with open(f"experiments/{experiment}.toml", "rb") as file:
            names += [f"{experiment}/{stream['name']}" for stream in tomllib.load(file)["stream"]]
    return names


def play(lines, arguments):
    """Mean loss, accuracy and expected loss (where the law is known) over the rounds of one run."""
    head = json.loads(next(lines))
    learner = Workspace(arguments + f" --quiet --random_seed {head['run'] + 1}")
    draws = random.Random(f"{head['seed']} {head['run']}")
    loss = right = risk = 0
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
        if r["scores"] is None:
            risk = None
        else:
            risk += sum(p * (1 - r["scores"][a]) for p, a in zip(q, actions))
    learner.finish()
    rounds = head["rounds"]
    return loss / rounds, right / rounds, None if risk is None else risk / rounds


def measure(name, arguments, exporter):
    experiment, stream = name.split("/")
    result, run, runs = None, 0, 1
    while run < runs:
        command = [exporter, f"experiments/{experiment}.toml", stream, str(run)]
        exported = subprocess.run(command, check=True, capture_output=True).stdout
        head = json.loads(exported.split(b"\n", 1)[0])
        runs = head["runs"]
        if result is None:
            result = {key: head[key] for key in ("experiment", "stream", "seed", "rounds", "data_sha256")}
            result |= {"rounds_sha256": [], "mean_loss": [], "accuracy": [], "risk": []}
        loss, accuracy, risk = play(iter(exported.decode().splitlines()), arguments)
        result["rounds_sha256"].append(hashlib.sha256(exported).hexdigest())
        result["mean_loss"].append(loss)
        result["accuracy"].append(accuracy)
        if risk is not None:
            result["risk"].append(risk)
        print(f"{name} run {run}: mean loss {loss:.4f}, accuracy {accuracy:.4f}", file=sys.stderr)
        run += 1
    return result


def main():
    chosen = options()
    everything = all_streams()
    for learner in chosen.learner or LEARNERS:
        path = f"experiments/peers/vw-{learner}.json"
        head = {
            "peer": "Vowpal Wabbit",
            "version": version("vowpalwabbit"),
            "python": platform.python_version(),
            "arguments": LEARNERS[learner],
            "command": COMMAND,
        }
        measured = {}
        if os.path.exists(path):
            with open(path) as file:
                old = json.load(file)
            if {key: old[key] for key in head} == head:
                measured = {f"{m['experiment']}/{m['stream']}": m for m in old["measured"]}
        for name in chosen.stream or everything:
            measured[name] = measure(name, LEARNERS[learner], chosen.exporter)
            # After every stream: a long campaign that is stopped goes on with the others.
            head["measured"] = [measured[name] for name in everything if name in measured]
            with open(path, "w") as out:
                json.dump(head, out, indent=2)
                out.write("\n")


if __name__ == "__main__":
    main()
