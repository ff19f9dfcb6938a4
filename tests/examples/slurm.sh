#!/bin/sh
# slurm.sh PROGRAM EXAMPLES [MPIRUN]: the batch scripts of examples/slurm, with what Slurm would give them. Without MPIRUN the job of several
# processes is one of a single process.
set -eu
program=$1 examples=$2 mpirun=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin
ln -s "$program" bin/darboux
cat >bin/srun <<EOF
#!/bin/sh
[ "\$1" = --kill-on-bad-exit=1 ] || { echo "srun is not told to end all where one dies: \$1" >&2 && exit 1; }
[ "\$2" = --cpus-per-task=1 ] || { echo "srun is not told how many processors a process has: \$2" >&2 && exit 1; }
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
exec ${mpirun:+"$mpirun" -n 2} "\$@"
EOF
chmod +x bin/srun
PATH="$folder/bin:$PATH"
printf 'y,x\n0,1\n1,2\n0,1.5\n1,0.5\n0,0\n1,3\n' >my.csv
fail() { echo "FAILED: $*" && exit 1; }
status_of() { sed -n 's/^  "status": "\(.*\)",$/\1/p' "$1/run.json"; }

for script in "$examples"/*.sbatch; do sh -n "$script"; done

# A job array, and the same again where one of its jobs had no time.
darboux sample logistic --data my.csv --chains 4 --draws 1 --seed 1 --quiet --out pilot
export CHAINS_OF_PART=2 DRAWS=50
for part in 0 1; do SLURM_ARRAY_TASK_ID=$part SLURM_CPUS_PER_TASK=1 sh "$examples/parts.sbatch"; done
SLURM_ARRAY_TASK_ID=1 sh "$examples/parts.sbatch"
darboux merge part-0 part-1 --out all
[ "$(find all -name 'chain_*.csv' -path 'all/chain_*' | wc -l)" -eq 4 ] || fail "the parts have four chains together"

# A job of several processes that goes on where another left off.
export CHAINS=4
SLURM_CPUS_PER_TASK=1 sh "$examples/mpi.sbatch"
SLURM_CPUS_PER_TASK=1 sh "$examples/mpi.sbatch"
[ "$(status_of run)" = complete ] || fail "the run is not complete"
[ -z "$mpirun" ] || grep -q '"ranks": 2' run/run.json || fail "the run was not drawn by two processes"
