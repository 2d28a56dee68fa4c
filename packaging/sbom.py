"""Writes a list of all that is in a package, as SPDX 2.3 and as CycloneDX 1.5:
sbom.py VERSION MACHINE FOLDER PACKAGES OUT. FOLDER: the package's files, whose ELF files are listed; PACKAGES: lines of
"library package version", as packaging/licences writes them: every library that the program or the module is linked to.
A library that is not a file in FOLDER is linked statically. The bytes depend on nothing else but SOURCE_DATE_EPOCH."""
import hashlib
import json
import os
import pathlib
import sys
import time
import uuid

version, machine = sys.argv[1:3]
folder, packages, out = map(pathlib.Path, sys.argv[3:])

DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))
release = next((line.split("=")[1].strip().strip('"') for line in open("/etc/os-release", encoding="utf-8")
                if line.startswith("VERSION_ID=")), "unknown")


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


everything = []
for path in sorted(folder.rglob("*")):
    if path.is_file() and not path.is_symlink() and is_elf(path):
        data = path.read_bytes()
        everything.append({"name": path.name, "path": path.relative_to(folder).as_posix(),
                           "sha1": hashlib.sha1(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest()})
origins = {}  # the libraries of each package
for line in packages.read_text(encoding="utf-8").splitlines():
    library, package, its_version = line.split()
    origins.setdefault((package, its_version), []).append(library)
linked = {library for libraries in origins.values() for library in libraries}
files = {file["name"]: file for file in everything if file["name"] in linked}
own = [file for file in everything if file["name"] not in linked]
if not own:
    sys.exit(f"sbom.py: {folder} holds no program of our own")


def purl(package, its_version):
    escaped = its_version.replace("+", "%2B").replace(":", "%3A").replace("~", "~")
    return f"pkg:deb/debian/{package}@{escaped}?arch={DEBIAN.get(machine, machine)}&distro=debian-{release}"


def spdx():
    def file_id(file):
        return "SPDXRef-File-" + file["sha256"][:16]

    def package_id(package):
        return "SPDXRef-Package-" + "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in package)

    def file_entry(file):
        return {"SPDXID": file_id(file), "fileName": "./" + file["path"], "fileTypes": ["BINARY"],
                "checksums": [{"algorithm": "SHA1", "checksumValue": file["sha1"]},
                              {"algorithm": "SHA256", "checksumValue": file["sha256"]}],
                "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}

    def relation(one, kind, other):
        return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}

    ours = "SPDXRef-Package-shardmill"
    listed = [{"SPDXID": ours, "name": "shardmill", "versionInfo": version, "downloadLocation": "NOASSERTION",
               "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
               "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", ours)]
    relations += [relation(ours, "CONTAINS", file_id(file)) for file in own]
    for (package, its_version), libraries in sorted(origins.items()):
        listed.append({"SPDXID": package_id(package), "name": package, "versionInfo": its_version,
                       "downloadLocation": "NOASSERTION", "supplier": "Organization: Debian", "filesAnalyzed": False,
                       "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                       "licenseComments": f"its licences are in the file licences/{package} of the package",
                       "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                         "referenceLocator": purl(package, its_version)}]})
        there = [library for library in libraries if library in files]
        relations.append(relation(ours, "DYNAMIC_LINK" if there else "STATIC_LINK", package_id(package)))
        relations += [relation(package_id(package), "CONTAINS", file_id(files[library])) for library in there]
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"shardmill-{version}-linux-{machine}",
                "creationInfo": {"created": when, "creators": [f"Tool: shardmill-packaging-{version}"]},
                "packages": listed, "files": [file_entry(file) for file in everything], "relationships": relations}
    content = hashlib.sha256(json.dumps(document).encode()).hexdigest()
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/shardmill-{version}-linux-{machine}-{content[:32]}"
    return document


def cyclonedx():
    def hashes(file):
        return [{"alg": "SHA-256", "content": file["sha256"]}]

    ours = f"shardmill@{version}"
    listed = [{"type": "file", "bom-ref": file["path"], "name": file["path"], "hashes": hashes(file)} for file in own]
    for (package, its_version), libraries in sorted(origins.items()):
        reference = purl(package, its_version)
        there = [{"type": "file", "bom-ref": files[library]["path"], "name": files[library]["path"],
                  "hashes": hashes(files[library])} for library in libraries if library in files]
        listed.append({"type": "library", "bom-ref": reference, "name": package, "version": its_version, "purl": reference,
                       "scope": "required", "properties": [{"name": "shardmill:linked",
                                                            "value": "dynamically" if there else "statically"}],
                       **({"components": there} if there else {})})
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                "metadata": {"timestamp": when, "component": {
                    "type": "application", "bom-ref": ours, "name": "shardmill", "version": version,
                    "licenses": [{"license": {"id": "Apache-2.0"}}]}},
                "components": listed,
                "dependencies": [{"ref": ours, "dependsOn": [purl(*origin) for origin in sorted(origins)]}]}
    content = json.dumps(document)
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, content))
    return document


out.mkdir(parents=True)
for suffix, document in (("spdx", spdx()), ("cdx", cyclonedx())):
    (out / f"shardmill.{suffix}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
