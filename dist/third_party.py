#!/usr/bin/env python3
"""Lists the packages that are compiled into Myriad: licence texts, and a bill of materials.

    dist/third_party.py TARGET FOLDER

Writes FOLDER/THIRD-PARTY.txt and FOLDER/sbom.cdx.json (CycloneDX 1.5). Both depend on Cargo.lock and
the target alone, but for the time, which is that of the commit.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import uuid
from datetime import datetime, timezone
from pathlib import Path

PRODUCTS = ["myriad", "myriad-plugin", "myriad-kernels"]
LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.I)
ROOT = Path(__file__).resolve().parent.parent


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def in_use(target):
    """Names and versions that cargo compiles. Its metadata also has what features only might turn on."""
    command = ["cargo", "tree", "--locked", "--edges", "normal", "--target", target, "--prefix", "none"]
    command += ["--format", "{p}"] + [part for name in PRODUCTS for part in ("--package", name)]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    words = (line.split() for line in lines.splitlines() if line)
    return {(name, version.removeprefix("v")) for name, version, *_ in words}


def compiled(data, used):
    """The packages that the products are made of, sorted, with the names of what each depends on.

    Packages for tests and for build scripts are not part of a product.
    """
    key = lambda package: (package["name"], package["version"])
    packages = {package["id"]: package for package in data["packages"] if key(package) in used}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    todo = [package["id"] for package in data["packages"] if package["name"] in PRODUCTS]
    found = {}
    while todo:
        identity = todo.pop()
        if identity in found:
            continue
        depends = [
            other["pkg"]
            for other in nodes[identity]["deps"]
            if other["pkg"] in packages and any(kind["kind"] is None for kind in other["dep_kinds"])
        ]
        found[identity] = depends
        todo += depends
    ordered = sorted((packages[identity] for identity in found), key=key)
    return [(package, sorted(map(key, (packages[id] for id in found[package["id"]])))) for package in ordered]


def is_own(package):
    return package["source"] is None and package["license"] == "MIT OR Apache-2.0"


def expression(package):
    """The licence as SPDX writes it: older packages separate alternatives by a slash."""
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "")


def licence_texts(package):
    folder = Path(package["manifest_path"]).parent
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and LICENCE_FILE.match(file.name)]
    named = folder / (package["license_file"] or "")
    if named.is_file() and named not in files:
        files.append(named)
    return [file.read_text(errors="replace").strip() for file in files]


def third_party(packages):
    """Each text once, with the packages that it belongs to."""
    by_text, listed = {}, []
    for package, _ in packages:
        if is_own(package):
            continue
        name = f"{package['name']} {package['version']}"
        listed.append(f"{name:<44}{expression(package)}")
        texts = licence_texts(package)
        if not texts:
            authors = ", ".join(package["authors"]) or f"the authors of {package['name']}"
            texts = standard_texts(package, authors)
        for text in texts:
            by_text.setdefault(text, []).append(name)
    font = (ROOT / "assets/fonts/LICENSE-OFL.txt").read_text().strip()
    by_text[font] = ["Inter, the font of the editor"]
    listed.append(f"{'Inter, the font of the editor':<44}OFL-1.1")
    line = "=" * 78
    head = "What Myriad is made of, under licences of others. Each text follows the names it belongs to.\n"
    parts = [head + "\n" + "\n".join(listed)]
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        parts.append(f"{line}\n" + "\n".join(names) + f"\n{line}\n\n{text}")
    return "\n\n".join(parts) + "\n"


def standard_texts(package, authors):
    """For a package that contains no text: the standard one of a licence that it offers."""
    offered = expression(package)
    if "MIT" in offered:
        text = (ROOT / "LICENSE-MIT").read_text()
        return [re.sub(r"Copyright \(c\) .*", f"Copyright (c) {authors}", text).strip()]
    if "Apache-2.0" in offered:
        return [f"Copyright {authors}\n\n" + (ROOT / "LICENSE-APACHE").read_text().strip()]
    for name in ("ISC", "Unlicense", "BSL-1.0"):
        if name in offered:
            text = (ROOT / f"dist/licences/{name}.txt").read_text()
            return [text.replace("@AUTHORS@", authors).strip()]
    sys.exit(f"third_party.py: {package['name']} {package['version']} ({offered}) has no licence text")


def purl(key):
    return f"pkg:cargo/{key[0]}@{key[1]}"


def bill_of_materials(packages, target):
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    checksums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    components = []
    for package, _ in packages:
        key = (package["name"], package["version"])
        component = {
            "type": "library",
            "bom-ref": purl(key),
            "name": key[0],
            "version": key[1],
            "purl": purl(key),
            "licenses": [{"expression": expression(package)}],
        }
        if package["description"]:
            component["description"] = " ".join(package["description"].split())
        if checksums.get(key):
            component["hashes"] = [{"alg": "SHA-256", "content": checksums[key]}]
        if package["repository"]:
            component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        components.append(component)
    version = next(package["version"] for package, _ in packages if package["name"] == "myriad")
    product = f"myriad-{version}-{target}"
    time = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), timezone.utc)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": product,
                "name": "Myriad",
                "version": version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
            },
        },
        "components": components,
        "dependencies": [{"ref": product, "dependsOn": [purl((name, version)) for name in PRODUCTS]}]
        + [
            {"ref": purl((package["name"], package["version"])), "dependsOn": list(map(purl, depends))}
            for package, depends in packages
        ],
    }
    digest = hashlib.sha256(json.dumps(bill, sort_keys=True).encode()).hexdigest()
    return {"serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, digest).urn, **bill}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    target, folder = sys.argv[1], Path(sys.argv[2])
    packages = compiled(metadata(target), in_use(target))
    (folder / "THIRD-PARTY.txt").write_text(third_party(packages))
    bill = json.dumps(bill_of_materials(packages, target), indent=1)
    (folder / "sbom.cdx.json").write_text(bill + "\n")


main()
