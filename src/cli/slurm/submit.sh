#!/bin/bash
# Experiment @NAME@: the tasks, then the job that merges them when all have ended, well or not.
set -e
array=$(sbatch --parsable @FOLDER@/array.sh)
sbatch --dependency="afterany:$array" @FOLDER@/merge.sh
