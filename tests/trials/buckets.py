#!/usr/bin/env python3
"""What servers cost: a Ceph gateway and nginx on loopback, against the same files on a disk and against other programs.

    buckets.py [MB] [ROUNDS]      1000 MB in 5 rounds, each of more than a minute

In each round all ways run in turn, each after a sync. Its ratios are printed, and at the end their medians, of seconds
that pass:
  - `repack` of bz2 shards from nginx and from the bucket, against the same from the disk: bar 1.15;
  - `cat` of one plain object from nginx, against `curl` of it alone: 1 / 0.9;
  - `repack --out s3://`, and that without the same `repack` to the disk, against `rclone copy` of the dataset: 1.0;
  - `verify s3://`, against `verify s3:// --decode`, which reads it: 0.05;
  - the largest resident size of a `repack` from and to the bucket, less that to and from the disk: 64 MB.
Then all that the program printed, its files, and what /proc shows of it while it runs are searched for the secret key,
and for signatures. The servers share the cores with the program. Needs rclone, curl, bzip2 and lbzip2, and what
tests/e2e/real_servers_test.py needs, and 4 times MB in the temporary folder. The exit code is 1 if a secret is found.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import index_cost
import sources

import real_servers

SHARDS = 16


class Trial:
    def __init__(self, folder, nginx, ceph):
        self.folder, self.nginx, self.ceph = folder, nginx, ceph
        self.environment = real_servers.clean_environment(**ceph.variables())
        ceph.rclone("version")  # puts its settings into the environment
        self.environment.update({name: value for name, value in ceph.environment.items() if name.startswith("RCLONE_")})
        self.seen, self.peaks = [], {}

    def run(self, *command, out=subprocess.PIPE):
        """Seconds, and the largest resident bytes."""
        os.sync()
        begin = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder, env=self.environment, stdout=out,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        watcher = threading.Thread(target=self.watch, args=(process.pid,))
        said = threading.Thread(target=lambda: self.seen.append(process.stderr.read()))
        for thread in (watcher, said):
            thread.start()
        if process.stdout:
            self.seen.append(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begin
        for thread in (watcher, said):
            thread.join()
        if process.returncode != 0:
            sys.exit(f"buckets: code {process.returncode}: {command}: {self.seen[-2:]}")
        return seconds, usage.ru_maxrss * 1024

    def shardmill(self, *words, **more):
        return self.run(sources.PROGRAM, *words, "--progress", "none", **more)

    def watch(self, process):
        """What others may read of it. Its environment only its owner may."""
        while True:
            try:
                self.seen += [pathlib.Path(f"/proc/{process}/{name}").read_bytes() for name in ("cmdline", "status")]
            except OSError:
                return
            if b"State:\tZ" in self.seen[-1]:
                return
            time.sleep(0.05)

    def repack(self, source, out):
        done = self.shardmill("repack", *(f"d={each}" for each in source), "--out", out, "--shards", SHARDS, "--force",
                              *(["--work", "work"] if "://" in out else []))
        return done

    def all_ways(self):
        """Seconds by way, of one round."""
        here = sorted(str(path) for path in (self.folder / "in").glob("*.bz2"))
        names = [pathlib.Path(path).name for path in here]
        took = {}
        local, small = self.repack(here, "local")
        took["bz2 from nginx"] = self.repack([f"{self.nginx.address}/{name}" for name in names], "out")[0] / local
        remote, large = self.repack([f"s3://{real_servers.BUCKET}/in/{name}" for name in names], "out")
        took["bz2 from the bucket"] = remote / local
        self.peaks["read"] = max(self.peaks.get("read", 0), large - small)
        address = f"{self.nginx.address}/plain.tar"
        with open(os.devnull, "wb") as nothing:
            alone = self.run("curl", "-s", "-o", "/dev/null", address)[0]
            took["one plain object"] = self.shardmill("cat", address, out=nothing)[0] / alone
        plain = ["in/plain.tar"]
        local, small = self.repack(plain, "local")
        sent, large = self.repack(plain, f"s3://{real_servers.BUCKET}/set")
        self.peaks["written"] = max(self.peaks.get("written", 0), large - small)
        copied = self.run("rclone", "--config", "rclone.conf", "copy", "local", f"rgw:{real_servers.BUCKET}/copy")[0]
        took["repack --out s3://"] = sent / copied
        took["the same, only to send"] = (sent - local) / copied
        address = f"s3://{real_servers.BUCKET}/set"
        took["verify s3://"] = self.shardmill("verify", address)[0] / self.shardmill("verify", address, "--decode")[0]
        self.run("rclone", "--config", "rclone.conf", "purge", f"rgw:{real_servers.BUCKET}/copy")
        return took

    def secrets(self):
        """Where one is found."""
        words = [real_servers.SECRET_KEY.encode(), b"Signature=", b"AWS4-HMAC"]
        places = [f"output or /proc: {word!r}" for text in self.seen for word in words if word in text]
        for path in self.folder.rglob("*"):
            if path.is_file() and path.suffix in (".json", ".jsonl", ".list", "") and "in" not in path.parts[-2:-1]:
                places += [f"{path}: {word!r}" for word in words if word in path.read_bytes()]
        return places


def main(megabytes=1000, rounds=5):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="shardmill-buckets-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "in").mkdir(mode=0o755)
        sources.write_tar(folder / "in/plain.tar", index_cost.members(99, megabytes * 1_000_000))
        for tar in range(SHARDS):
            sources.write_tar(folder / f"in/s{tar:02}.tar", index_cost.members(tar, megabytes * 500_000 // SHARDS))
            subprocess.run(["lbzip2", f"in/s{tar:02}.tar"], cwd=folder, check=True)
        nginx, ceph = real_servers.Nginx(folder / "in"), real_servers.Ceph(store_bytes=8 << 30)
        try:
            nginx.start()
            ceph.start()
            ceph.rclone("copy", "--include", "*.bz2", folder / "in", f"rgw:{real_servers.BUCKET}/in")
            trial = Trial(folder, nginx, ceph)
            trial.all_ways()
            figures = []
            for _ in range(rounds):
                figures.append(trial.all_ways())
                print(", ".join(f"{way} {ratio:.3f}" for way, ratio in figures[-1].items()), flush=True)
            for way in figures[0]:
                ratios = sorted(each[way] for each in figures)
                print(f"{way:26} {statistics.median(ratios):.3f}  ({ratios[0]:.3f} to {ratios[-1]:.3f})", flush=True)
            for what, more in trial.peaks.items():
                print(f"resident, {what:16} {more / 1e6:+.0f} MB at most, against the same on the disk")
            found = trial.secrets()
            print("\n".join(found) or f"no secret in {len(trial.seen)} outputs and looks at /proc, nor in any file")
            return bool(found)
        finally:
            nginx.stop()
            ceph.stop()


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
