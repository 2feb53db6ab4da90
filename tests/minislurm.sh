#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# minislurm.sh - a private, throw-away Slurm cluster on loopback: no systemd, no accounting, root.
#   minislurm.sh start DIR [NODES=2] [GPUS_PER_NODE=4] [CPUS_PER_NODE=GPUS]   then: export SLURM_CONF=DIR/slurm.conf
#   minislurm.sh stop DIR
#   minislurm.sh wait DIR [SECONDS=120]      until no job is pending or running (sbatch --wait polls only every 2..10 s)
# Packages: slurmctld slurmd slurm-client munge (a dependency; its daemon runs only with MINISLURM_AUTH=munge)
set -euo pipefail
cmd=${1:?start|stop|wait}; D=$(realpath -m "${2:?DIR}"); P0=${MINISLURM_PORT:-17000}; AUTH=${MINISLURM_AUTH:-none}
export SLURM_CONF=$D/slurm.conf

write_conf() {
  local i auth="AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5"
  [ "$AUTH" = munge ] && auth="AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$D/run/munge.sock,cred_expire=5"
  cat > "$D/slurm.conf" <<C
ClusterName=mini
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$P0
SlurmUser=root
SlurmdUser=root
$auth
StateSaveLocation=$D/state
SlurmctldPidFile=$D/run/slurmctld.pid
SlurmctldLogFile=$D/log/slurmctld.log
SlurmdPidFile=$D/run/slurmd-%n.pid
SlurmdLogFile=$D/log/slurmd-%n.log
SlurmdSpoolDir=$D/spool/%n
TmpFS=$D/tmp/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=${SLURMD_TIMEOUT:-60}
KillWait=2
MinJobAge=3600
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$D/log/jobcomp.log
MailProg=/bin/true
GresTypes=gpu
C
  for ((i=0;i<N;i++)); do
    echo "NodeName=n$i NodeHostname=n$i NodeAddr=127.0.0.1 Port=$((P0+1+i)) CPUs=$C Boards=1 SocketsPerBoard=1 CoresPerSocket=$C ThreadsPerCore=1 RealMemory=$((1000*C)) Gres=gpu:h200:$G State=UNKNOWN"
  done >> "$D/slurm.conf"
  echo "PartitionName=gpu Nodes=n[0-$((N-1))] Default=YES MaxTime=INFINITE State=UP" >> "$D/slurm.conf"
  echo "NodeName=n[0-$((N-1))] Name=gpu Type=h200 File=$D/run/gpu[0-$((G-1))]" > "$D/gres.conf"
}

start() {
  local i
  mkdir -p "$D"/{state,log,run,spool,tmp}; chmod 755 "$D"
  for ((i=0;i<G;i++)); do [ -e "$D/run/gpu$i" ] || mknod -m 666 "$D/run/gpu$i" c 1 3; done   # null devices in place of GPUs
  write_conf
  { cat /etc/hosts; for ((i=0;i<N;i++)); do echo "127.0.0.1 n$i"; done; } > "$D/hosts"
  if [ "$AUTH" = munge ]; then
    head -c 128 /dev/urandom > "$D/run/munge.key"; chmod 400 "$D/run/munge.key"
    munged --force --key-file="$D/run/munge.key" --socket="$D/run/munge.sock" --pid-file="$D/run/munged.pid" \
      --log-file="$D/log/munged.log" --seed-file="$D/run/munge.seed" 3>&- 4>&-
  fi
  slurmctld -i 3>&- 4>&-
  for ((i=0;i<N;i++)); do
    mkdir -p "$D/spool/n$i" "$D/tmp/n$i"
    # each virtual node gets its own host name, /dev/shm and /etc/hosts, so that Open MPI sees separate hosts
    # shellcheck disable=SC2016
    unshare --uts --mount sh -c 'hostname "n$1"; mount -t tmpfs tmpfs /dev/shm; mount --bind "$2/hosts" /etc/hosts; exec slurmd -N "n$1"' sh "$i" "$D" 3>&- 4>&-
  done
  for ((i=0;i<100;i++)); do
    [ "$(timeout 5 sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l)" = "$N" ] && return 0; sleep 0.1
  done
  sinfo -N -l >&2; tail -n 20 "$D"/log/slurmctld.log "$D"/log/slurmd-*.log >&2; return 1
}

alive() { [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }   # a zombie not yet reaped by init is gone
stop() {
  local f p i
  scancel -u root 2>/dev/null || true
  for ((i=0;i<20;i++)); do [ -z "$(squeue -h -t R,CG 2>/dev/null)" ] && break; sleep 0.1; done
  for f in "$D"/run/slurmd-*.pid "$D"/run/slurmctld.pid "$D"/run/munged.pid; do
    [ -s "$f" ] || continue; p=$(cat "$f"); kill "$p" 2>/dev/null || continue
    for ((i=0;i<100;i++)); do alive "$p" || break; sleep 0.05; done
    ! alive "$p" || kill -9 "$p" 2>/dev/null || true
  done
}

wait_jobs() { local i; for ((i=0;i<$1*10;i++)); do [ -z "$(squeue -h -t PD,R,CG,CF)" ] && return 0; sleep 0.1; done; squeue >&2; return 1; }

case $cmd in
  start) N=${3:-2}; G=${4:-4}; C=${5:-$G}; start ;;
  stop) stop ;;
  wait) wait_jobs "${3:-120}" ;;
esac
