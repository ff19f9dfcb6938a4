"""Everything public is explained, with an example that runs; docs/python.md has no example that does not."""

import doctest
import io
import pathlib
import re

import darboux
import pytest

PUBLIC = [name for name in darboux.__all__ if name not in ("__version__", "models")]
PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


@pytest.mark.parametrize("name", [*PUBLIC, "models.logistic", "models.named"])
def test_everything_public_has_an_example(name):
    found = darboux
    for part in name.split("."):
        found = getattr(found, part)
    example = doctest.DocTestParser().get_doctest(found.__doc__, vars(darboux), name, None, None)
    assert example.examples
    if found.__module__ == "darboux._core":  # those of Python are run by --doctest-modules
        assert doctest.DocTestRunner().run(example).failed == 0


def test_nothing_tells_to_install_what_is_on_no_index():
    """The package is installed from a clone, as docs/python.md says."""
    root = PAGE.parents[1]
    files = [*root.glob("python/darboux/*.py"), *root.glob("docs/**/*.md"), *root.glob("docs/notebooks/*.ipynb"), root / "README.md"]
    assert len(files) > 20
    for file in files:
        assert not re.search(r"pip install [^\n`]*\bdarboux(?![-/\w*])", file.read_text(encoding="utf-8")), file


def test_the_example_that_needs_stan_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = darboux.from_stan.__doc__.replace("# doctest: +SKIP", "")
    said = io.StringIO()
    example = doctest.DocTestParser().get_doctest(text, {}, "from_stan", None, None)
    failed = doctest.DocTestRunner().run(example, out=said.write).failed
    if "there is no Stan here" in said.getvalue():
        pytest.skip("there is no Stan here")
    assert failed == 0, said.getvalue()


def test_examples_of_the_page_run():
    """Those that need nothing else; one that does says so by its imports."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    plain = [block for block in blocks if not re.search(r"pymc|numpyro|jax|numba|from_stan|report\(", block)]
    assert len(plain) >= 2
    for block in plain:
        exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102
