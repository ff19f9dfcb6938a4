#!/usr/bin/env python3
"""Makes german.csv from the file credit-g.arff in Debian's package weka. Run only to make it again:

    apt-get download weka && data/make_data.py weka_*.deb        # or give credit-g.arff itself

The package has the German credit data with words for categories, and says in its comments which code of the original file
each word stands for ("From: A11  To: '<0'"). Back to the codes: attribute 1's A11 is written as 1, attribute 4's A410 as 10.
"""

import csv
import re
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

INSIDE = "./usr/share/doc/weka/examples/credit-g.arff"
HERE = Path(__file__).resolve().parent
LABELS = {"good": 1, "bad": 0}


def read_arff(path):
    if path.suffix != ".deb":
        return path.read_text(encoding="latin-1")
    files = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(files)) as archive:
        return archive.extractfile(INSIDE).read().decode("latin-1")


def unquoted(word):
    return word.strip().strip("'")


def parse(text):
    """Names of the attributes, what each word of an attribute was relabelled from, and the rows."""
    names, codes, rows = [], {}, []
    in_data = False
    for line in text.splitlines():
        if match := re.match(r"% Relabeled values in attribute (\S+)", line):
            codes[relabelled := match[1]] = {}
        elif match := re.match(r"%\s+From: (\S+)\s+To: (.*)", line):
            codes[relabelled][unquoted(match[2])] = match[1]
        elif line.startswith("%") or not line.strip():
            continue
        elif match := re.match(r"@attribute\s+'?([^'\s]+)'?", line, re.IGNORECASE):
            names.append(match[1])
        elif line.lower().startswith("@data"):
            in_data = True
        elif in_data:
            rows.append(next(csv.reader([line], quotechar="'")))
    return names, codes, rows


def number(attribute, word, codes):
    """The word itself if it is a number, else the digits of its code after 'A' and the number of the attribute."""
    if codes is None:
        return int(word)
    code, prefix = codes[unquoted(word)], f"A{attribute}"
    if not code.startswith(prefix):
        raise SystemExit(f"attribute {attribute}: the code {code} does not begin with {prefix}")
    return int(code.removeprefix(prefix))


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    names, codes, rows = parse(read_arff(Path(sys.argv[1])))
    *features, label = names
    if label != "class" or len(features) != 20 or len(rows) != 1000:
        raise SystemExit(f"expected 20 attributes, class, 1000 rows; found {len(features)}, {label}, {len(rows)}")
    lines = [",".join(["y"] + [f"x{k}" for k in range(1, 21)])]
    for row in rows:
        values = [number(k, word, codes.get(name)) for k, (name, word) in enumerate(zip(features, row), start=1)]
        lines.append(",".join(map(str, [LABELS[row[-1].strip()], *values])))
    (HERE / "german.csv").write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
