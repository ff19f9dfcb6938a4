#!/usr/bin/env python3
"""Makes the CSV files of this folder that come from Debian packages. Run only to make them again; it needs Rscript:

    data/make_data.py              # downloads the packages with apt-get
    data/make_data.py FOLDER       # takes them from FOLDER, which holds their *.deb

README.md says what is in each file, and from which version of which package. The rows stay in the order of the package;
numbers are written as the shortest decimals that read back to the same double. The sets that are generated
(twonorm, ringnorm, waveform) come from generated_sets.cpp.
"""

import csv
import gzip
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
PACKAGES = ["weka", "r-base-core", "r-cran-mlbench", "r-cran-ddalpha", "r-cran-mclust", "r-cran-mass"]

# Prints a data set of an unpacked R package as CSV: factors as words, numbers with all their digits.
PRINT_DATA_SET = """
argument <- commandArgs(TRUE); folder <- argument[1]; name <- argument[2]; sets <- new.env()
lazy <- file.path(folder, "Rdata")
if (file.exists(paste0(lazy, ".rdb"))) invisible(lazyLoad(lazy, sets)) else load(file.path(folder, paste0(name, ".rda")), sets)
set <- as.data.frame(sets[[name]])
set[] <- lapply(set, function(column) if (is.numeric(column)) sprintf("%.17g", column) else as.character(column))
write.csv(set, quote = FALSE, row.names = FALSE)
"""


class Packages:
    """The files of the packages, unpacked under one root."""

    def __init__(self, root):
        self.root = root

    def r_data(self, package):
        """The folder with an R package's data: packages of R itself and others lie apart."""
        (folder,) = self.root.glob(f"usr/lib/R/*library/{package}/data")
        return folder

    def r_set(self, package, name):
        """The rows of a data set as dictionaries from column to text."""
        command = ["Rscript", "-e", PRINT_DATA_SET, self.r_data(package), name]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return list(csv.DictReader(text.splitlines()))

    def arff(self, name):
        return Arff((self.root / "usr/share/doc/weka/examples" / name).read_text(encoding="latin-1"))


class Arff:
    """Attributes with the words they may take, what each word was relabelled from (as comments say), and the rows."""

    def __init__(self, text):
        self.words, self.codes, self.rows = {}, {}, []
        in_data = False
        for line in text.splitlines():
            if match := re.match(r"% Relabeled values in attribute (\S+)", line):
                self.codes[relabelled := unquoted(match[1])] = {}
            elif match := re.match(r"%\s+From: (\S+)\s+To: (.*)", line):
                self.codes[relabelled][unquoted(match[2])] = match[1]
            elif line.startswith("%") or not line.strip():
                continue
            elif match := re.match(r"@attribute\s+(\S+)\s+(.*)", line, re.IGNORECASE):
                self.words[unquoted(match[1])] = [unquoted(word) for word in match[2].strip("{} ").split(",")]
            elif line.lower().startswith("@data"):
                in_data = True
            elif in_data:
                self.rows.append([unquoted(word) for word in next(csv.reader([line], quotechar="'"))])


def unquoted(word):
    return word.strip().strip("'")


def titanic(packages):
    """A table of counts: as many rows for each combination as there were people."""
    for cell in packages.r_set("datasets", "Titanic"):
        features = [["1st", "2nd", "3rd", "Crew"].index(cell["Class"]), cell["Age"] == "Child", cell["Sex"] == "Male"]
        for _ in range(int(cell["Freq"])):
            yield [cell["Survived"] == "Yes", *features]


def diabetis(packages):
    for row in packages.r_set("mlbench", "PimaIndiansDiabetes"):
        *features, label = row.values()
        yield [label == "pos", *features]


def heart(packages):
    with gzip.open(packages.r_data("ddalpha") / "heart.txt.gz", "rt") as lines:
        next(lines)
        for line in lines:
            *features, label = line.split()
            yield [label == "2", *features]


def german(packages):
    """Words for categories go back to the codes of the original file: attribute 1's A11 is 1, attribute 4's A410 is 10."""
    arff = packages.arff("credit-g.arff")
    for *features, label in arff.rows:
        row = [label == "good"]
        for k, (attribute, word) in enumerate(zip(arff.words, features), start=1):
            codes = arff.codes.get(attribute)
            row.append(codes[word].removeprefix(f"A{k}") if codes else word)
        yield row


def breast_cancer(packages):
    """A word is the place it has in the package's list of words, from 1. Rows in which something is missing are dropped."""
    arff = packages.arff("breast-cancer.arff")
    for *features, label in arff.rows:
        if "?" not in features:
            places = [words.index(word) + 1 for words, word in zip(arff.words.values(), features)]
            yield [label == "recurrence-events", *places]


def thyroid(packages):
    for row in packages.r_set("mclust", "thyroid"):
        label, *features = row.values()
        yield [label != "Normal", *features]


def splice(packages):
    """Three indicators for each place: A is 1 0 0, C is 0 1 0, G is 0 0 1, T is 0 0 0."""
    codes = {"100": 1, "001": 2, "010": 3, "000": 4}  # A, G, C, T
    for row in packages.r_set("mlbench", "DNA"):
        *indicators, label = row.values()
        yield [label != "n", *(codes["".join(indicators[k : k + 3])] for k in range(0, len(indicators), 3))]


def image(packages):
    for name in "segment-challenge.arff", "segment-test.arff":
        arff = packages.arff(name)
        constant = list(arff.words).index("region-pixel-count")
        for *features, label in arff.rows:
            del features[constant]
            yield [label in ("path", "brickface", "foliage", "sky"), *features]


def ripley(packages):
    for row in packages.r_set("MASS", "synth.tr"):
        yield [row["yc"], row["xs"], row["ys"]]


def shortest(value):
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def write_set(name, rows, expected_rows, expected_columns):
    columns = len(rows[0]) - 1
    if (len(rows), columns) != (expected_rows, expected_columns):
        raise SystemExit(f"{name}: sets.csv says {expected_rows} rows, {expected_columns} columns; found {len(rows)}, {columns}")
    header = ["y"] + [f"x{k}" for k in range(1, columns + 1)]
    lines = [",".join(header)] + [",".join(map(shortest, row)) for row in rows]
    (HERE / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="ascii")


def main():
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    sets = [titanic, diabetis, heart, german, breast_cancer, thyroid, splice, image, ripley]
    shapes = {row["name"]: (int(row["rows"]), int(row["columns"])) for row in csv.DictReader((HERE / "sets.csv").open())}
    with TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1] if len(sys.argv) == 2 else scratch)
        if len(sys.argv) == 1:
            subprocess.run(["apt-get", "download", "-q", *PACKAGES], cwd=folder, check=True)
        for package in PACKAGES:
            (deb,) = folder.glob(f"{package}_*.deb")
            subprocess.run(["dpkg-deb", "--extract", deb, f"{scratch}/root"], check=True)
        packages = Packages(Path(scratch) / "root")
        for make in sets:
            name = make.__name__.replace("_", "-")
            write_set(name, list(make(packages)), *shapes[name])


if __name__ == "__main__":
    main()
