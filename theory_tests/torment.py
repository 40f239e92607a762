#!/usr/bin/env python3
"""Does to a store what machines do to it, and looks whether anything is lost or wrong afterwards.

    theory_tests/torment.py PROGRAM [--trials N] [--seed S] [--minutes M] [--rounds T]

Each trial starts from a store that may hold some of its jobs, does one thing to it while it is written, or
to its files at rest, and then lets an undisturbed run finish. The store and the report must be byte for
byte those of a run that nobody disturbed; damage must be refused in words, with exit code 2, before it is
repaired. A router that keeps its state in a file must end with the same state, and never go on from a
damaged one. Bounded by trials and by minutes; the same seed gives the same trials (not the same timing).
"""

import argparse
import collections
import filecmp
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

EXPERIMENT = """
name = "small"
seed = 7
runs = 4
rounds = {rounds}
checkpoints = {{ linear = 4 }}

[[stream]]
name = "recorded"
[stream.recorded]
file = "rounds.jsonl"
classes = 2
shuffle = true

[[policy]]
name = "learner"
algorithm1 = {{}}

[[policy]]
name = "router"
belief = {{}}

[[policy]]
name = "random"
uniform = {{}}
"""


# Rounds of a router that keeps its state.
ROUTED = 40
# What a trial says that has looked at everything itself.
ALONE = "alone"


def rounds(right):
    return '{"x": [1, %d], "label": 0, "answers": [%d]}\n' % (right, 0 if right else 1)


class Torment:
    def __init__(self, program, seed, length):
        self.program, self.random = program, random.Random(seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="deferlab-torment-"))
        self.counts = collections.Counter()
        self.wrong = []
        self.data = self.folder / "rounds.jsonl"
        self.good_data = "".join(rounds(i % 3 > 0) for i in range(60))
        self.file = self.folder / "small.toml"
        self.data.write_text(self.good_data)
        # Long enough that a signal finds it at work, short enough for thousands of trials.
        self.file.write_text(EXPERIMENT.format(rounds=length))
        self.full = self.folder / "full"
        self.full.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(self.full)]
        self.can_fill = subprocess.run(command, capture_output=True).returncode == 0
        start = time.monotonic()
        self.run(self.folder / "whole", check=True)
        self.seconds = time.monotonic() - start
        self.whole = (self.folder / "whole/small/records.jsonl").read_bytes()

    def close(self):
        if self.can_fill:
            subprocess.run(["umount", str(self.full)], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, store, *options):
        return [self.program, "run", str(self.file), "--store", str(store), "--threads", "2",
                *options]

    def run(self, store, *options, check=False):
        done = subprocess.run(self.command(store, *options), capture_output=True, text=True)
        if check and done.returncode != 0:
            raise SystemExit(f"the undisturbed run fails: {done.stderr}")
        return done

    def start(self, store, *options):
        return subprocess.Popen(self.command(store, *options), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def pause(self):
        time.sleep(self.random.uniform(0, 1.2 * self.seconds))

    # One thing each; true if it could be done.

    def kill(self, store):
        return self.by_signal(store, signal.SIGKILL)

    def other_signals(self, store):
        names = ["SIGTERM", "SIGINT", "SIGUSR1", "SIGHUP", "SIGQUIT", "SIGSEGV", "SIGABRT"]
        return self.by_signal(store, getattr(signal, self.random.choice(names)))

    def by_signal(self, store, number):
        for _ in range(self.random.randint(1, 3)):
            process = self.start(store)
            self.pause()
            process.send_signal(number)
            _, said = process.communicate()
            if "panicked" in said:
                self.wrong.append(f"signal {number}: {said.strip()[-200:]}")
        return True

    def partly_stored(self, store):
        """Some of the lines of the whole store, in any order."""
        folder = store / "small"
        folder.mkdir(parents=True)
        shutil.copy(self.folder / "whole/small/config.json", folder)
        lines = self.whole.splitlines(keepends=True)
        chosen = self.random.sample(lines, self.random.randint(1, len(lines)))
        (folder / "records.jsonl").write_bytes(b"".join(chosen))
        return folder

    def bit_flip(self, store):
        folder = self.partly_stored(store)
        path = folder / self.random.choice(["records.jsonl", "records.jsonl", "config.json"])
        content = bytearray(path.read_bytes())
        for _ in range(self.random.randint(1, 3)):
            content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
        path.write_bytes(content)
        return self.repaired_if_refused(store)

    def truncation(self, store):
        folder = self.partly_stored(store)
        path = folder / self.random.choice(["records.jsonl", "records.jsonl", "config.json"])
        content = path.read_bytes()
        path.write_bytes(content[: self.random.randrange(len(content))])
        return self.repaired_if_refused(store)

    def repaired_if_refused(self, store):
        done = self.run(store)
        if done.returncode == 0:
            return True
        if done.returncode != 2 or "--repair" not in done.stderr:
            self.wrong.append(f"refused with {done.returncode}: {done.stderr.strip()[-200:]}")
            return True
        self.counts["refused, then repaired"] += 1
        repaired = self.run(store, "--repair")
        if repaired.returncode != 0:
            self.wrong.append(f"not repaired: {repaired.stderr.strip()[-200:]}")
        return True

    def full_disk(self, store):
        if not self.can_fill:
            return False
        here = self.full / "store"
        shutil.rmtree(here, ignore_errors=True)
        filler = self.full / "filler"
        process = self.start(here)
        self.pause()
        try:
            with open(filler, "wb") as out:
                while True:
                    out.write(b"\0" * 4096)
                    out.flush()
        except OSError:
            pass
        _, said = process.communicate()
        if process.returncode not in (0, 2) or "panicked" in said:
            self.wrong.append(f"full disk: exit {process.returncode}: {said.strip()[-200:]}")
        filler.unlink(missing_ok=True)
        if here.exists():
            shutil.copytree(here, store)
        shutil.rmtree(here, ignore_errors=True)
        return True

    def swapped_data(self, store):
        process = self.start(store)
        self.pause()
        other = "".join(rounds(i % 2 > 0) for i in range(60))
        part = self.data.with_suffix(".part")
        part.write_text(other)
        part.replace(self.data)
        _, said = process.communicate()
        self.data.write_text(self.good_data)
        records = store / "small/records.jsonl"
        config = store / "small/config.json"
        if process.returncode == 0 and config.exists():
            same = config.read_bytes() == (self.folder / "whole/small/config.json").read_bytes()
            if same and records.read_bytes() != self.whole:
                self.wrong.append("numbers of other data under the hash of this")
            if not same:
                # It read the other file from the start: another experiment, and said so.
                shutil.rmtree(store)
        elif process.returncode != 0:
            shutil.rmtree(store, ignore_errors=True)
        return True

    def two_writers(self, store):
        processes = [self.start(store) for _ in range(2)]
        if self.random.random() < 0.5:
            self.pause()
            processes[0].send_signal(signal.SIGKILL)
        for process in processes:
            _, said = process.communicate()
            busy = process.returncode == 2 and "another process" in said
            if process.returncode not in (0, -signal.SIGKILL) and not busy:
                self.wrong.append(f"two writers: exit {process.returncode}: {said.strip()[-200:]}")
        return True

    def shards(self, store):
        count = self.random.randint(2, 5)
        processes = [self.start(store, "--shard", f"{i}/{count}") for i in range(1, count + 1)]
        for process in processes:
            chance = self.random.random()
            if chance < 0.6:
                time.sleep(self.random.uniform(0, self.seconds / count))
                process.send_signal(signal.SIGKILL if chance < 0.3 else signal.SIGUSR1)
        for process in processes:
            process.communicate()
        return True

    # A router that keeps its state in a file.

    def serve(self, state, kill_after=None):
        """Lets a router learn from where it is to the last round, or kills it on the way."""
        process = subprocess.Popen([self.program, "subject", "--learner", "router", "--state",
                                    str(state), "--save-every", "1"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def ask(**request):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            reply = json.loads(process.stdout.readline())
            if "error" in reply:
                self.wrong.append(f"a router refuses {request}: {reply}")
            return reply

        try:
            start = ask(op="init", classes=["cat", "dog"], experts=["ann", "bo"], d=2)["round"]
            for i in range(start, ROUTED + 1):
                there = ["ann", "bo"][: i % 3]
                action = ask(op="decide", x=[i % 5 / 5, i % 3], available=there)["action"]
                if i == kill_after:
                    process.send_signal(signal.SIGKILL)
                ask(op="observe", correct=i % 2 == 0, **({"cost": 0.1} if action in there else {}))
            ask(op="bye")
        except (BrokenPipeError, json.JSONDecodeError):
            # It has ended: killed, or with a message.
            pass
        _, said = process.communicate()
        return process.returncode, said

    def saved_state(self, store):
        store.mkdir()
        state = store / "router.json"
        for _ in range(self.random.randint(1, 3)):
            self.serve(state, self.random.randint(1, ROUTED))
        if state.exists() and self.random.random() < 0.5:
            whole = state.read_bytes()
            damaged = bytearray(whole)
            damaged[self.random.randrange(len(whole))] ^= 1 << self.random.randrange(8)
            if self.random.random() < 0.3:
                damaged = damaged[: self.random.randrange(len(whole))]
            state.write_bytes(damaged)
            code, said = self.serve(state)
            # Space after the end is no part of the state.
            if code != 2 and damaged.rstrip() != whole.rstrip():
                self.wrong.append(f"a damaged state is served: exit {code}: {said.strip()[-200:]}")
            state.write_bytes(whole)
        code, said = self.serve(state)
        if code != 0 or state.read_bytes() != self.routed():
            self.wrong.append(f"another state after kills: exit {code}: {said.strip()[-200:]}")
        return ALONE

    def routed(self):
        """The state after all rounds, of a router that nobody disturbed."""
        state = self.folder / "whole-router.json"
        if not state.exists():
            self.serve(state)
        return state.read_bytes()

    def trial(self, kind):
        store = self.folder / "trial"
        shutil.rmtree(store, ignore_errors=True)
        before = len(self.wrong)
        done = getattr(self, kind)(store)
        if not done:
            self.counts[f"{kind}: could not be tried here"] += 1
            return
        if done != ALONE:
            self.finish(store)
        self.wrong[before:] = [f"{kind}: {what}" for what in self.wrong[before:]]
        self.counts[kind] += 1

    def finish(self, store):
        finished = self.run(store)
        if finished.returncode != 0:
            self.wrong.append(f"exit {finished.returncode}: {finished.stderr.strip()[-300:]}")
        elif (store / "small/records.jsonl").read_bytes() != self.whole:
            self.wrong.append("other bytes in the store")
        else:
            ours, theirs = store / "small/report", self.folder / "whole/small/report"
            names = sorted(str(p.relative_to(theirs)) for p in theirs.rglob("*") if p.is_file())
            if filecmp.cmpfiles(ours, theirs, names, shallow=False)[0] != names:
                self.wrong.append("other bytes in the report")


KINDS = ["kill", "other_signals", "bit_flip", "truncation", "full_disk", "swapped_data",
         "two_writers", "shards", "saved_state"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--rounds", type=int, default=20000, help="of each run that is tormented")
    args = parser.parse_args()
    torment = Torment(os.path.abspath(args.program), args.seed, args.rounds)
    start = time.monotonic()
    done = 0
    try:
        while done < args.trials and time.monotonic() - start < 60 * args.minutes:
            torment.trial(KINDS[done % len(KINDS)])
            done += 1
            if done % 100 == 0:
                print(f"{done} trials, {len(torment.wrong)} wrong", flush=True)
    finally:
        torment.close()
    for kind, count in sorted(torment.counts.items()):
        print(f"{count:6} {kind}")
    minutes = (time.monotonic() - start) / 60
    print(f"{done} of {args.trials} trials, seed {args.seed}, {minutes:.1f} minutes:"
          f" {len(torment.wrong)} wrong")
    for what in torment.wrong[:20]:
        print("WRONG:", what)
    sys.exit(1 if torment.wrong else 0)


if __name__ == "__main__":
    main()
