"""Examples that need heavy packages, which are skipped elsewhere."""

import doctest
import pathlib
import re

import darboux
import pytest

PAGE = pathlib.Path(__file__).parents[3] / "docs/python.md"


@pytest.mark.parametrize("name", ["from_jax", "from_numpyro", "from_pymc"])
def test_examples_run(name):
    text = getattr(darboux, name).__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_examples_of_the_page_run():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    heavy = [block for block in blocks if re.search(r"import (pymc|numpyro|jax|numba)", block)]
    assert len(heavy) >= 3
    for block in heavy:
        exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102
