"""shardmill doctor --training, with stand-ins for nvidia-smi and Python, and doctor --compare."""
import importlib.util
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import stat
import subprocess
import textwrap
import time
import unittest
import unittest.mock

import harness
import pages

# Findings that depend on the machine on which the tests run.
OF_THE_MACHINE = {"few-cores", "memory", "small-shared-memory", "no-shared-memory", "open-files"}
SMALL = ("--workers", 0, "--batch-bytes", 1)  # what fits any machine, with one rank
H100 = {"name": "NVIDIA H100 80GB HBM3", "compute_cap": "9.0", "memory.total": "81559", "memory.used": "4",
        "driver_version": "550.54.15", "mig.mode.current": "Disabled"}
P100 = {**H100, "name": "Tesla P100-PCIE-16GB", "compute_cap": "6.0", "memory.total": "16384",
        "mig.mode.current": "[N/A]"}
TORCH = {"executable": "/opt/train/bin/python3", "version": "3.11.2", "start_method": "fork", "torch": "2.4.1+cu121",
         "cuda": "12.1", "hip": None, "nccl": "2.20.5", "sharing": "file_descriptor", "nccl_backend": True,
         "sees_cuda": True, "devices": 4, "kernels": ["sm_50", "sm_80", "sm_86", "sm_90"]}

# Answers like nvidia-smi: the fields that are asked for, in that order. Old ones do not know all fields.
NVIDIA_SMI = """
#!/usr/bin/python3 -E
import sys
cards, unknown = {cards!r}, {unknown!r}
fields = sys.argv[1].removeprefix("--query-gpu=").split(",")
assert sys.argv[2:] == ["--format=csv,noheader,nounits"], sys.argv
for field in fields:
    if field in unknown:
        print(f'Field "{{field}}" is not a valid field to query.\\n')
        sys.exit(2)
for card in cards:
    print(", ".join(card[field] for field in fields))
"""


def cards(*kinds):
    return [{"index": str(number), "uuid": f"GPU-{number:08x}-aaaa", **kind} for number, kind in enumerate(kinds)]


class Training(harness.Case):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        environment = unittest.mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
        self.path = {"PATH": str(self.folder / "bin")}  # nothing but stand-ins

    def shardmill(self, *arguments, env=None, **more):
        return super().shardmill(*arguments, env={**self.path, **(env or {})}, **more)

    def stand_in(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(textwrap.dedent(text).lstrip())
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def gpus(self, *kinds, unknown=()):
        self.stand_in("nvidia-smi", NVIDIA_SMI.format(cards=cards(*kinds), unknown=unknown))

    def torch(self, **more):
        answer = json.dumps({**TORCH, **more})
        self.stand_in("python3", f"#!/bin/sh\necho some noise\necho 'shardmill asked: {answer}'\n")

    def examine(self, *arguments, code=None, **more):
        """The answer as JSON; the exit code must say whether there are findings."""
        result = self.shardmill("doctor", "--training", "--json", *arguments, code=code, **more)
        found = json.loads(result.out)
        self.assertEqual(result.code, 1 if found["findings"] else 0)
        self.assertEqual(result.err, "")
        for remark in found["findings"] + found["notes"]:
            for part in ("what", "why", "do"):
                self.assertTrue(remark[part], remark)
        return found

    def kinds(self, found):
        return {finding["kind"] for finding in found["findings"]} - OF_THE_MACHINE

    def finding(self, found, kind):
        return next(finding for finding in found["findings"] if finding["kind"] == kind)


class Gpus(Training):
    def test_like_ones(self):
        self.gpus(*[H100] * 4)
        self.torch()
        found = self.examine()
        self.assertEqual(self.kinds(found), set())
        self.assertEqual(found["job"]["ranks"], 4)
        self.assertEqual([card["index"] for card in found["gpus"]["cards"]], [0, 1, 2, 3])
        self.assertEqual(found["gpus"]["cards"][3], {
            "index": 3, "name": "NVIDIA H100 80GB HBM3", "uuid": "GPU-00000003-aaaa", "compute_capability": "9.0",
            "memory_bytes": 81559 << 20, "taken_bytes": 4 << 20, "driver": "550.54.15", "mig": False})
        self.assertEqual(found["python"]["nccl"], "2.20.5")
        text = self.shardmill("doctor", "--training", code=None).out.decode()
        self.assertIn("0 to 3       NVIDIA H100 80GB HBM3, compute capability 9.0", text)
        good = self.examine("--ranks", 1, *SMALL, code=0)
        self.assertEqual(good["findings"], [])

    def test_unlike_ones(self):
        self.gpus(H100, P100, H100, H100)
        self.torch(kernels=["sm_60", "sm_90"])
        found = self.examine()
        self.assertEqual(self.kinds(found), {"unlike-gpus"})
        finding = self.finding(found, "unlike-gpus")
        self.assertIn("GPU 0, 2, 3: NVIDIA H100 80GB HBM3", finding["what"])
        self.assertIn("GPU 1: Tesla P100-PCIE-16GB, compute capability 6.0", finding["what"])
        self.assertIn("SIGSEGV", finding["why"])
        self.assertIn("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,2,3", finding["do"])
        # The remedy works.
        self.assertEqual(self.kinds(self.examine(env={"CUDA_VISIBLE_DEVICES": "0,2,3"})), set())

    def test_unlike_memory_only(self):
        self.gpus(H100, {**H100, "memory.total": "95830"})
        self.torch()
        finding = self.finding(self.examine(), "unlike-gpus")
        self.assertNotIn("SIGSEGV", finding["why"])
        self.gpus(H100, {**H100, "memory.total": "81553"})  # cards of one kind differ by so much
        self.assertEqual(self.kinds(self.examine()), set())

    def test_visible_devices(self):
        self.gpus(*[H100] * 4)
        self.torch()
        for value, ranks in (("2", 1), ("0,1,9,3", 2), ("GPU-00000003,0", 2), (" 1 , 2 ", 2)):
            with self.subTest(value):
                found = self.examine(env={"CUDA_VISIBLE_DEVICES": value})
                self.assertEqual(found["job"]["ranks"], ranks)
                self.assertEqual(found["gpus"]["visible"], ranks)
        for value in ("", "-1", "GPU-ffff"):
            with self.subTest(value):
                found = self.examine(env={"CUDA_VISIBLE_DEVICES": value})
                self.assertIn("no-gpu", self.kinds(found))
                self.assertIn("hides all 4", self.finding(found, "no-gpu")["what"])

    def test_taken(self):
        self.gpus(H100, {**H100, "memory.used": "30517"}, {**H100, "memory.used": "600"}, H100)
        self.torch()
        found = self.examine()
        self.assertEqual(self.kinds(found), {"gpu-memory-taken"})
        self.assertIn("GPU 1 is taken already: 32.0 GB", self.finding(found, "gpu-memory-taken")["what"])

    def test_slices(self):
        self.gpus(H100, {**H100, "mig.mode.current": "Enabled"})
        self.torch(devices=2)
        self.assertEqual(self.kinds(self.examine()), {"mig"})
        self.gpus({**H100, "mig.mode.current": "Enabled"})
        found = self.examine("--ranks", 1, *SMALL, code=0)  # a slice serves one rank
        self.assertEqual([note["kind"] for note in found["notes"]], ["mig"])
        self.gpus(H100, *[{**H100, "mig.mode.current": "Enabled"}] * 2)
        self.torch(devices=1)
        for value in ("MIG-c0ffee-1", "MIG-GPU-00000002-aaaa/1/0", "MIG-c0ffee-1,MIG-c0ffee-2"):
            found = self.examine(*SMALL, env={"CUDA_VISIBLE_DEVICES": value}, code=0)
            self.assertEqual(found["gpus"]["visible"], 1)
        found = self.examine(*SMALL, env={"CUDA_VISIBLE_DEVICES": "MIG-GPU-00000000-aaaa/1/0"})
        self.assertEqual(found["gpus"]["visible"], 0)

    def test_too_few(self):
        self.gpus(*[H100] * 7)
        self.torch(devices=7)
        finding = self.finding(self.examine("--ranks", 8), "few-gpus")
        self.assertIn("8 ranks are to train here, and there are only 7 GPUs", finding["what"])

    def test_old_drivers_tell_less(self):
        self.gpus(H100, H100, unknown=["compute_cap", "mig.mode.current"])
        self.torch(devices=2)
        found = self.examine()
        self.assertEqual(self.kinds(found), set())
        self.assertEqual([card["compute_capability"] for card in found["gpus"]["cards"]], [None, None])
        self.gpus({**H100, "memory.used": "[N/A]", "memory.total": "[Unknown Error]", "compute_cap": "[N/A]"})
        card = self.examine("--ranks", 1, *SMALL, code=0)["gpus"]["cards"][0]
        self.assertEqual([card["memory_bytes"], card["taken_bytes"], card["compute_capability"]], [None, None, None])

    def test_thousand(self):
        self.gpus(*[H100] * 1000)
        self.torch(devices=1000)
        self.assertEqual(self.kinds(self.examine()), set())
        text = self.shardmill("doctor", "--training", code=None).out.decode()
        self.assertIn("  0 to 999     NVIDIA H100", text)
        self.assertLess(len(text), 4000)

    def test_none(self):
        self.torch(sees_cuda=False, devices=0)
        found = self.examine(*SMALL, code=1)
        self.assertEqual(self.kinds(found), {"no-gpu"})
        self.assertIn("nvidia-smi was not found", self.finding(found, "no-gpu")["what"])
        self.assertEqual(self.examine(*SMALL, "--cpu", code=0)["findings"], [])
        for words, code in (("No devices were found", 0), ("No devices were found", 6)):
            self.stand_in("nvidia-smi", f"#!/bin/sh\necho {words}\nexit {code}\n")
            found = self.examine(*SMALL, code=1)
            self.assertEqual(self.kinds(found), {"no-gpu"})
            self.assertIn("lists none", self.finding(found, "no-gpu")["what"])
        text = self.shardmill("doctor", "--training", *SMALL, code=1).out.decode()
        self.assertIn("\nGPUs\n  none\n", text)

    def test_other_makers(self):
        """torch sees GPUs of which nvidia-smi knows nothing."""
        self.torch(cuda=None, hip="6.0", devices=8)
        found = self.examine("--workers", 0)
        self.assertEqual(self.kinds(found), set())
        self.assertEqual(found["job"]["ranks"], 8)
        self.assertIn("gpus-unknown", [note["kind"] for note in found["notes"]])

    def test_failure(self):
        self.torch(sees_cuda=False, devices=0)
        says = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
        for stream in ("1", "2"):
            self.stand_in("nvidia-smi", f'#!/bin/sh\necho "{says}" >&{stream}\nexit 9\n')
            found = self.examine("--cpu", *SMALL, code=1)  # a driver that fails is one even then
            self.assertLessEqual({"nvidia-smi"} if stream == "2" else {"nvidia-smi-lines"}, self.kinds(found))
            self.assertIn("couldn't communicate", json.dumps(found["findings"]))
            self.assertIn("exit status 9", found["gpus"]["problem"])
        self.stand_in("nvidia-smi", "#!/bin/sh\nkill -SEGV $$\n")
        self.assertIn("signal 11", self.examine("--cpu", *SMALL)["gpus"]["problem"])
        self.stand_in("nvidia-smi", "\x7fELF no program")
        self.assertIn("could not be started", self.examine("--cpu", *SMALL)["gpus"]["problem"])
        self.stand_in("nvidia-smi", "#!/no/such/interpreter\n")
        self.examine("--cpu", *SMALL)

    def test_lost_card(self):
        """Some lines tell of cards, and one does not."""
        lost = "Unable to determine the device handle for GPU 0000:0A:00.0: Unknown Error"
        line = ", ".join(cards(H100)[0][field] for field in (
            "index", "uuid", "compute_cap", "memory.total", "memory.used", "driver_version", "mig.mode.current",
            "name"))
        self.stand_in("nvidia-smi", f'#!/bin/sh\necho "{line}"\necho "{lost}"\n')
        self.torch()
        found = self.examine()
        self.assertEqual(len(found["gpus"]["cards"]), 1)
        self.assertEqual(self.kinds(found), {"nvidia-smi-lines"})
        self.assertIn(lost, self.finding(found, "nvidia-smi-lines")["what"])

    def test_garbage(self):
        self.torch()
        self.stand_in("nvidia-smi",
                      r"#!/bin/sh" "\nprintf 'a,b\\001\\377\\033[31m\\nx, y, z\\n'; printf '%5000s\\n' ,,,,,,,,,\n")
        result = self.shardmill("doctor", "--training", *SMALL, code=1)
        self.assertNotIn(b"\x1b", result.out)
        self.assertNotIn(b"\x01", result.out)
        found = self.examine(*SMALL, code=1)
        self.assertEqual(self.kinds(found), {"nvidia-smi-lines"})
        self.stand_in("nvidia-smi", "#!/bin/sh\nwhile :; do echo yes yes yes yes yes yes yes yes yes yes; done\n")
        self.assertIn("without an end", self.examine(*SMALL, code=1)["gpus"]["problem"])

    def test_hang(self):
        """It gives no answer, and neither does what it started; both are ended."""
        self.torch()
        (self.folder / "pids").mkdir()
        self.stand_in("nvidia-smi",
                      f"#!/bin/sh\n/bin/sleep 1000 &\necho > {self.folder}/pids/$!\necho > "
                      f"{self.folder}/pids/$$\nwait\n")
        start = time.monotonic()
        found = self.examine("--timeout", "0.5s", "--cpu", *SMALL, code=1)
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn("gave no answer in 0.5 s", found["gpus"]["problem"])
        pids = [int(path.name) for path in (self.folder / "pids").iterdir()]
        self.assertEqual(len(pids), 2)
        for pid in pids:
            self.wait_for_end(pid)

    def wait_for_end(self, pid):
        """Of a process that was killed: the system takes its time."""
        def is_there():
            try:
                return pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
            except (FileNotFoundError, ProcessLookupError):
                return False
        end = time.monotonic() + 30
        while is_there():
            self.assertLess(time.monotonic(), end, pid)
            time.sleep(0.01)

    def test_stop(self):
        """Ctrl-C ends the wait."""
        self.stand_in("nvidia-smi", f"#!/bin/sh\n> {self.folder}/began\nexec /bin/sleep 1000\n")
        process = subprocess.Popen([harness.PROGRAM, "doctor", "--training"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, **self.path})
        while not (self.folder / "began").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)


class Python(Training):
    def test_without_cuda(self):
        self.gpus(H100, H100)
        self.torch(cuda=None, nccl=None, sees_cuda=False, devices=0, torch="2.4.1+cpu")
        self.assertEqual(self.kinds(self.examine()), {"torch-without-cuda"})

    def test_driver_too_old(self):
        self.gpus(H100, H100)
        warning = "CUDA initialization: The NVIDIA driver on your system is too old (found version 11040)."
        self.torch(sees_cuda=False, devices=0, cuda_warning=warning)
        found = self.examine()
        self.assertEqual(self.kinds(found), {"cuda"})
        self.assertIn("too old", self.finding(found, "cuda")["what"])

    def test_kernels(self):
        self.gpus(H100, H100)
        for kernels, good in ((["sm_37", "sm_80", "sm_86"], False), (["sm_80", "compute_80"], True), (["sm_90a"], True),
                              (["compute_90"], True), (["sm_91"], False), (["sm_100", "sm_120"], False), ([], True)):
            with self.subTest(kernels):
                self.torch(devices=2, kernels=kernels)
                self.assertEqual(self.kinds(self.examine()), set() if good else {"kernels"})

    def test_sees_fewer(self):
        self.gpus(*[H100] * 4)
        self.torch(devices=3)
        self.assertEqual(self.kinds(self.examine()), {"cuda-devices"})

    def test_no_nccl(self):
        self.gpus(H100, H100)
        self.torch(devices=2, nccl_backend=False, nccl=None)
        self.assertEqual(self.kinds(self.examine()), {"no-nccl"})
        self.assertEqual(self.kinds(self.examine("--ranks", 1)), set())

    def test_hang(self):
        self.gpus(H100)
        self.stand_in("python3", "#!/bin/sh\nexec /bin/sleep 1000\n")
        found = self.examine("--timeout", "500ms", *SMALL, code=1)
        self.assertEqual(self.kinds(found), {"python-hangs"})
        self.assertIn("gave no answer", self.finding(found, "python-hangs")["what"])

    def test_failures(self):
        self.gpus(H100)
        for script, says in (("echo Fatal Python error >&2; exit 1", "Fatal Python error"),
                             ("kill -SEGV $$", "signal 11"),
                             ("echo hello", "not valid"), ("echo 'shardmill asked: {\"torch\": 7}'", "not valid"),
                             ("echo 'shardmill asked: {'", "not valid")):
            with self.subTest(script):
                self.stand_in("python3", f"#!/bin/sh\n{script}\n")
                found = self.examine(*SMALL, code=1)
                self.assertEqual(self.kinds(found), {"python-fails"})
                self.assertIn(says, self.finding(found, "python-fails")["what"])
        self.torch(torch=None, problem="OSError: libcudart.so.12: cannot open shared object file")
        self.assertIn("libcudart", self.finding(self.examine(*SMALL, code=1), "python-fails")["what"])

    def test_none(self):
        self.gpus(H100)
        found = self.examine(*SMALL, code=0)
        self.assertEqual([note["kind"] for note in found["notes"]], ["no-torch"])
        self.assertIn("python3 was not found", found["notes"][0]["what"])
        self.assertEqual(self.kinds(self.examine("--python", "no-such-python", *SMALL, code=1)), {"no-torch"})
        # One without torch, and another one with it.
        self.torch(torch=None)
        self.assertEqual(self.examine(*SMALL, code=0)["notes"][0]["kind"], "no-torch")
        shutil.move(self.folder / "bin/python3", self.folder / "bin/keep")
        self.torch(devices=1)
        shutil.move(self.folder / "bin/python3", self.folder / "bin/python")
        shutil.move(self.folder / "bin/keep", self.folder / "bin/python3")
        self.assertEqual(self.examine(*SMALL, code=0)["python"]["torch"], "2.4.1+cu121")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_real_torch(self):
        """Files beside us are not taken for Python's own, or for torch."""
        import torch
        for name in ("json.py", "torch.py", "warnings.py", "multiprocessing.py"):
            self.write(name, b"raise SystemExit('this is not the module')")
        found = self.examine("--cpu", "--python", "/usr/bin/python3", *SMALL, code=None)["python"]
        self.assertEqual(found["torch"], str(torch.__version__))
        self.assertEqual(found["cuda"], torch.version.cuda)
        self.assertEqual(found["sees_cuda"], torch.cuda.is_available())
        self.assertEqual(found["sharing_strategy"], torch.multiprocessing.get_sharing_strategy())
        self.assertIsNone(found["problem"])

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_spawned_loader(self):
        """The lines for 64-bit ARM in the docs work as they stand."""
        page = (pages.ROOT / "docs/training.md").read_text()
        lines = re.search(r'```\n(if __name__ == "__main__":\n.*?)```', page, re.DOTALL)[1]
        self.write("train.py", textwrap.dedent("""
            from torch.utils.data import DataLoader, Dataset
            class Numbers(Dataset):
                def __len__(self): return 6
                def __getitem__(self, index): return index
            dataset = Numbers()
            """).encode() + lines.replace("num_workers=4", "num_workers=1").encode() +
            b"    print([int(batch) for batch in loader], loader.multiprocessing_context.get_start_method())\n")
        done = subprocess.run(["/usr/bin/python3", "train.py"], cwd=self.folder, capture_output=True, timeout=300)
        self.assertEqual(done.stdout, b"[0, 1, 2, 3, 4, 5] spawn\n", done.stderr.decode())

    def test_real_python_without_torch(self):
        """-S leaves out the folder in which torch is."""
        self.stand_in("python3", '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n')
        found = self.examine("--cpu", *SMALL, code=0)["python"]
        self.assertRegex(found["version"], r"^3\.")
        self.assertIsNone(found["torch"])
        self.write("lib/torch.py", b"raise ImportError('libtorch.so: undefined symbol')")
        found = self.examine("--cpu", *SMALL, code=1, env={"PYTHONPATH": str(self.folder / "lib")})["python"]
        self.assertEqual(found["problem"], "ImportError: libtorch.so: undefined symbol")


class Loaders(Training):
    def setUp(self):
        super().setUp()
        self.gpus(H100, H100)
        self.torch(devices=2)

    def test_shared_memory(self):
        found = self.examine("--workers", 4, "--prefetch", 3, "--batch-bytes", "1TB", code=1)
        self.assertEqual(found["job"]["shared_memory_needed_bytes"], 2 * (4 * 3 + 1) * 10**12)
        if pathlib.Path("/dev/shm").is_dir():
            status = os.statvfs("/dev/shm")
            self.assertEqual(found["machine"]["shared_memory"]["total_bytes"], status.f_blocks * status.f_frsize)
            finding = self.finding(found, "small-shared-memory")
            self.assertIn("2 ranks x 4 workers x 3 batches x 1.00 TB take 26.0 TB", finding["what"])
            self.assertIn("Bus error", finding["why"])
        self.assertNotIn("small-shared-memory", {finding["kind"] for finding in self.examine(*SMALL)["findings"]})

    def test_open_files(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        found = self.examine(code=1, preexec_fn=limit)
        self.assertEqual(found["machine"]["open_files"], 100)
        self.assertIn("ancdata", self.finding(found, "open-files")["why"])

    def test_cores(self):
        core = min(os.sched_getaffinity(0))
        found = self.examine("--workers", 3, code=1, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        self.assertIn("2 ranks with 3 workers each are 8 processes on 1 core", self.finding(found, "few-cores")["what"])

    def test_need(self):
        found = self.examine("--workers", 2, "--need", "1000x", "--supply", "300", code=1)
        self.assertEqual(self.finding(found, "few-workers")["what"],
                         "2 workers a rank are too few: a worker delivers 300x, the trainer of a rank takes 1,000x")
        self.assertIn("4 workers", self.finding(found, "few-workers")["do"])
        kinds = self.kinds(self.examine("--workers", 4, "--need", "1000x", "--supply", "300"))
        self.assertNotIn("few-workers", kinds)

    def test_need_is_measured_on_shards(self):
        self.write("shards/a.tar", harness.shard())
        for number in range(2):
            self.shardmill("repack", "shards", "--out", "mixed", "--shards", 4)
        for folder in ("mixed", "shards"):
            found = self.examine(folder, "--workers", 2, "--need", "0.001x")
            self.assertTrue(found["job"]["worker_speed_measured"])
            self.assertGreater(found["job"]["worker_speed"], 0)
            self.assertNotIn("few-workers", self.kinds(found))
            self.assertIn("few-workers", self.kinds(self.examine(folder, "--workers", 2, "--need", "999999999x")))

    def test_wrong_use(self):
        for arguments, says in ((["--need", "400x"], "--supply"), (["--supply", "4x"], "--need"),
                                (["--workers", "x"], "--workers"),
                                (["--prefetch", "0"], "--prefetch"), (["--batch-bytes", "0"], "--batch-bytes"),
                                (["--timeout", "0s"], "--timeout"), (["--ranks", "0"], "--ranks"),
                                (["--need", "-1x", "d"], "--need"),
                                (["a", "b"], "one DIR"), ([""], "DIR is empty"), (["--compare", "a", "b"], "--compare"),
                                (["--python", ""], "--python")):
            with self.subTest(arguments):
                self.fails("doctor", "--training", *arguments, code=2, says=says)
        self.fails("doctor", "--ranks", "4", code=2, says=["--ranks", "--training"])
        self.fails("doctor", "--cpu", code=2, says=["--cpu", "--training"])
        self.fails("doctor", "--training", "missing", says=["missing", "No such file"])


class Shards(Training):
    def setUp(self):
        super().setUp()
        self.gpus(H100, H100)
        self.torch(devices=2)
        self.write("in/a.tar", harness.shard())

    def test_dataset(self):
        self.shardmill("repack", "in", "--out", "mixed", "--shards", 4)
        before = {path: path.stat().st_mtime_ns for path in (self.folder / "mixed").rglob("*")}
        found = self.examine("mixed", "--workers", 2)
        self.assertEqual(self.kinds(found), set())
        record = json.loads((self.folder / "mixed/dataset.json").read_bytes())
        shards = found["shards"]
        self.assertEqual([shards["dataset"], shards["shards"], shards["bytes"]], [True, 4, record["bytes"]])
        self.assertEqual(shards["read_bytes"], record["bytes"])
        self.assertEqual({path: path.stat().st_mtime_ns for path in (self.folder / "mixed").rglob("*")}, before)
        self.assertEqual(self.kinds(self.examine("mixed", "--workers", 3)), {"few-shards"})
        found = self.examine("mixed", "--ranks", 2, "--workers", 1)
        self.assertEqual(self.kinds(found), set())
        self.gpus(H100, H100, H100)
        self.torch(devices=3)
        finding = self.finding(self.examine("mixed", "--workers", 1), "uneven-shards")
        self.assertIn("4 shards do not divide into 3 ranks x 1 worker", finding["what"])
        self.assertIn("--multiple-of 3", finding["do"])
        (self.folder / "mixed/dataset.json").write_text("{")
        self.assertEqual(self.kinds(self.examine("mixed", "--workers", 1)), {"shards"})

    def test_folder_of_shards(self):
        self.write("in/b.tar", harness.shard(count=3))
        found = self.examine("in", "--workers", 1)
        self.assertEqual(self.kinds(found), set())
        self.assertEqual([found["shards"]["dataset"], found["shards"]["shards"], found["shards"]["audio_seconds"]],
                         [False, 2, None])
        self.assertIsNone(found["shards"]["read_bytes_per_second"])  # far too little to tell

    def test_large_shards_tell_the_speed(self):
        self.write("big/a.tar", harness.shard() + bytes(1))
        with open(self.folder / "big/a.tar", "r+b") as file:
            file.truncate(40_000_000)
        found = self.examine("big", "--workers", 0)
        self.assertEqual(found["shards"]["read_bytes"], 40_000_000)
        self.assertGreater(found["shards"]["read_bytes_per_second"], 0)
        self.assertIn("cold reading", self.shardmill("doctor", "--training", "big", code=None).out.decode())

    def test_no_shards(self):
        (self.folder / "empty").mkdir()
        self.write("text/readme.txt", b"nothing")
        for folder in ("empty", "text"):
            found = self.examine(folder)
            self.assertEqual(self.kinds(found), {"shards"})
            self.assertIn(folder, self.finding(found, "shards")["what"])
            self.examine(folder, "--need", "400x")
        self.assertIn("shards empty", self.shardmill("doctor", "--training", "empty", code=1).out.decode())

    @unittest.skipUnless(pathlib.Path("/dev/shm").is_dir() and os.access("/dev/shm", os.W_OK), "no /dev/shm")
    def test_shards_in_memory(self):
        folder = pathlib.Path("/dev/shm") / self.folder.name
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copytree(self.folder / "in", folder)
        found = self.examine(folder, "--ranks", 1, "--workers", 0)
        if found["shards"]["filesystem"] == "tmpfs":
            self.assertIn("filesystem", [note["kind"] for note in found["notes"]])

    def test_read_only(self):
        """Nothing is written, so a folder that takes nothing will do."""
        os.chmod(self.folder / "in", 0o555)
        self.addCleanup(os.chmod, self.folder / "in", 0o755)
        self.assertEqual(self.kinds(self.examine("in", "--ranks", 1, "--workers", 0)), set())


class Measure(Training):
    """A loader is run in a real Python."""
    PYTHON = ("--python", "/usr/bin/python3", "--cpu", "--ranks", 1, "--workers", 0)

    def setUp(self):
        super().setUp()
        self.write("in/a.tar", harness.shard(count=12))
        self.shardmill("repack", "in", "--out", "plain", "--shards", 2)

    def test_record(self):
        found = self.examine("plain", "--measure", *self.PYTHON, env={"PATH": os.environ["PATH"]})
        readers = {trial["reader"]: trial for trial in found["loaders"]}
        self.assertIn("tarfile and soundfile", readers)
        for trial in found["loaders"]:
            self.assertEqual((trial["codec"], trial["problem"]), ("none", None))
            self.assertAlmostEqual(trial["speed"], trial["audio_seconds"] / trial["seconds"])
            self.assertGreaterEqual(trial["samples"], 12)
        self.write("node.json", json.dumps(found).encode())
        first, host = found["loaders"][0], found["machine"]["host"]
        ranks = json.loads(self.shardmill("ranks", "plain", "-w", 2, "--need", "10x", "--supply", "node.json",
                                          "--json").out)
        self.assertEqual(ranks["supply"]["basis"], "as recorded")
        self.assertEqual(ranks["supply"]["recorded"], f"{first['reader']} on {host}")
        self.assertAlmostEqual(ranks["supply"]["codecs"][0]["worker_speed"], first["speed"])
        text = self.shardmill("ranks", "plain", "-w", 2, "--need", "10x", "--supply", "node.json").out.decode()
        self.assertIn(f"as recorded for {first['reader']} on {host}", text)
        self.assertIn("supply as recorded", text)
        needed = self.examine("plain", "--measure", "--need", "1x", *self.PYTHON)
        self.assertEqual(needed["job"]["worker_speed_basis"], needed["loaders"][0]["reader"])
        self.assertIn("one loader worker\n  plain        ", self.shardmill(
            "doctor", "--training", "plain", "--measure", *self.PYTHON, code=None).out.decode())

    def test_compressed_shards(self):
        self.shardmill("repack", "in", "--out", "packed", "--codec", "zstd", "--shards", 2)
        found = self.examine("packed", "--measure", *self.PYTHON, env={"PATH": os.environ["PATH"]})
        self.assertEqual({trial["codec"] for trial in found["loaders"]}, {"zstd"})
        self.assertGreater(found["loaders"][0]["speed"], 0)
        self.write("node.json", json.dumps(found).encode())
        self.fails("ranks", "plain", "-w", 2, "--need", "10x", "--supply", "node.json", says=["node.json", "plain tar"])
        missing = self.examine("packed", "--measure", *self.PYTHON)  # no zstd on the PATH
        self.assertIn("zstd", missing["loaders"][0]["problem"])
        self.assertIsNone(missing["loaders"][0]["speed"])
        self.write("node.json", json.dumps(missing).encode())
        self.fails("ranks", "packed", "-w", 2, "--need", "10x", "--supply", "node.json",
                   says=["node.json", "no speed of a loader"])

    def test_wrong_use(self):
        self.fails("doctor", "--training", "--measure", code=2, says=["--measure", "DIR"])
        self.fails("doctor", "plain", "--measure", code=2, says="--training")
        self.fails("doctor", "--training", "plain", "--measure", "--cpu", says="no Python")
        self.stand_in("python3", "#!/bin/sh\nexit 3\n")
        self.fails("doctor", "--training", "plain", "--measure", "--cpu", says="loaders cannot be measured")
        self.fails("ranks", "plain", "-w", 2, "--need", "10x", "--supply", "in/a.tar", says="in/a.tar")


class Compare(Training):
    def node(self, name, change=None, host=None):
        """A file as doctor writes it, changed as on another machine."""
        if not hasattr(self, "first"):
            self.gpus(H100, H100)
            self.torch(devices=2)
            self.first = self.examine("--ranks", 2)
            self.first["findings"] = []
            # Not this machine's: in a container it is often just as small as the test makes it for one machine.
            self.first["machine"]["shared_memory"] = {"filesystem": "tmpfs", "total_bytes": 16 << 30,
                                                      "free_bytes": 16 << 30}
        node = json.loads(json.dumps(self.first))
        node["machine"]["host"] = host or name
        if change:
            change(node)
        return str(self.write(f"{name}.json", json.dumps(node).encode()).name)

    def compare(self, *files, code):
        found = json.loads(self.shardmill("doctor", "--compare", "--json", *files, code=code).out)
        self.assertEqual(found["alike"], code == 0)
        return found["machines"], {difference["what"]: difference for difference in found["differences"]}

    def test_alike(self):
        files = [self.node(name) for name in ("a", "b", "c")]
        machines, differences = self.compare(*files, code=0)
        self.assertEqual(machines, ["a", "b", "c"])
        self.assertEqual(differences, {})
        self.assertIn("no difference that matters", self.shardmill("doctor", "--compare", *files).out.decode())

    def test_odd_one_out(self):
        def older(node):
            node["python"].update(torch="2.1.0+cu118", nccl="2.18.1", cuda="11.8")
        files = [self.node("a"), self.node("b", older), self.node("c")]
        _, differences = self.compare(*files, code=1)
        self.assertEqual(set(differences), {"torch", "CUDA", "NCCL"})
        self.assertEqual(differences["torch"]["odd"], ["b"])
        self.assertEqual(differences["torch"]["values"], [{"value": "2.4.1+cu121", "machines": ["a", "c"]},
                                                          {"value": "2.1.0+cu118", "machines": ["b"]}])
        text = self.shardmill("doctor", "--compare", *files, code=1).out.decode()
        self.assertIn("differs: torch: 2.4.1+cu121 on a, c; 2.1.0+cu118 on b\n  odd: b\n", text)
        _, differences = self.compare(files[0], files[1], code=1)  # of two, none is the odd one
        self.assertEqual(differences["torch"]["odd"], [])

    def test_what_matters(self):
        def changed(*path, value):
            def change(node):
                place = node
                for name in path[:-1]:
                    place = place[name]
                place[path[-1]] = value
            return change

        more_cards = self.node("more")
        for change, what, code in (
                (changed("gpus", "cards", value=[]), "GPUs", 1),
                (changed("gpus", "cards", 1, "name", value="NVIDIA A100"), "GPUs", 1),
                (changed("gpus", "cards", 0, "mig", value=True), "GPUs", 1),
                (changed("gpus", "cards", 0, "driver", value="470.1"), "driver", 1),
                (changed("gpus", "cards", 0, "memory_bytes", value=(81553 << 20)), None, 0),
                (changed("machine", "system", value="Linux 5.4 x86_64"), "kernel", 0),
                (changed("machine", "system", value="Linux 5.4 aarch64"), "architecture", 1),
                (changed("machine", "usable_cores", value=1), "cores", 1),
                (changed("machine", "open_files", value=7), "open files", 0),
                (changed("machine", "shared_memory", "total_bytes", value=64 << 20), "/dev/shm", 0),
                (changed("machine", "shared_memory", value=None), "/dev/shm", 0),
                (changed("python", "version", value="3.9.1"), "Python", 1),
                (changed("findings", value=[{"kind": "mig"}]), "finding mig", 1)):
            with self.subTest(what):
                self.first["machine"]["usable_cores"] = 8
                _, differences = self.compare(self.node("a"), self.node("b", change), code=code)
                if what:
                    self.assertIn(what, differences)
                else:
                    self.assertEqual(differences, {})
        self.assertTrue(more_cards)

    def test_amount_that_is_too_small_for_one(self):
        def small(node):
            node["machine"]["shared_memory"]["total_bytes"] = 64 << 20
            node["findings"] = [{"kind": "small-shared-memory"}]
        _, differences = self.compare(self.node("a"), self.node("b", small), self.node("c"), code=1)
        self.assertEqual(set(differences), {"/dev/shm"})
        self.assertEqual(differences["/dev/shm"]["odd"], ["b"])

    def test_shards(self):
        def with_shards(shards, speed):
            def change(node):
                node["shards"] = {"filesystem": "ext4", "shards": shards, "bytes": 10 * shards,
                                  "read_bytes_per_second": speed}
            return change
        _, differences = self.compare(self.node("a", with_shards(8, 1e9)), self.node("b", with_shards(8, 9e8)), code=0)
        self.assertEqual(differences, {})
        _, differences = self.compare(self.node("a", with_shards(8, 1e9)), self.node("b", with_shards(7, 1e8)),
                                      self.node("c", with_shards(8, 1e9)), code=1)
        self.assertEqual(set(differences), {"shards", "bytes of the shards", "cold reading"})
        self.assertEqual(differences["shards"]["odd"], ["b"])

    def test_one_host_name(self):
        """Containers often have the same."""
        machines, _ = self.compare(self.node("a", host="box"), self.node("b", host="box"), code=0)
        self.assertEqual(machines, ["a.json", "b.json"])

    def test_wrong_use(self):
        good = self.node("a")
        self.fails("doctor", "--compare", good, code=2, says="two machines")
        self.fails("doctor", "--compare", good, good, code=2, says="twice")
        self.fails("doctor", "--compare", good, "none.json", says=["none.json", "No such file"])
        for text, says in ((b"", ""), (b"{}", "training"), (b"[]", "training"), (b'{"format": 7}', ""), (b"\xff", ""),
                           (b'{"format": "shardmill doctor training", "format_version": 2}', "newer version"),
                           (b'{"format": "shardmill doctor training", "format_version": 1}', "machine")):
            with self.subTest(text):
                self.write("bad.json", text)
                self.fails("doctor", "--compare", good, "bad.json", says=["bad.json", says, "shardmill"])
        self.write("plain.json", b'{"machine": {"host": "b"}, "problems": [], "notes": []}')  # without --training
        self.fails("doctor", "--compare", good, "plain.json", says=["plain.json", "--training"])


if __name__ == "__main__":
    unittest.main()
