#!/usr/bin/env python3
"""A policy of your own in `deferlab run`: plain Python, standard library only.

    [[policy]]
    name = "mine"
    command = "python3 ../policy.py"      # started in the folder of the experiment file

Requests come as JSON lines on standard input, one reply each on standard output; the program keeps its
own state and ends at `bye`. This one forgets the input and remembers how well each action has done: with
probability 1 - epsilon it plays the best so far. Keep `serve` and replace `Policy`.
"""

import json
import sys


class Policy:
    def __init__(self, classes, experts, d, rounds, feedback, seed):
        self.n = len(classes)
        self.total = [0.0] * (len(classes) + len(experts))
        self.count = [0] * (len(classes) + len(experts))

    def decide(self, x, available):
        """x: a list of d numbers, or {"index": value} if the stream is sparse; available: experts."""
        active = [*range(self.n), *(self.n + j for j in available)]
        means = [(self.total[a] + 1) / (self.count[a] + 1) for a in active]  # optimistic at first
        epsilon = 0.1
        q = [epsilon / len(active)] * len(active)
        q[means.index(max(means))] += 1 - epsilon
        return q

    def observe(self, action, correct=None, cost=None):
        """cost: what asking the expert cost, in [0, 1]; none for a class, which is right or wrong."""
        self.total[action] += float(correct) if cost is None else 1 - cost
        self.count[action] += 1


def serve(policy_type):
    policy = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            op = request.pop("op")
            if op == "init":
                policy, reply = policy_type(**request), {"ok": True}
            elif op == "decide":
                reply = {"q": policy.decide(**request)}
            elif op == "observe":
                policy.observe(**request)
                reply = {"ok": True}
            else:  # bye
                return
        except Exception as problem:
            reply = {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    serve(Policy)
