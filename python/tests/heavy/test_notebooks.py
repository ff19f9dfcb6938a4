"""scripts/notebooks, which runs the notebooks."""

import pathlib
import runpy
import subprocess
import sys

import nbformat

SCRIPT = pathlib.Path(__file__).parents[3] / "scripts/notebooks"
SCRIPTS = runpy.run_path(str(SCRIPT))
means, what_differs = SCRIPTS["means"], SCRIPTS["what_differs"]

TABLE = """4 chains × 1000 draws · leapfrog

            mean     mcse     sd      5%     50%     95%  ess bulk  ess tail      R̂
lp__    -488.238    0.059  3.254  -494.2  -487.9  -483.5      2973      3284  1.000
x5    -9.741e-05  6.9e-07  4e-05      -2      -1       0      3473      3529  1.001
class[second, upper]  0.1  0.01  1.0  -1.0   0.1     1.2      3000      3000  1.000

no divergences · acceptance 0.94–0.95 · 8,000 gradients
"""


def notebook(*texts):
    outputs = [nbformat.v4.new_output("stream", text=text) for text in texts]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output]) for output in outputs])


def test_means_of_summaries_are_read():
    assert means(TABLE) == {"lp__": (-488.238, 0.059), "x5": (-9.741e-05, 6.9e-07), "class[second, upper]": (0.1, 0.01)}
    assert means("first: 12468 gradients in warm-up, 8000 after it") == {}


def test_what_differs_by_more_than_monte_carlo_errors_is_told():
    kept = notebook("nothing", TABLE)
    assert list(what_differs(kept, notebook("other", TABLE))) == []
    moved = notebook("nothing", TABLE.replace("-9.741e-05", "-9.641e-05"))
    assert list(what_differs(kept, moved)) == []
    moved = notebook("nothing", TABLE.replace("-9.741e-05", "-8.741e-05"))
    assert list(what_differs(kept, moved)) == ["cell 2 is kept with x5 = -9.741e-05 ± 6.9e-07, and it is -8.741e-05 ± 6.9e-07 now"]
    renamed = notebook("nothing", TABLE.replace("x5", "x6"))
    assert list(what_differs(kept, renamed)) == ["cell 2 is kept with x5", "cell 2 is kept without x6"]


def test_a_notebook_that_is_kept_with_other_means_fails(tmp_path):
    file = tmp_path / "some.ipynb"
    code = f"import sys; print('Compiling', file=sys.stderr); print({TABLE!r})"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]), file)

    def run(*words):
        return subprocess.run([sys.executable, SCRIPT, *words, file], capture_output=True, text=True, check=False)

    assert run("--keep").returncode == 0
    assert [output.name for output in nbformat.read(file, as_version=4).cells[0].outputs] == ["stdout"]
    assert run().stdout == f"passed: {file}\n"
    file.write_text(file.read_text(encoding="utf-8").replace("-488.238", "-500.238", 1), encoding="utf-8")
    ended = run()
    assert ended.returncode == 1
    assert "cell 1 is kept with lp__ = " in ended.stdout
    assert f"run scripts/notebooks --keep {file}" in ended.stdout
