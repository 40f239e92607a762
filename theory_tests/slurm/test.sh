#!/bin/bash
# An experiment on a real Slurm cluster on this machine, with everything that goes wrong on clusters: tasks
# killed, stopped, requeued and out of time, nodes drained, a file system that is full. The merged store
# and the report must be byte for byte those of one process. Needs root, and Debian's slurm-wlm and munge.
#
#     theory_tests/slurm/test.sh PROGRAM [TASKS] [SEED]
#
# Exit code 0: the same bytes. 1: not. 77: Slurm could not be started here, nothing was tried.
set -u
program=$(realpath "${1:-target/release/deferlab}")
tasks=${2:-200}
RANDOM=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
source "$here/cluster.sh"

skip() { echo "slurm-test: SKIPPED, $1" >&2; exit 77; }
[ "$(id -u)" = 0 ] || skip "it needs root to start a cluster"
for command in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v "$command" >/dev/null || skip "there is no $command (apt-get install slurm-wlm munge)"
done
PATH=$PATH:/usr/sbin
folder=$(mktemp -d /tmp/deferlab-slurm.XXXXXX)
cleanup() {
    scancel --me 2>/dev/null
    stop_cluster
    mountpoint -q "$folder/many" && umount "$folder/many"
    rm -rf "$folder"
}
trap cleanup EXIT
start_cluster "$folder" 4 || skip "Slurm does not start here"

# Three jobs a task; long enough to be hit.
cat >"$folder/cluster.toml" <<TOML
name = "cluster"
title = "An experiment for a cluster"
seed = 7
runs = $((tasks * 3 / 4 + 1))
rounds = ${ROUNDS:-40000}
checkpoints = { linear = 5 }

[[stream]]
name = "drift"
[stream.synthetic]
availability = { start = 0.7, sigma = 2e-3 }
drift = { to = [[2, 3], [0, 1], []], rounds = 400 }

[[policy]]
name = "learner"
algorithm1 = {}

[[policy]]
name = "router"
belief = {}

[[policy]]
name = "random"
uniform = {}

[[policy]]
name = "inverse"
square_cb = {}
TOML
file=$folder/cluster.toml

started=$(date +%s)
"$program" run "$file" --store "$folder/one" --out "$folder/report-one" --threads 2 >/dev/null 2>&1 ||
    { echo "the run on one machine fails" >&2; exit 1; }
echo "one process with two threads: $(($(date +%s) - started)) s"

# The store of the cluster is a file system that can be filled.
mkdir "$folder/many"
fill=no
mount -t tmpfs -o size=64m tmpfs "$folder/many" 2>/dev/null && fill=yes

# The shortest limit Slurm knows is a minute; the signal comes up to a minute before it is due.
limit=00:01:00
[ "$tasks" -lt 50 ] && limit=00:10:00
limit=${LIMIT:-$limit}
"$program" slurm "$file" --tasks "$tasks" --at-once 8 --time $limit --stop-before 45 --memory 200M \
    --store "$folder/many" --out "$folder/report-many" || exit 1
submit=$folder/many/cluster/slurm/submit.sh

killed=0 stopped=0 requeued=0 drained=0 filled=0 rounds=0
running() { squeue -h -t running -n cluster -r -o %i; }
# The runner of some task that is running.
runner() { pgrep -f "run $file .*--shard" | shuf -n 1 --random-source=<(yes "$RANDOM"); }

torment() {
    local task process
    case $((RANDOM % 6)) in
    0 | 1)
        process=$(runner) && [ -n "$process" ] && kill -KILL "$process" 2>/dev/null && killed=$((killed + 1))
        ;;
    2)
        process=$(runner) && [ -n "$process" ] && kill -USR1 "$process" 2>/dev/null && stopped=$((stopped + 1))
        ;;
    3)
        task=$(running | shuf -n 1 --random-source=<(yes "$RANDOM"))
        # Slurm lets a requeued task wait for two minutes.
        [ "$tasks" -ge 50 ] && [ -n "$task" ] && scontrol requeue "$task" 2>/dev/null && requeued=$((requeued + 1))
        ;;
    4)
        scontrol update "nodename=n$((RANDOM % 4 + 1))" state=drain reason=test && drained=$((drained + 1))
        ;;
    5)
        if [ $fill = yes ]; then
            dd if=/dev/zero of="$folder/many/filler" bs=1M 2>/dev/null
            sleep 1
            rm -f "$folder/many/filler"
            filled=$((filled + 1))
        fi
        ;;
    esac
}

started=$(date +%s)
for round in 1 2 3 4 5 6; do
    rounds=$round
    bash "$submit" || exit 1
    while [ -n "$(squeue -h -o %i)" ]; do
        # The last submission is left in peace, so that there is an end.
        if [ "$round" -lt 4 ] && [ $((RANDOM % 2)) = 0 ]; then torment; fi
        sleep 0.5
        for node in 1 2 3 4; do
            [ $((RANDOM % 4)) = 0 ] && scontrol update "nodename=n$node" state=resume 2>/dev/null
        done
        if [ $((RANDOM % 10)) = 0 ]; then
            for task in $(squeue -h -t pending -r -o "%i %r" | awk '$2 == "BeginTime" { print $1 }'); do
                scontrol update "jobid=$task" starttime=now 2>/dev/null
            done
        fi
        # Tasks that Slurm holds after too many failures to start.
        [ $((RANDOM % 20)) = 0 ] && scontrol release cluster 2>/dev/null
    done
    "$program" status "$file" --store "$folder/many" | head -n 1
    "$program" merge "$file" --store "$folder/many" >/dev/null 2>&1 && break
done
bash -c "tail -n 3 '$folder/many/cluster/slurm/merge.log'"
echo "cluster: $tasks tasks, $rounds submissions, $(($(date +%s) - started)) s;" \
    "$killed killed, $stopped stopped in the middle, $requeued requeued, $drained nodes drained," \
    "$filled times full, $(cat "$folder"/many/cluster/slurm/*.log | grep -c 'deferlab: stopped') stops in the logs"
if cmp "$folder/one/cluster/records.jsonl" "$folder/many/cluster/records.jsonl" &&
    diff -r "$folder/report-one" "$folder/report-many"; then
    echo "slurm-test: store and report are byte for byte those of one process"
else
    "$program" status "$file" --store "$folder/many"
    exit 1
fi
