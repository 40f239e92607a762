"""Algorithm 1 in numpy, written from the paper: what a user of `verify` would bring."""

import sys

import numpy as np

from deferlab import serve, theory


class PlainAlgorithm1:
    """Constrained hinge with the settings of the subject protocol."""

    #: What a step is multiplied by; anything but one is a fault.
    fault = 1.0

    def __init__(self, n, n_e, d, B, rho, surrogate, optimizer, schedule, feedback):
        if surrogate != "cstnd_hinge":
            raise ValueError(f"{surrogate} is not supported")
        self.n, self.N, self.B, self.rho = n, n + n_e, B, rho
        self.adagrad, self.full = optimizer == "adagrad", feedback == "full"
        self.schedule = "experiment" if self.adagrad else schedule
        self.W, self.t = np.zeros((self.N, d + 1)), 1
        self.squares = np.zeros_like(self.W)

    def decide(self, x, available):
        rates = getattr(theory.schedules(self.B, self.N, self.rho, self.t), self.schedule)
        self.eta, gamma = rates[0]
        self.active = [*range(self.n), *(self.n + j for j in available)]
        self.x = np.append(x, 1.0)
        u = self.W[self.active] @ self.x
        self.u = u - u.mean()
        gamma = 0.0 if self.full else gamma
        self.q = np.full(len(self.active), gamma / len(self.active))
        self.q[np.argmax(self.u)] += 1 - gamma
        return {"active": self.active, "scores": self.u, "q": self.q}

    def observe(self, action=None, correct=None, cost=None, label=None, costs=()):
        # Two classes and nobody else: the answer names the label.
        if label is None and len(self.active) == 2:
            label = action if correct else 1 - action
        if label is None:
            reward = float(correct) if cost is None else 1.0 - cost
            targets = [reward / q if a == action else 0.0 for a, q in zip(self.active, self.q)]
        else:
            targets = [float(a == label) if a < self.n else 1.0 - costs[a - self.n] for a in self.active]
        targets = np.array(targets)
        g = np.where(1 + self.u > 0, targets.sum() - targets, 0.0)
        step = np.outer(g - g.mean(), self.x) * self.fault
        if self.adagrad:
            self.squares[self.active] += step**2
            self.W[self.active] -= 0.1 * step / (np.sqrt(self.squares[self.active]) + 1e-10)
        else:
            self.W[self.active] -= self.eta * step
        norm = np.linalg.norm(self.W)
        if norm > self.B:
            self.W *= self.B / norm
        self.t += 1

    def weights(self):
        return self.W


class TooFar(PlainAlgorithm1):
    """Its steps are one percent too long."""

    fault = 1.01


class NotANumber(PlainAlgorithm1):
    """Its scores are not finite."""

    def decide(self, x, available):
        return {**super().decide(x, available), "scores": [float("nan")] * len(self.active)}


class GivesUp(PlainAlgorithm1):
    """It refuses the third round."""

    def observe(self, **outcome):
        if self.t == 3:
            raise RuntimeError("enough")
        super().observe(**outcome)


if __name__ == "__main__":
    serve(globals()[sys.argv[1]])
