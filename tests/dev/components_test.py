#!/usr/bin/env python3
"""What comes from others: fetched by checksum, listed in the bill of materials, and with its licence in what is given away."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import components  # noqa: E402


def script(name):
    """A script as a module."""
    path = str(ROOT / "scripts" / name)
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sources():
    for folder in "src", "include", "apps", "experiments", "python/src":
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in {".cpp", ".hpp"})


class Fetched(unittest.TestCase):
    def test_packages_for_python_have_exact_versions_and_checksums(self):
        files = [path for folder in ("python/requirements", "tests/interop", "bench") for path in (ROOT / folder).rglob("*.txt")]
        files = [path for path in files if "require" in path.as_posix()]
        self.assertGreaterEqual(len(files), 10)
        for file in files:
            text = re.sub(r"^#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
            entries = re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip())
            for entry in entries:
                self.assertRegex(entry, r"^[\w.\[\]-]+==[\w.]+( ;[^\n]*)?( +--hash=sha256:[0-9a-f]{64})+$", file.name)

    def test_what_was_asked_for_is_what_is_locked(self):
        for source in (path for folder in ("python", "tests/interop", "bench") for path in (ROOT / folder).rglob("*.in")):
            locked = source.with_suffix(".txt").read_text(encoding="utf-8")
            for package, version in re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", source.read_text(encoding="utf-8"), re.MULTILINE):
                name = re.sub(r"[-_.]+", "-", package).lower()
                self.assertRegex(locked, rf"(?m)^{name}=={re.escape(version)}[ ;]", source.name)

    def test_pip_demands_them(self):
        for file in [ROOT / "dev", *(ROOT / "scripts").rglob("*")]:
            if not file.is_file():
                continue
            text = file.read_text(encoding="utf-8").replace("\\\n", " ")
            for line in re.findall(r".*\bpip['\"]?,? .*(?:-r |\"-r\").*", text):
                self.assertIn("--require-hashes", line, file.name)

    def test_packages_for_the_page_have_checksums(self):
        locked = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
        for name, facts in locked.items():
            if name:
                self.assertRegex(facts.get("integrity", ""), r"^sha512-[A-Za-z0-9+/]{86}==$", name)
        for file in "cmake/ReportPage.cmake", "web/test/run":
            self.assertIsNone(re.search(r"npm.{0,3} install", (ROOT / file).read_text(encoding="utf-8")), file)

    def test_stan_has_a_checksum(self):
        self.assertRegex((ROOT / "src/stan/wheel.hpp").read_text(encoding="utf-8"), r'sha256 = "[0-9a-f]{64}"')


class Known(unittest.TestCase):
    def test_every_header_of_others_is_of_a_component(self):
        of_the_system = re.compile(r"(sys|bits)/|(dlfcn|fcntl|glob|limits|malloc|poll|signal|spawn|stdlib|stdio|string|termios|time|unistd|pwd|sched|immintrin|math|pthread)\.h$")
        known = tuple(include for *_, include in components.LIBRARIES) + ("nanobind/", "darboux/", "experiments/")
        for path in sources():
            for name in re.findall(r"^\s*#\s*include\s*<([^>]+)>", path.read_text(encoding="utf-8"), re.MULTILINE):
                if "/" not in name and "." not in name or of_the_system.match(name):  # of the standard library
                    continue
                self.assertTrue(name.removeprefix("unsupported/").startswith(known), f"{path}: <{name}> is of no component: scripts/components.py")

    def test_licences_are_given_with_it(self):
        notices = (ROOT / "NOTICES.txt").read_text(encoding="utf-8")
        names = [(name, licence) for _, name, licence, how, _ in components.LIBRARIES if not how.startswith("OPTIONAL")]
        names += [(name, licence) for _, _, licence, name in components.IN_THE_WHEEL]
        names += [(folder.rpartition("node_modules/")[2], facts["license"]) for folder, facts in components.packages_of_the_page().items()]
        self.assertGreater(len(names), 90)
        for name, licence in names:
            self.assertIn(f"\n{name} ({licence})", notices, "scripts/notices writes it anew")

    def test_the_page_has_what_it_is_bundled_from(self):
        found = {folder.rpartition("node_modules/")[2] for folder in components.packages_of_the_page()}
        self.assertLessEqual({"vega", "vega-lite", "vega-embed", "vega-scenegraph", "d3-array", "fast-json-patch"}, found)
        self.assertNotIn("esbuild", found, "which makes the bundle, and is not in it")


@unittest.skipUnless(shutil.which("dpkg-query"), "versions are asked of dpkg")
class BillOfMaterials(unittest.TestCase):
    """What SPDX 2.3 demands of a document, and what ours has to say."""

    @classmethod
    def setUpClass(cls):
        cls.document = script("sbom").document()

    def test_document(self):
        document = self.document
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        self.assertEqual(document["dataLicense"], "CC0-1.0")
        self.assertEqual(document["SPDXID"], "SPDXRef-DOCUMENT")
        self.assertRegex(document["documentNamespace"], r"^urn:uuid:[0-9a-f-]{36}$")
        self.assertRegex(document["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in document["creationInfo"]["creators"]:
            self.assertRegex(creator, "^(Tool|Person|Organization): .")

    def test_packages(self):
        identifiers = [package["SPDXID"] for package in self.document["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        sizes = {"SHA256": 64, "SHA512": 128}
        for package in self.document["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            for key in "name", "versionInfo", "downloadLocation", "licenseDeclared", "licenseConcluded", "copyrightText":
                self.assertTrue(package[key], package["name"])
            self.assertLessEqual(set(package["licenseDeclared"].split(" WITH ")[0].split(" AND ")),
                          {"MIT", "ISC", "BSD-3-Clause", "BSL-1.0", "MPL-2.0", "Zlib", "NetCDF", "Apache-2.0", "0BSD", "Unlicense"})
            for checksum in package.get("checksums", []):
                self.assertRegex(checksum["checksumValue"], rf"^[0-9a-f]{{{sizes[checksum['algorithm']]}}}$")
            for reference in package.get("externalRefs", []):
                self.assertRegex(reference["referenceLocator"], r"^pkg:(deb/debian|pypi|npm)/\S+@\S+$")

    def test_relationships(self):
        identifiers = {package["SPDXID"] for package in self.document["packages"]} | {"SPDXRef-DOCUMENT"}
        related = set()
        for one in self.document["relationships"]:
            self.assertIn(one["relationshipType"], {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK", "OPTIONAL_DEPENDENCY_OF",
                                                    "RUNTIME_DEPENDENCY_OF"})
            self.assertLessEqual({one["spdxElementId"], one["relatedSpdxElement"]}, identifiers)
            related |= {one["spdxElementId"], one["relatedSpdxElement"]}
        self.assertEqual(related, identifiers, "nothing stands alone")

    def test_contents(self):
        versions = {package["name"]: package["versionInfo"] for package in self.document["packages"]}
        for name in "Eigen", "Boost", "fmt", "CLI11", "JSON for Modern C++", "toml++", "Random123", "zlib", "netCDF", "nanobind", "vega":
            self.assertRegex(versions[name], r"^\d", name)
        fetched = {package["name"].partition(",")[0]: package for package in self.document["packages"]}
        for name in "NumPy", "arviz-base", "httpstan":  # by pip, where users ask for them
            self.assertRegex(fetched[name]["versionInfo"], r"^\d", name)
        wheel = (ROOT / "src/stan/wheel.hpp").read_text(encoding="utf-8")
        self.assertIn(f'sha256 = "{fetched["httpstan"]["checksums"][0]["checksumValue"]}"', wheel)
        self.assertEqual(versions["darboux, the program and the library"], components.project_version())


if __name__ == "__main__":
    unittest.main()
