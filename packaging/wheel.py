"""Packs a folder as a wheel: wheel.py FOLDER OUT VERSION C_LIBRARY MACHINE. The module in it is in the stable ABI of Python
3.8, is for MACHINE, such as x86_64, and needs a C library of the version C_LIBRARY, such as 2.34, or later."""
import base64
import hashlib
import pathlib
import subprocess
import sys
import zipfile

folder, out, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
c_library = sys.argv[4].replace(".", "_")
tag = f"cp38-abi3-manylinux_{c_library}_{sys.argv[5]}"

info = folder / f"shardmill-{version}.dist-info"
info.mkdir()
here = pathlib.Path(__file__).resolve().parent
(info / "LICENSE").write_bytes((here.parent / "LICENSE").read_bytes())
page = (here.parent / "docs/python.md").read_text(encoding="utf-8")
(info / "METADATA").write_text(f"""Metadata-Version: 2.1
Name: shardmill
Version: {version}
Summary: Reads and makes balanced shards of speech datasets
License: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{page}""", encoding="utf-8")
(info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: shardmill ({version})\nRoot-Is-Purelib: false\nTag: {tag}\n")
subprocess.run([sys.executable, "-B", here / "sbom.py", version, sys.argv[5], folder, folder / "shardmill/licences/PACKAGES",
                info / "sboms"], check=True)

record = []
target = out / f"shardmill-{version}-{tag}.whl"
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    def add(name, data, mode):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)

    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        name, data = path.relative_to(folder).as_posix(), path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
        add(name, data, 0o755 if ".so" in path.name else 0o644)
    own = f"{info.name}/RECORD"
    add(own, "".join(record) + f"{own},,\n", 0o644)
print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
