"""The package brings its licence, and those of what is linked or bundled."""

import importlib.metadata


def test_licences_are_installed():
    files = {path.name: path for path in importlib.metadata.files("darboux") if ".dist-info/" in str(path)}
    assert "Redistribution and use" in files["LICENSE"].read_text()
    notices = files["NOTICES.txt"].read_text(encoding="utf-8")
    for name in "Eigen (MPL-2.0)", "Boost (BSL-1.0)", "fmt (MIT)", "Random123 (BSD-3-Clause)", "zlib (Zlib)", "nanobind (BSD-3-Clause)", "vega (":
        assert f"\n{name}" in notices
