"""The same rounds in numpy, numba and Vowpal Wabbit, beside deferlab's, in one run.

Algorithm 1 with the constrained hinge, N = 9 actions (6 classes, 3 experts), d = 120 features of
which about 30 are on, every expert available with probability 0.7, every answer right, so that every
round takes a step. All draws come from one linear congruential generator, so numpy, numba and
deferlab must end with the same norm of the weights, which is checked. Vowpal Wabbit runs its own
contextual bandit on the same inputs and active sets: a comparison of cost, not of algorithms.

numba comes twice, as one loop that is written out: with the norm of the whole matrix taken in every round,
as the algorithm is stated, and with the norm carried along from round to round, which is a trick of deferlab's.

Candidates follow one another in short turns, and each is shown with its fastest: whatever else the
machine does can only add time.
"""

import argparse
import subprocess
import sys
import time

import numba
import numpy as np

CLASSES, EXPERTS, DIM, POOL = 6, 3, 120, 256
ACTIONS = CLASSES + EXPERTS
RADIUS, COST = float(ACTIONS), 0.1 / 1.1
ETA0, GAMMA0 = 5e-4, 10.0
SEED, FACTOR, SHIFT = 7, 6364136223846793005, 1442695040888963407


class Draws:
    """Uniform numbers in [0, 1), the same here, in numba and in benches/round.rs."""

    def __init__(self):
        self.state = SEED

    def next(self):
        self.state = (self.state * FACTOR + SHIFT) % 2**64
        return (self.state >> 11) / 2**53


def inputs(draws):
    """0/1 features with a bias of one behind them."""
    pool = np.ones((POOL, DIM + 1))
    for row in range(POOL):
        for j in range(DIM):
            pool[row, j] = float(draws.next() < 0.25)
    return pool


class Numpy:
    """Vectorised, the way one would write it in numpy. Its draws are made beforehand."""

    def __init__(self, pool, draws, rounds):
        self.pool, self.w, self.t = pool, np.zeros((ACTIONS, DIM + 1)), 0
        self.draws = np.array([draws.next() for _ in range(rounds * (EXPERTS + 1))])

    def run(self, rounds):
        for _ in range(rounds):
            here = self.draws[self.t * (EXPERTS + 1) :][: EXPERTS + 1]
            x = self.pool[self.t % POOL]
            self.t += 1
            active = np.concatenate([np.arange(CLASSES), CLASSES + np.flatnonzero(here[:-1] < 0.7)])
            u = self.w[active] @ x
            u -= u.mean()
            root = self.t**0.5
            eta, gamma = ETA0 / root, min(0.5, GAMMA0 / root)
            q = np.full(len(active), gamma / len(active))
            q[u.argmax()] += 1.0 - gamma
            k = min(int(np.searchsorted(q.cumsum(), here[-1], side="right")), len(active) - 1)
            weight = (1.0 if active[k] < CLASSES else 1.0 - COST) / q[k]
            g = np.where(1.0 + u > 0.0, weight, 0.0)
            g[k] = 0.0
            g -= g.mean()
            self.w[active] -= eta * np.outer(g, x)
            norm = np.sqrt((self.w * self.w).sum())
            if norm > RADIUS:
                self.w *= RADIUS / norm

    def norm(self):
        return float(np.sqrt((self.w * self.w).sum()))


@numba.njit(cache=False)
def numba_rounds(pool, w, t, state, rounds, carried):
    """One compiled loop. The norm is carried along, as deferlab does, or taken of the whole matrix."""
    active, u = np.empty(ACTIONS, np.int64), np.empty(ACTIONS)
    q, g = np.empty(ACTIONS), np.empty(ACTIONS)
    norm2 = (w * w).sum()
    for _ in range(rounds):
        x = pool[t % POOL]
        t += 1
        k = CLASSES
        for a in range(CLASSES):
            active[a] = a
        for j in range(EXPERTS):
            state = state * np.uint64(FACTOR) + np.uint64(SHIFT)
            if np.float64(state >> np.uint64(11)) / 2.0**53 < 0.7:
                active[k] = CLASSES + j
                k += 1
        x2, mean = 0.0, 0.0
        for j in range(DIM + 1):
            x2 += x[j] * x[j]
        for p in range(k):
            score = 0.0
            for j in range(DIM + 1):
                score += w[active[p], j] * x[j]
            u[p] = score
            mean += score
        mean /= k
        root = t**0.5
        eta, gamma = ETA0 / root, min(0.5, GAMMA0 / root)
        best = 0
        for p in range(k):
            q[p] = gamma / k
            if u[p] > u[best]:
                best = p
        q[best] += 1.0 - gamma
        state = state * np.uint64(FACTOR) + np.uint64(SHIFT)
        draw, below, chosen = np.float64(state >> np.uint64(11)) / 2.0**53, 0.0, k - 1
        for p in range(k):
            below += q[p]
            if draw < below:
                chosen = p
                break
        weight = (1.0 if active[chosen] < CLASSES else 1.0 - COST) / q[chosen]
        total = 0.0
        for p in range(k):
            g[p] = weight if p != chosen and 1.0 + u[p] - mean > 0.0 else 0.0
            total += g[p]
        for p in range(k):
            c = -eta * (g[p] - total / k)
            norm2 += 2.0 * c * u[p] + c * c * x2
            for j in range(DIM + 1):
                w[active[p], j] += c * x[j]
        if not carried:
            norm2 = 0.0
            for a in range(ACTIONS):
                for j in range(DIM + 1):
                    norm2 += w[a, j] * w[a, j]
        if norm2 > RADIUS * RADIUS:
            w *= RADIUS / norm2**0.5
            norm2 = RADIUS * RADIUS
    return t, state


class Numba:
    def __init__(self, pool, draws, carried):
        self.pool, self.w, self.carried = pool, np.zeros((ACTIONS, DIM + 1)), carried
        self.t, self.state = 0, np.uint64(draws.state)
        numba_rounds(pool, self.w.copy(), 0, self.state, 1, carried)  # compiled before it is timed

    def run(self, rounds):
        t, state = numba_rounds(self.pool, self.w, self.t, self.state, rounds, self.carried)
        self.t, self.state = t, np.uint64(state)

    def norm(self):
        return float(np.sqrt((self.w * self.w).sum()))


class VowpalWabbit:
    """Predict and learn with action-dependent features, through the Python package."""

    def __init__(self, pool, draws):
        import vowpalwabbit

        self.vw = vowpalwabbit.Workspace("--cb_explore_adf --epsilon 0.05 -q sa --quiet")
        self.shared = ["shared |s " + " ".join(f"f{j}" for j in np.flatnonzero(x[:-1])) for x in pool]
        self.draws, self.t = draws, 0

    def run(self, rounds):
        for _ in range(rounds):
            experts = [CLASSES + j for j in range(EXPERTS) if self.draws.next() < 0.7]
            active = [*range(CLASSES), *experts]
            lines = [f"|a a{a}" for a in active]
            shared = self.shared[self.t % POOL]
            self.t += 1
            q = self.vw.predict([shared, *lines])
            draw, below, chosen = self.draws.next(), 0.0, len(active) - 1
            for k, probability in enumerate(q):
                below += probability
                if draw < below:
                    chosen = k
                    break
            cost = 0.0 if active[chosen] < CLASSES else COST
            lines[chosen] = f"0:{cost}:{q[chosen]} {lines[chosen]}"
            self.vw.learn([shared, *lines])


class Deferlab:
    """The bench of this project: nanoseconds a round in its fastest thousand, and the final norm."""

    def __init__(self, command):
        self.command = command

    def __call__(self, rounds):
        command = [*self.command, "--rounds", str(rounds)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        ns, norm = out.split()
        return float(ns), float(norm)


def timed(candidate, rounds):
    start = time.perf_counter_ns()
    candidate.run(rounds)
    return (time.perf_counter_ns() - start) / rounds


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = {line.split(":", 1)[1].strip() for line in info if line.startswith("model name")}
    return ", ".join(sorted(names)) or "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument(
        "--bench",
        default="cargo bench --quiet --bench round --",
        help="the command of this project's bench [%(default)s]",
    )
    arguments = parser.parse_args()
    turns, deferlab = arguments.turns, Deferlab(arguments.bench.split())
    # A millisecond or two each: short enough to be left alone by whatever else the machine does.
    per_turn = {"numba": 1_000, "numba, norm carried": 1_000, "numpy": 20, "Vowpal Wabbit": 10}
    draws = Draws()
    pool = inputs(draws)
    start = draws.state

    def fresh():
        again = Draws()
        again.state = start
        return again

    peers = {
        "numba": Numba(pool, fresh(), carried=False),
        "numba, norm carried": Numba(pool, fresh(), carried=True),
        "numpy": Numpy(pool, fresh(), turns * per_turn["numpy"]),
        "Vowpal Wabbit": VowpalWabbit(pool, fresh()),
    }
    deferlab(1)  # built before it is timed
    times = {name: [] for name in ["deferlab", *peers]}
    for _ in range(turns):
        times["deferlab"].append(deferlab(20_000)[0])
        for name, peer in peers.items():
            times[name].append(timed(peer, per_turn[name]))
    for name in ["numba", "numba, norm carried", "numpy"]:
        ours, theirs = deferlab(turns * per_turn[name])[1], peers[name].norm()
        if abs(ours - theirs) > 1e-9 * ours:
            sys.exit(f"{name} ends with |W| = {theirs}, deferlab with {ours}: not the same rounds")
    ours = min(times["deferlab"])
    print(f"whole rounds, N = {ACTIONS}, d = {DIM}, one thread, {processor()}")
    for name, values in times.items():
        ns = min(values)
        print(f"{name:<19} {ns:>10,.0f} ns a round   {ns / ours:>8.2f} x deferlab's time")


if __name__ == "__main__":
    main()
