#!/bin/bash
# Experiment @NAME@: puts the parts together and writes the report, whatever became of the tasks.
# What is missing then is said, and `sbatch @FOLDER@/array.sh` runs only that.
#SBATCH --job-name=@NAME@-merge
#SBATCH --cpus-per-task=1
#SBATCH --mem=@MEMORY@
#SBATCH --time=@TIME@
@PARTITION@#SBATCH --output=@FOLDER@/merge.log
#SBATCH --open-mode=append

@PROGRAM@ merge @FILE@ --store @STORE@ &&
    @PROGRAM@ run @FILE@ --store @STORE@@OUT@ ||
    { @PROGRAM@ status @FILE@ --store @STORE@; exit 1; }
