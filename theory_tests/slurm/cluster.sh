#!/bin/bash
# A Slurm cluster of several nodes on this machine, from nothing, all of it in one folder; needs root and
# Debian's slurm-wlm and munge. Sourced: `start_cluster FOLDER NODES`, then `stop_cluster`.

start_cluster() {
    local folder=$1 nodes=$2 node
    export SLURM_CONF=$folder/slurm.conf
    mkdir -p "$folder/state" && chmod 755 "$folder"
    cluster_processes=()
    # munge: who is who. A key of its own, a socket of its own.
    mkdir -m 755 "$folder/munge"
    head -c 1024 /dev/urandom >"$folder/munge.key" && chmod 600 "$folder/munge.key"
    munged --force --foreground --key-file="$folder/munge.key" --socket="$folder/munge/socket" \
        --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" \
        --seed-file="$folder/munge.seed" >"$folder/munged.log" 2>&1 &
    cluster_processes+=($!)
    cat >"$SLURM_CONF" <<CONF
ClusterName=deferlab
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,batch_sched_delay=1,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
JobRequeue=1
KillWait=10
MaxArraySize=2001
MaxJobCount=10000
NodeName=n[1-$nodes] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[17001-$((17000 + nodes))] CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    for _ in $(seq 50); do [ -S "$folder/munge/socket" ] && break; sleep 0.1; done
    slurmctld -D >"$folder/slurmctld.out" 2>&1 &
    cluster_processes+=($!)
    for node in $(seq "$nodes"); do
        mkdir -p "$folder/spool.n$node"
        slurmd -D -N "n$node" >"$folder/slurmd.n$node.out" 2>&1 &
        cluster_processes+=($!)
    done
    for _ in $(seq 150); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "$nodes" ] && return 0
        sleep 0.2
    done
    echo "the cluster does not start:" >&2
    tail -n 5 "$folder"/*.out "$folder"/*.log >&2
    return 1
}

stop_cluster() {
    local process
    for process in "${cluster_processes[@]}"; do kill "$process" 2>/dev/null; done
    for process in "${cluster_processes[@]}"; do wait "$process" 2>/dev/null; done
}
