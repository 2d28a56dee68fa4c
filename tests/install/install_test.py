"""That `cmake --install` gives a program that runs, and a library that another project finds and links."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

BUILD = os.environ["SHARDMILL_BUILD"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def succeed(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{command} exited {result.returncode}:\n{result.stdout.decode()}")
    return result.stdout


def cached(variable):
    """A variable of the build under test, so that the consumer is built alike."""
    for line in pathlib.Path(BUILD, "CMakeCache.txt").read_text().splitlines():
        if line.startswith(variable + ":"):
            return line.split("=", 1)[1]
    raise AssertionError(f"{variable} is not in the cache of {BUILD}")


# What the published schemas of SPDX 2.3 and CycloneDX 1.5 require, by the place of the objects.
SPDX_REQUIRES = {
    "": {"SPDXID", "creationInfo", "dataLicense", "name", "spdxVersion", "documentNamespace"},
    "creationInfo": {"created", "creators"},
    "packages": {"SPDXID", "downloadLocation", "name"},
    "packages.externalRefs": {"referenceCategory", "referenceLocator", "referenceType"},
    "files": {"SPDXID", "checksums", "fileName"},
    "files.checksums": {"algorithm", "checksumValue"},
    "relationships": {"relatedSpdxElement", "relationshipType", "spdxElementId"},
}
CYCLONEDX_REQUIRES = {
    "": {"bomFormat", "specVersion", "serialNumber", "version", "metadata"},
    "metadata.component": {"type", "name"},
    "components": {"type", "name"},
    "components.components": {"type", "name"},
    "components.hashes": {"alg", "content"},
    "dependencies": {"ref"},
}


def objects_at(document, place):
    """All objects at a place such as `packages.externalRefs`, those of lists one by one."""
    found = [document]
    for step in filter(None, place.split(".")):
        found = [each[step] for each in found if step in each]
        found = [inner for each in found for inner in (each if isinstance(each, list) else [each])]
    return found


def check_sboms(case, folder, root):
    """Both lists name every ELF file below `root` with its hash, and each package that a library came from."""
    elf = {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*")
           if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"}
    spdx = json.loads((folder / "shardmill.spdx.json").read_text())
    cyclonedx = json.loads((folder / "shardmill.cdx.json").read_text())
    for document, requires in ((spdx, SPDX_REQUIRES), (cyclonedx, CYCLONEDX_REQUIRES)):
        for place, names in requires.items():
            found = objects_at(document, place)
            case.assertTrue(found, place)
            for each in found:
                case.assertLessEqual(names, set(each), place)
    sha256 = {file["fileName"][2:]: checksum["checksumValue"] for file in spdx["files"]
              for checksum in file["checksums"]
              if checksum["algorithm"] == "SHA256"}
    case.assertEqual(sha256, elf)
    listed = [each for each in cyclonedx["components"] + objects_at(cyclonedx, "components.components")
              if each["type"] == "file"]
    case.assertEqual({each["name"]: each["hashes"][0]["content"] for each in listed}, elf)
    identifiers = [each["SPDXID"] for each in spdx["packages"] + spdx["files"]]
    case.assertEqual(len(identifiers), len(set(identifiers)))
    for relation in spdx["relationships"]:
        case.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]},
                             {"SPDXRef-DOCUMENT", *identifiers})
    packages = {each["name"] for each in spdx["packages"]} - {"shardmill"}
    case.assertEqual(packages, {each["name"] for each in cyclonedx["components"] if each["type"] == "library"})
    for needed in ("libbz2-1.0", "libzstd1", "libtbb12", "libarchive"):
        case.assertTrue(any(name.startswith(needed) for name in packages), needed)
    for package in packages:
        case.assertRegex(next(each["versionInfo"] for each in spdx["packages"] if each["name"] == package), r"^\d")


class Install(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.prefix = self.scratch / "prefix"
        succeed("cmake", "--install", BUILD, "--prefix", str(self.prefix))

    def test_program_runs(self):
        self.assertIn(b"shardmill", succeed(str(self.prefix / "bin/shardmill"), "--version"))

    def test_script_for_slurm(self):
        help_text = succeed(str(self.prefix / "bin/shardmill-slurm"), "--help").decode()
        self.assertIn("shardmill-slurm --parts P --out DIR", help_text)
        self.assertNotIn("slurm_repack", help_text)
        for command in (("env", f"PATH={self.prefix}/bin:{os.environ['PATH']}", "shardmill-slurm"),
                        ("env", "PATH=/usr/bin:/bin", f"{self.prefix}/bin/shardmill-slurm")):
            jobs = succeed(*command, "--parts", "3", "--dry-run", "--out", str(self.scratch / "out"), "--",
                           "source").decode()
            self.assertEqual(jobs.count(f"'{self.prefix}/bin/shardmill' 'repack'"), 5)
        page = self.prefix / "share/man/man1/shardmill-slurm.1"
        shown = subprocess.run(["groff", "-ww", "-man", "-Tascii", "-P-cbou", "-rLL=130n", page], capture_output=True,
                               check=True)
        self.assertEqual(shown.stderr, b"")
        for line in help_text.splitlines():
            self.assertIn(line.strip(), shown.stdout.decode())

    def test_manual_and_completions_are_there(self):
        version = succeed(str(self.prefix / "bin/shardmill"), "--man", "repack")
        self.assertEqual((self.prefix / "share/man/man1/shardmill-repack.1").read_bytes(), version)
        for file in ("man/man1/shardmill.1", "bash-completion/completions/shardmill", "zsh/site-functions/_shardmill",
                     "fish/vendor_completions.d/shardmill.fish",
                     "doc/shardmill/docs/formats.md", "doc/shardmill/README.md",
                     "doc/shardmill/data/example/make_downloads"):
            self.assertTrue((self.prefix / "share" / file).is_file(), file)

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "no dpkg-dev here")
    def test_debian_packages(self):
        succeed("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-B", str(self.scratch / "packages"))
        program, = self.scratch.glob("packages/shardmill_*.deb")
        library, = self.scratch.glob("packages/libshardmill-dev_*.deb")
        depends = succeed("dpkg-deb", "--field", str(program), "Depends").decode()
        for needed in ("libbz2-1.0", "libtbb12", "libzstd1", "libc6 (>= "):
            self.assertIn(needed, depends)
        succeed("dpkg-deb", "--extract", str(program), str(self.scratch / "root"))
        self.assertIn(b"shardmill", succeed(str(self.scratch / "root/usr/bin/shardmill"), "--version"))
        share = self.scratch / "root/usr/share"
        documentation, = self.scratch.glob("packages/shardmill-doc_*.deb")
        succeed("dpkg-deb", "--extract", str(documentation), str(self.scratch / "root"))
        for name in ("man/man1/shardmill-repack.1.gz", "doc/shardmill/copyright", "doc/shardmill/changelog.gz",
                     "doc/shardmill/docs/loaders/README.md", "doc/shardmill-doc/copyright"):
            self.assertTrue((share / name).is_file(), name)
        content = succeed("dpkg-deb", "--contents", str(library)).decode()
        self.assertIn("usr/lib/", content)
        self.assertIn("shardmillConfig.cmake", content)
        self.assertIn("doc/libshardmill-dev/copyright", content)
        # Whoever links the library needs what the build needs.
        wanted = set(succeed("dpkg-deb", "--field", str(library), "Depends").decode().strip().split(", "))
        libraries = succeed(str(ROOT / "scripts/setup"), "libraries").decode().split()
        self.assertEqual(wanted, {*libraries, "pkg-config"})

    def build_examples(self):
        """The programs of docs/library.md, each built by the CMakeLists.txt that stands there."""
        page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
        lists, = re.findall(r"^```cmake\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        sanitizers = cached("SHARDMILL_SANITIZE")
        programs = []
        for number, code in enumerate(re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)):
            folder = self.scratch / f"example_{number}"
            folder.mkdir()
            (folder / "CMakeLists.txt").write_text(lists)
            (folder / "training.cpp").write_text(code)
            succeed("cmake", "-S", str(folder), "-B", str(folder / "build"), "-G", "Ninja",
                    f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}",
                    f"-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror {'-fsanitize=' + sanitizers if sanitizers else ''}")
            succeed("cmake", "--build", str(folder / "build"))
            programs.append(str(folder / "build/training"))
        return programs

    def test_library_is_found_and_its_examples_work(self):
        read, make = self.build_examples()
        example = ROOT / "data/example"
        shards = sorted(map(str, example.glob("*/*.tar.bz2")))
        keys = [line.split(":")[0] for line in succeed(read, *shards).decode().splitlines()]
        expected = []
        for shard in shards:
            with tarfile.open(shard) as tar:
                expected += [name[:-4] for name in tar.getnames() if name.endswith(".txt")]
        self.assertEqual(keys, expected)

        cut = self.scratch / "cut.tar.bz2"
        cut.write_bytes(pathlib.Path(shards[0]).read_bytes()[:-1000])
        failed = subprocess.run([read, str(cut)], capture_output=True)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(str(cut).encode(), failed.stderr)

        sources = [f"mandarin={example}/mandarin", f"english={example}/english"]
        made = succeed(make, str(self.scratch / "made"), *sources).decode()
        self.assertRegex(made, rf"^{len(keys)} samples, shards differ by 0\.0\d\d s\nenglish: .* s\nmandarin: .* s\n$")
        succeed(str(self.prefix / "bin/shardmill"), "verify", str(self.scratch / "made"))

    def test_only_the_public_headers_are_installed(self):
        installed = {str(path.relative_to(self.prefix / "include")) for path in self.prefix.glob("include/**/*.hpp")}
        self.assertEqual(installed, {f"shardmill/{path.name}" for path in (ROOT / "include/shardmill").iterdir()})

    @unittest.skipIf(cached("SHARDMILL_SANITIZE"), "sanitizers do not run under a loader that is given")
    def test_portable_archive(self):
        succeed(str(ROOT / "packaging/portable"), BUILD, str(self.scratch), "1")
        archive, = self.scratch.glob("shardmill-*-linux-*.tar.zst")
        place = self.scratch / "a folder"
        place.mkdir()
        succeed("sh", "-c", 'zstd -q -d -c "$0" | tar -x -C "$1"', str(archive), str(place))
        root, = place.iterdir()
        link = self.scratch / "link"
        link.symlink_to(root / "bin/shardmill")
        self.assertTrue((root / "share/man/man1/shardmill-repack.1").is_file())
        self.assertTrue((root / "share/licences/libsndfile1").is_file())

        # The same bytes for another user, in another place, at another time.
        again = self.scratch / "again"
        (self.scratch / "elsewhere").mkdir()
        succeed("env", f"TMPDIR={self.scratch}/elsewhere", "TZ=Asia/Shanghai", "LC_ALL=C.UTF-8", "HOME=/nowhere",
                "sh", "-c",
                'umask 077 && exec "$0" "$@"', str(ROOT / "packaging/portable"), BUILD, str(again), "1")
        for first in self.scratch.glob("shardmill-*-linux-*.*"):
            self.assertEqual(first.read_bytes(), (again / first.name).read_bytes(), first.name)
        check_sboms(self, root / "share/sbom", root)

        # Nothing of this machine is used: its libraries are not looked for, whatever the environment says.
        loaded = succeed("env", "LD_DEBUG=files", "LD_LIBRARY_PATH=/usr/lib", str(link), "--version").decode()
        self.assertIn("libtbb", loaded)
        for path in re.findall(r"calling init: (\S.*)", loaded):
            self.assertTrue(path.startswith(str(root)), path)

        shutil.copytree(ROOT / "data/example", root / "data")
        make = ["repack", "mandarin={0}/mandarin", "english={0}/english", "--out", "{1}", "--shards", "2"]
        succeed(str(link), *(word.format(root / "data", self.scratch / "here") for word in make))
        succeed(str(self.prefix / "bin/shardmill"), "verify", str(self.scratch / "here"))
        if os.geteuid() == 0:  # where there is nothing else: no libraries, no shell, no /proc
            succeed("chroot", str(root), "/bin/shardmill", *(word.format("/data", "/there") for word in make))
            for shard in (self.scratch / "here/shards").iterdir():
                self.assertEqual((root / "there/shards" / shard.name).read_bytes(), shard.read_bytes())

        # A part of the archive alone says what is missing.
        alone = self.scratch / "bin/shardmill"
        alone.parent.mkdir()
        shutil.copy(root / "bin/shardmill", alone)
        failed = subprocess.run([alone], capture_output=True)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(b"unpack the archive again", failed.stderr)

    def test_wheel_is_the_same_twice_and_lists_what_is_in_it(self):
        """Only how it is packed; `scripts/soak builds` builds it."""
        wheels = []
        for place, mask in (("one", "022"), ("another", "077")):
            package = self.scratch / place / "shardmill"
            (package / "licences").mkdir(parents=True)
            (package / "libraries").mkdir()
            (package / "__init__.py").write_text("")
            shutil.copy("/bin/true", package / "_native.abi3.so")
            packages = ""
            for library, origin in (("libbz2.so.1.0", "libbz2-1.0"), ("libzstd.so.1", "libzstd1"),
                                    ("libtbb.so.12", "libtbb12")):
                (package / "libraries" / library).write_bytes(b"\x7fELF" + library.encode())
                packages += f"{library} {origin} 1.2-3+b1\n"
            (package / "licences/PACKAGES").write_text(packages + "libarchive.a libarchive-dev 3.6.2-1\n")
            out = self.scratch / f"wheel_{place}"
            out.mkdir()
            succeed("sh", "-c", f'umask {mask} && exec "$0" "$@"', "/usr/bin/python3", "-B",
                    str(ROOT / "packaging/wheel.py"),
                    str(package.parent), str(out), "1.2.3", "2.34", "x86_64")
            wheels += out.iterdir()
        self.assertEqual(wheels[0].name, wheels[1].name)
        self.assertEqual(wheels[0].read_bytes(), wheels[1].read_bytes())
        unpacked = self.scratch / "unpacked"
        shutil.unpack_archive(wheels[0], unpacked, "zip")
        check_sboms(self, unpacked / "shardmill-1.2.3.dist-info/sboms", unpacked)

    def test_nothing_of_the_build_tree_is_left_in(self):
        for config in self.prefix.rglob("*.cmake"):
            self.assertNotIn(BUILD, config.read_text(), config)


if __name__ == "__main__":
    unittest.main()
