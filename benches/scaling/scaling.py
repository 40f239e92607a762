#!/usr/bin/env python3
"""How time and memory grow with jobs, rounds, actions, features and the length of a recorded stream.

    benches/scaling/scaling.py PROGRAM [--small] [--parts PART ..] [--out FILE]

CPU time (user and system) and peak memory of whole processes, as the kernel counts them, with one thread;
wall time only where a limit is on it. Stores are in memory (/dev/shm): a disk adds a sync for every job.
The last table says what a cluster would make of the paper's experiments at 100 times their size.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parents[2]
# For starting and ending a task: what `just slurm-overhead` found (1.2 s), rounded up.
SLURM_SECONDS = 1.5
CORES = 32


class Used:
    """What a process took."""

    def __init__(self, command, memory=None, codes=(0,)):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

        start = time.monotonic()
        process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True,
                                   preexec_fn=limit if memory else None)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        self.code = process.returncode
        if self.code not in codes:
            raise SystemExit(f"{command}: exit {self.code}: {said[-500:]}")


def slope(points):
    """Of the line through the logarithms: 1 is proportional, 0 constant."""
    logs = [(math.log(x), math.log(max(y, 1e-9))) for x, y in points]
    mx, my = (sum(v) / len(logs) for v in zip(*logs))
    found = sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)
    return f"{found:.2f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value):
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


class Scaling:
    def __init__(self, program, small):
        self.program, self.small = program, small
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="deferlab-scaling-", dir="/dev/shm"))
        self.parts = []

    def experiment(self, name, runs, rounds, stream, policies):
        file = self.folder / f"{name}.toml"
        lines = [f'name = "{name}"', "seed = 7", f"runs = {runs}", f"rounds = {rounds}",
                 "trace = false", "checkpoints = { linear = 2 }", "", "[[stream]]",
                 'name = "stream"', stream]
        for policy in policies:
            lines += ["", "[[policy]]", f'name = "{policy.replace("_", "-")}"', f"{policy} = {{}}"]
        file.write_text("\n".join(lines) + "\n")
        return file

    def play(self, file, **options):
        """Plays all jobs, without a report."""
        store = self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        return Used([self.program, "run", file, "--store", store, "--threads", 1,
                     "--shard", "1/1"], **options)

    def section(self, title, text, head, rows):
        self.parts.append(f"## {title}\n\n{text}\n\n{table(head, rows)}\n")
        print(self.parts[-1], flush=True)

    @staticmethod
    def law(actions=3, features=1):
        x = [[(i * k % 7 - 3) / 3 for i in range(1, features + 1)] for k in (1, 2)]
        cost = [[0.1 + 0.8 * j / actions, 0.3] for j in range(actions - 2)]
        item = '{{ weight = 1.0, x = {}, p = [{}, {}], cost = {} }}'
        items = [item.format(x[0], 0.8, 0.2, cost), item.format(x[1], 0.3, 0.7, cost)]
        return f"law.item = [{', '.join(items)}]"

    def jobs(self):
        rows, playing, memory, opening, reporting = [], [], [], [], []
        for jobs in [100, 1000] if self.small else [1000, 10_000, 100_000]:
            file = self.experiment("jobs", jobs // 2, 20, self.law(), ["algorithm1", "uniform"])
            played = self.play(file)
            store = self.folder / "store"
            self_merge = Used([self.program, "merge", file, "--store", store])
            size = (store / "jobs/records.jsonl").stat().st_size / 1e6
            opened = min((Used([self.program, "status", file, "--store", store])
                          for _ in range(3)), key=lambda used: used.wall)
            report = Used([self.program, "run", file, "--store", store, "--threads", 1])
            rows.append([f"{jobs:,}", number(played.cpu), number(played.megabytes), number(size),
                         number(self_merge.cpu), f"{number(opened.cpu)} ({number(opened.wall)})",
                         f"{number(report.cpu)} ({number(report.wall)})", number(report.megabytes)])
            for points, value in [(playing, played.cpu), (memory, played.megabytes),
                                  (opening, opened.cpu), (reporting, report.cpu)]:
                points.append((jobs, value))
        rows.append(["slope", slope(playing), slope(memory), "", "",
                     slope(opening), slope(reporting), ""])
        (j0, m0), (j1, m1) = memory[0], memory[-1]
        text = ("Jobs of 20 rounds each, in one experiment. The store is opened by `status`; `run` with nothing"
                " left to play opens it, reads all runs and writes the report. An experiment takes"
                f" {1e6 * (m1 - m0) / (j1 - j0):.0f} bytes for each job that it has, done or not.")
        self.section("Jobs", text, ["jobs", "playing, s", "MB", "store, MB", "merge, s",
                                    "open, s (wall)", "report, s (wall)", "MB"], rows)

    def finished(self):
        """A tenth of one experiment after the other: what is done grows, what is played does not."""
        jobs = 1000 if self.small else 100_000
        file = self.experiment("jobs", jobs // 2, 20, self.law(), ["algorithm1", "uniform"])
        store = self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        rows, columns = [], ([], [], [])
        for part in range(1, 11):
            commands = [["run", file, "--threads", 1, "--shard", f"{part}/10"], ["status", file], ["merge", file]]
            # 1: jobs are missing, which is so until the last part.
            used = [Used([self.program, *command, "--store", store], codes=(0, 1)) for command in commands]
            # Not read here: a process begins with the memory of whoever starts it.
            count = subprocess.run(["wc", "-l", store / "jobs/records.jsonl"], capture_output=True, text=True)
            done = int(count.stdout.split()[0])
            if part in (1, 2, 5, 10):
                rows.append([f"{done:,}"] + [number(u.megabytes) for u in used])
            for points, u in zip(columns, used):
                points.append((done, u.megabytes))
        rows.append(["slope"] + [slope(points) for points in columns])
        text = (f"One experiment of {jobs:,} jobs, played, looked at and merged by tenths: memory while the"
                " tenth is played that ends with so many finished jobs.")
        self.section("Finished jobs", text, ["finished", "playing, MB", "status, MB", "merge, MB"], rows)

    def rounds(self):
        rows, times, memory = [], [], []
        for rounds in [10**5, 10**6] if self.small else [10**6, 10**7, 10**8, 10**9]:
            used = self.play(self.experiment("rounds", 1, rounds, self.law(), ["algorithm1"]))
            rows.append([f"{rounds:,}", number(used.cpu), number(1e9 * used.cpu / rounds),
                         number(used.megabytes)])
            times.append((rounds, used.cpu))
            memory.append((rounds, used.megabytes))
        rows.append(["slope", slope(times), "", slope(memory)])
        text = "Algorithm 1 on a stream of two inputs with one feature and three actions."
        self.section("Rounds", text, ["rounds", "CPU, s", "ns a round", "MB"], rows)

    def per_round(self, title, text, sizes, stream):
        rows, times, memory = [], [], []
        for size in sizes:
            rounds = 20_000 if self.small else 200_000
            few = self.play(self.experiment("few", 1, 100, stream(size), ["algorithm1"]))
            many = self.play(self.experiment("many", 1, rounds, stream(size), ["algorithm1"]))
            each = 1e9 * (many.cpu - few.cpu) / (rounds - 100)
            rows.append([f"{size:,}", number(each), number(many.megabytes)])
            times.append((size, each))
            memory.append((size, many.megabytes))
        last = times[len(times) // 2 :]
        rows.append(["slope", f"{slope(times)}, {slope(last)} at the end",
                     slope(memory)])
        self.section(title, text, [title.lower(), "ns a round", "MB"], rows)

    def disk(self):
        rows, memory = [], {"memory": [], "disk": []}
        line = '{"x":[%s],"label":%d,"answers":[%d,null,%d]}\n'
        cap = 128 << 20
        for megabytes in [1, 4, 16] if self.small else [16, 64, 256]:
            file = self.folder / "rounds.jsonl"
            count = 0
            with open(file, "w") as out:
                while out.tell() < megabytes * 1_000_000:
                    x = ",".join(f"{math.sin(count + i):.6f}" for i in range(20))
                    out.write(line % (x, count % 2, count // 2 % 2, count % 2) * 50)
                    count += 50
            row = [f"{file.stat().st_size / 1e6:,.0f}", f"{count:,}"]
            for where in ("memory", "disk"):
                if where == "memory" and megabytes > 64:
                    row += ["", ""]
                    continue
                stream = 'recorded = { file = "rounds.jsonl", classes = 2, disk = %s }'
                stream = stream % ("true" if where == "disk" else "false")
                experiment = self.experiment("recorded", 1, count, stream, ["algorithm1"])
                used = self.play(experiment, memory=cap if where == "disk" else None)
                row += [number(used.cpu), number(used.megabytes)]
                memory[where].append((count, used.megabytes))
            rows.append(row)
            file.unlink()
        rows.append(["slope", "", "", slope(memory["memory"]), "",
                     slope(memory["disk"])])
        text = ("A recorded stream of 20 features, played once, in memory and from disk (`disk = true`). From disk"
                f" the process may not have more than {cap >> 20} MiB of data: the longest file here is"
                " larger than that. It is read twice, once to check it and once to play it.")
        self.section("Recorded rounds", text, ["file, MB", "rounds", "in memory: s", "MB",
                                               "from disk: s", "MB"], rows)

    def cluster(self):
        names = ["synthetic-1", "synthetic-2", "synthetic-3", "reuters4-1", "reuters4-2",
                 "reuters4-3", "labelme"]
        if self.small:
            names = ["witness"]
        total, rows, all_jobs = 0.0, [], 0
        for name in names:
            used = self.play(HERE / "experiments" / f"{name}.toml")
            status = subprocess.run([self.program, "status", HERE / "experiments" / f"{name}.toml",
                                     "--store", self.folder / "store"], capture_output=True, text=True)
            jobs = int(status.stdout.split(":")[1].split()[0].replace(",", ""))
            rows.append([name, f"{jobs:,}", number(used.cpu), number(used.megabytes)])
            total += used.cpu
            all_jobs += jobs
        rows.append(["all", f"{all_jobs:,}", number(total), ""])
        self.section("The paper's experiments", "One process with one thread, as they are; without CIFAR10H, which trains a network.",
                     ["experiment", "jobs", "CPU, s", "MB"], rows)
        seconds = 100 * total
        rows = []
        for nodes in (1, 10, 100):
            cores = nodes * CORES
            tasks = max(cores, math.ceil(seconds / 600))
            # Every core plays its tasks one after the other; the last round of tasks may be partly idle.
            each = seconds / tasks + SLURM_SECONDS
            wall = math.ceil(tasks / cores) * each
            rows.append([f"{nodes}", f"{cores:,}", f"{tasks:,}", number(each), number(wall / 60),
                         f"{100 * SLURM_SECONDS / each:.1f} %"])
        text = (f"100 times as many runs: {seconds:,.0f} s of one core. Computed, not measured: nodes of {CORES} cores as"
                f" fast as this one, tasks of at most ten minutes, {SLURM_SECONDS} s for starting and ending each."
                " Runs are jobs of their own, so that nothing is shared but the file system.")
        self.section("A hundred times the paper on a cluster", text,
                     ["nodes", "cores", "tasks", "s a task", "minutes", "lost to Slurm"], rows)

    def report(self):
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE,
                                capture_output=True, text=True).stdout.strip()
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                    if line.startswith("model name")), "unknown")
        load = os.getloadavg()[0]
        return (f"# How it grows\n\nMeasured by `just scaling` on {datetime.date.today()} at commit {commit}: {cpu},"
                f" {os.cpu_count()} cores, load {load:.0f} at the end. CPU time counts what the process itself"
                " used; a busy machine makes it longer, by what caches and shared cores cost. A slope is that of the line through the logarithms:"
                " 1 is proportional, 0 does not grow.\n\n" + "\n".join(self.parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--small", action="store_true", help="a few seconds, to try the script")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--parts", nargs="*", help="some of: jobs finished actions features disk cluster rounds")
    args = parser.parse_args()
    scaling = Scaling(os.path.abspath(args.program), args.small)
    actions, features = [4, 8, 16, 32, 64, 128], [8, 32, 128, 512, 2048, 8192]
    if args.small:
        actions, features = actions[:3], features[:3]
    parts = {
        "jobs": scaling.jobs,
        "finished": scaling.finished,
        "actions": lambda: scaling.per_round(
            "Actions", "Two classes, the others experts; one feature.", actions, scaling.law),
        "features": lambda: scaling.per_round(
            "Features", "Dense inputs, three actions.", features,
            lambda d: scaling.law(features=d)),
        "disk": scaling.disk,
        "cluster": scaling.cluster,
        "rounds": scaling.rounds,
    }
    try:
        for part in args.parts or parts:
            parts[part]()
    finally:
        shutil.rmtree(scaling.folder, ignore_errors=True)
    if args.out:
        args.out.write_text(scaling.report())


if __name__ == "__main__":
    main()
