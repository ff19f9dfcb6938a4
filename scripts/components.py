"""What the program, the library, the wheel and the page of reports are made of, besides what is written here: for scripts/sbom and scripts/notices.

Versions are those of this machine and of the lock files. A component that comes in needs a line here: tests/dev/components_test.py sees it
in the sources.
"""

import base64
import functools
import json
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    licence: str  # by its SPDX identifier
    used_by: str  # "program", "wheel" or "page"
    how: str  # the relationship, as SPDX calls it
    purl: str
    checksums: dict = field(default_factory=dict, compare=False)  # by algorithm


# Debian package, what it is called, licence, how it is linked, and what sources include of it.
LIBRARIES = [
    ("libeigen3-dev", "Eigen", "MPL-2.0", "STATIC_LINK", "Eigen/"),
    ("libboost-dev", "Boost", "BSL-1.0", "STATIC_LINK", "boost/"),
    ("libfmt-dev", "fmt", "MIT", "DYNAMIC_LINK", "fmt/"),
    ("libcli11-dev", "CLI11", "BSD-3-Clause", "STATIC_LINK", "CLI/"),
    ("nlohmann-json3-dev", "JSON for Modern C++", "MIT", "STATIC_LINK", "nlohmann/"),
    ("libtomlplusplus-dev", "toml++", "MIT", "STATIC_LINK", "toml++/"),
    ("librandom123-dev", "Random123", "BSD-3-Clause", "STATIC_LINK", "Random123/"),
    ("zlib1g-dev", "zlib", "Zlib", "DYNAMIC_LINK", "zlib.h"),
    ("libnetcdf-dev", "netCDF", "NetCDF", "OPTIONAL_DEPENDENCY_OF", "netcdf.h"),  # loaded where it is there
    ("libopenmpi-dev", "Open MPI", "BSD-3-Clause", "OPTIONAL_DEPENDENCY_OF", "mpi.h"),  # where it was built with DARBOUX_MPI
]
# Package of PyPI with its requirements file, licence, and what is linked of it into the wheel.
IN_THE_WHEEL = [
    ("nanobind", "build.txt", "BSD-3-Clause", "nanobind"),
    ("nanobind", "build.txt", "MIT", "robin-map"),  # which nanobind brings
    ("ziglang", "wheel.txt", "Apache-2.0 WITH LLVM-exception", "libc++"),  # and libc++abi, libunwind
]
# Of PyPI, what the wheel has pip install: the versions that it was tested with.
FOR_THE_WHEEL = [("numpy", "NumPy", "BSD-3-Clause"), ("arviz-base", "arviz-base", "Apache-2.0")]
LICENCES_OF_STAN = "ISC AND BSD-3-Clause AND Apache-2.0 AND MPL-2.0 AND BSL-1.0"  # of httpstan, Stan and SUNDIALS, TBB, Eigen, Boost
BUNDLED = ["vega", "vega-embed", "vega-lite"]  # with all that they need


def project_version():
    return re.search(r"project\(darboux VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def is_installed(package):
    return subprocess.run(["dpkg-query", "-W", package], capture_output=True).returncode == 0


def installed_version(package):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    if found.returncode != 0:
        raise SystemExit(f"the Debian package {package} is not here, so that its version is not known: ./dev test installs it")
    return found.stdout


def pinned(package, file):
    """Version and checksum."""
    text = (ROOT / "python/requirements" / file).read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(package)}==(\S+) \\\n    --hash=sha256:([0-9a-f]{{64}})", text, re.MULTILINE)
    return found[1], found[2]


def stan():
    """What `darboux stan install` fetches and programs of users are linked with."""
    text = (ROOT / "src/stan/wheel.hpp").read_text(encoding="utf-8")
    facts = dict(re.findall(r'string_view (\w+) = "([^"]+)";', text))
    purl = f"pkg:pypi/{facts['package']}@{facts['version']}"
    return Component(f"{facts['package']}, with Stan {facts['stan_version']}", facts["version"], LICENCES_OF_STAN, "program",
                     "OPTIONAL_DEPENDENCY_OF", purl, {"SHA256": facts["sha256"]})


@functools.cache
def packages_of_the_page():
    """What the lock file says of them, by the folder of each."""
    locked = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]

    def folder_of(name, user):
        """As Node.js looks for it: in the user's own folder, and then in those above."""
        while f"{user}/node_modules/{name}".lstrip("/") not in locked:
            user = user.rpartition("/node_modules/")[0]
        return f"{user}/node_modules/{name}".lstrip("/")

    found, left = {}, [folder_of(name, "") for name in BUNDLED]
    while left:
        folder = left.pop()
        if folder in found:
            continue
        found[folder] = locked[folder]
        left += [folder_of(name, folder) for name in locked[folder].get("dependencies", {})]
    return dict(sorted(found.items()))


def components():
    found = []
    for package, name, licence, how, _ in LIBRARIES:
        if how.startswith("OPTIONAL") and not is_installed(package):
            continue
        version = installed_version(package)
        found.append(Component(name, version, licence, "program", how, f"pkg:deb/debian/{package}@{version}"))
    for package, file, licence, name in IN_THE_WHEEL:
        version, checksum = pinned(package, file)
        found.append(Component(name, version, licence, "wheel", "STATIC_LINK", f"pkg:pypi/{package}@{version}", {"SHA256": checksum}))
    for package, name, licence in FOR_THE_WHEEL:
        version, _ = pinned(package, "test.txt")
        found.append(Component(name, version, licence, "wheel", "RUNTIME_DEPENDENCY_OF", f"pkg:pypi/{package}@{version}"))
    found.append(stan())
    for folder, facts in packages_of_the_page().items():
        name = folder.rpartition("node_modules/")[2]
        algorithm, _, digest = facts["integrity"].partition("-")
        checksum = {algorithm.upper(): base64.b64decode(digest).hex()}
        purl = f"pkg:npm/{name.replace('@', '%40')}@{facts['version']}"
        found.append(Component(name, facts["version"], facts["license"], "page", "CONTAINS", purl, checksum))
    return found
