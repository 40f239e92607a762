#!/usr/bin/env python3
"""A learner of your own under deferlab's checks: plain Python, standard library only.

    deferlab verify --subject "python3 examples/subject.py"

Requests come as JSON lines on standard input, replies go to standard output; one request, one
reply. This file is Algorithm 1 written as directly as possible. To check your own learner, keep
`serve` and replace `Learner`.
"""

import json
import math
import sys


class Learner:
    def __init__(self, n, n_e, d, B, rho, surrogate, optimizer, schedule, feedback):
        if surrogate != "cstnd_hinge":
            raise ValueError(f"surrogate {surrogate} is not implemented")
        self.n, self.N, self.d, self.B, self.rho = n, n + n_e, d, B, rho
        self.adagrad = optimizer == "adagrad"
        self.schedule = "experiment" if self.adagrad else schedule
        self.full = feedback == "full"
        self.t = 1
        self.W = [[0.0] * (d + 1) for _ in range(self.N)]
        self.squares = [[0.0] * (d + 1) for _ in range(self.N)]
        self.pending = None

    def rates(self):
        """Learning rate and exploration rate of round t."""
        N, t = self.N, self.t
        if self.schedule == "general":
            eta, gamma = self.B / (N**1.5 * self.rho * t ** (2 / 3)), t ** (-1 / 3)
        elif self.schedule == "concentrated":
            gamma = self.B * N**1.5 * self.rho / math.sqrt(t)
            eta = min(0.5, gamma) / (4 * N**3 * self.rho**2)
        else:
            eta, gamma = 5e-4 / math.sqrt(t), 10 / math.sqrt(t)
        return (0.1 if self.adagrad else eta), (0.0 if self.full else min(0.5, gamma))

    def decide(self, x, available):
        x = [*x, 1.0]
        active = [*range(self.n), *(self.n + j for j in sorted(available))]
        u = centred([sum(w * v for w, v in zip(self.W[a], x)) for a in active])
        eta, gamma = self.rates()
        q = [gamma / len(active)] * len(active)
        q[u.index(max(u))] += 1 - gamma  # index finds the first maximum: ties to the lowest
        self.pending = (x, active, u, q, eta)
        return {"active": active, "scores": u, "q": q}

    def importance_weighted(self, reward, probability):
        return reward / probability

    def observe(self, action=None, correct=None, cost=None, label=None, costs=None):
        if self.pending is None:
            raise ValueError("observe without decide")
        x, active, u, q, eta = self.pending

        # The estimated loss, as weights over target actions.
        target = dict.fromkeys(active, 0.0)
        if self.full:
            target[label] = 1.0
            for a in active[self.n :]:
                target[a] = 1 - costs[a - self.n]
        elif len(active) == 2:  # two classes: the correctness bit tells the label
            target[action if correct else 1 - action] = 1.0
        else:
            reward = float(correct) if action < self.n else 1 - cost
            target[action] = self.importance_weighted(reward, q[active.index(action)])

        # Subgradient of the constrained hinge, projected on zero-sum rows.
        total = sum(target.values())
        g = centred([total - target[a] if 1 + s > 0 else 0.0 for a, s in zip(active, u)])

        for a, coefficient in zip(active, g):
            for j, v in enumerate(x):
                entry = coefficient * v
                if self.adagrad:
                    self.squares[a][j] += entry * entry
                    entry /= math.sqrt(self.squares[a][j]) + 1e-10
                self.W[a][j] -= eta * entry
        norm = math.sqrt(sum(w * w for row in self.W for w in row))
        if norm > self.B:
            self.W = [[w * self.B / norm for w in row] for row in self.W]
        self.t += 1
        self.pending = None


def centred(values):
    mean = sum(values) / len(values)
    return [v - mean for v in values]


def serve(learner_type):
    learner = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            op = request.pop("op")
            if op == "init":
                learner = learner_type(**request)
                reply = {"ok": True}
            elif op == "decide":
                reply = learner.decide(**request)
            elif op == "observe":
                learner.observe(**request)
                reply = {"ok": True}
            elif op == "weights":
                reply = {"W": learner.W}
            else:  # bye
                reply = {"ok": True}
        except Exception as problem:
            op, reply = None, {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(reply), flush=True)
        if op == "bye":
            return


if __name__ == "__main__":
    serve(Learner)
