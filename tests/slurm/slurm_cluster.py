"""A Slurm cluster of two nodes on one machine, in a folder of its own; nothing of the system's is used or touched."""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

DAEMONS = ("munged", "slurmctld", "slurmd")
NODES = ("n1", "n2")
PATIENCE_SECONDS = 120
PATIENCE_IN_CONTAINER_SECONDS = 20  # where the daemons work, they are there after five
CONFIGURATION = """
ClusterName=shardmilltest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1_port} CPUs=4 RealMemory=4000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2_port} CPUs=4 RealMemory=4000
PartitionName=main Nodes=n1,n2 Default=YES State=UP
"""


def missing_programs():
    """Those that a cluster needs and that are not installed."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in (*DAEMONS, "sbatch", "scontrol") if not shutil.which(name, path=path)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def user_name():
    """Skips the test for a user without a name, such as a container's `--user 1000`: Slurm cannot work for it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        raise unittest.SkipTest(f"user {os.getuid()} has no name here, and Slurm wants one") from None


def in_container():
    """Docker's and Podman's marks, or a root that nobody mounted, as after chroot."""
    marks = ("/.dockerenv", "/run/.containerenv")
    return any(map(os.path.exists, marks)) or not os.path.ismount("/") or \
        subprocess.run(["findmnt", "-n", "/"], stdout=subprocess.DEVNULL).returncode != 0


def wait_until(condition, what, seconds=PATIENCE_SECONDS):
    """Until condition() is true, which is returned; AssertionError after a long time."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain until {what}")
        time.sleep(0.1)
    return result


class Cluster:
    does_not_work = None  # else why the first one did not

    def __init__(self):
        if Cluster.does_not_work:
            raise unittest.SkipTest(Cluster.does_not_work)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shardmill-slurm-"))
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self.daemons = {}

    def start(self):
        controller_port, n1_port, n2_port = free_ports(3)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=user_name(), folder=self.folder,
            controller_port=controller_port, n1_port=n1_port, n2_port=n2_port))
        for name in ("state", *NODES):
            (self.folder / name).mkdir()
        self.folder.chmod(0o755)  # munge wants it neither more nor less open
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.launch("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", f"--key-file={key}",
                    f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                    f"--seed-file={self.folder}/munged.seed")
        wait_until((self.folder / "munge.socket").exists, "munge is there")
        self.launch("slurmctld", "-D")
        for node in NODES:
            self.start_node(node)
        self.wait_for_nodes()

    def wait_for_nodes(self):
        """Skips the test in a container where Slurm's daemons cannot work, such as one without control groups."""
        def are_idle():
            return self.ask("sinfo", "-h", "-N", "-o", "%t").split() == ["idle"] * len(NODES)
        if not in_container():
            wait_until(are_idle, "both nodes are idle")
            return
        try:
            wait_until(are_idle, "both nodes are idle", PATIENCE_IN_CONTAINER_SECONDS)
        except AssertionError:
            said = (self.folder / f"{NODES[0]}.out").read_text(errors="replace").strip().splitlines()[-1:]
            Cluster.does_not_work = f"Slurm's daemons do not work in this container: {said}"
            raise unittest.SkipTest(Cluster.does_not_work) from None

    def launch(self, program, *arguments, name=None):
        log = open(self.folder / f"{name or program}.out", "ab")
        with log:
            self.daemons[name or program] = subprocess.Popen([program, *arguments], env=self.environment, stdout=log,
                                                             stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder)

    def start_node(self, node):
        self.launch("slurmd", "-D", "-N", node, name=node)

    def ask(self, *command):
        """What a command of Slurm prints; nothing when it fails."""
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, timeout=60).stdout

    def processes(self, **variables):
        """Of this cluster, with these environment variables; itself, whatever it started."""
        wanted = {f"{name}={value}".encode() for name, value in
                  {"SLURM_CONF": self.environment["SLURM_CONF"], **variables}.items()}
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted <= set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
            except OSError:
                pass  # ended, or is another user's
        return found

    def crash_node(self, node):
        """The node's slurmd and all of its tasks are gone at once, as when it loses its power."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        self.kill(self.processes(SLURMD_NODENAME=node))
        self.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=crashed")

    @staticmethod
    def kill(processes):
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def hurry(self):
        """Requeued jobs start now: Slurm lets them wait for two minutes."""
        for job in self.ask("squeue", "-h", "-r", "-t", "PD", "-o", "%i %r").splitlines():
            number, reason = job.split(maxsplit=1)
            if reason == "BeginTime":
                self.ask("scontrol", "update", f"JobId={number}", "StartTime=now")

    def stop(self):
        self.kill(process for process in self.processes() if process != os.getpid())
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        self.kill(self.processes())  # steps that were just starting
        shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
                         for path in sorted(self.folder.glob("*.out")))
