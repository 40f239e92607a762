#!/bin/bash
# Experiment @NAME@: @JOBS@ jobs in @TASKS@ tasks, each a part of them. Written by `deferlab slurm`.
# A task that is stopped, killed or requeued goes on where it was; one that was lost can be run again.
#SBATCH --job-name=@NAME@
#SBATCH --array=1-@TASKS@%@AT_ONCE@
#SBATCH --cpus-per-task=@THREADS@
#SBATCH --mem=@MEMORY@
#SBATCH --time=@TIME@
@PARTITION@#SBATCH --output=@FOLDER@/%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
# So many seconds before the time limit the runner saves its jobs in the middle and stops.
#SBATCH --signal=B:USR1@@SECONDS@

@PROGRAM@ run @FILE@ --store @STORE@ --threads @THREADS@ --shard "$SLURM_ARRAY_TASK_ID/@TASKS@" &
runner=$!
out_of_time=no
trap 'out_of_time=yes; kill -USR1 "$runner"' USR1
trap 'kill -TERM "$runner"' TERM
# A signal ends `wait` before the runner has ended.
while wait "$runner"; code=$?; [ "$code" -gt 128 ] && kill -0 "$runner" 2>/dev/null; do :; done
if [ "$code" -eq 75 ] && [ "$out_of_time" = yes ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
