#!/bin/bash
# What a real Slurm on this machine adds to tasks of a minute: an array of tasks that only sleep, one after
# the other, against the time they sleep. Needs root, and Debian's slurm-wlm and munge.
#
#     theory_tests/slurm/overhead.sh [TASKS] [SECONDS]
set -u
tasks=${1:-8} seconds=${2:-60}
here=$(cd "$(dirname "$0")" && pwd)
source "$here/cluster.sh"
PATH=$PATH:/usr/sbin
folder=$(mktemp -d /tmp/deferlab-slurm.XXXXXX)
trap 'stop_cluster; rm -rf "$folder"' EXIT
start_cluster "$folder" 1 || exit 77

now() { date +%s.%N; }
started=$(now)
# --wait ends when the last task has; it looks every few seconds, so that the tasks tell the time.
sbatch --wait --array="1-$tasks%1" --output=/dev/null --wrap \
    "sleep $seconds; date +%s.%N >$folder/end-\$SLURM_ARRAY_TASK_ID" >/dev/null || exit 1
ended=$(sort -n "$folder"/end-* | tail -n 1)
awk -v a="$started" -v b="$ended" -v n="$tasks" -v s="$seconds" 'BEGIN {
    over = b - a - n * s
    printf "%d tasks of %d s, one after the other: %.1f s more than they sleep, %.2f s a task, %.2f %%\n", n, s, over, over / n, 100 * over / (n * s)
}'
