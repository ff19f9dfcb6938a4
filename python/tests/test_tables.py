"""What a regression makes of the columns that it is given."""

import darboux
import numpy as np
import pandas
import pytest

Y = [0, 1, 1, 0, 1, 0]


def names(X, y=Y, **more):
    return darboux.models.logistic(X, y, **more).names


class Series:
    """A column that is known by to_numpy alone, as those of other libraries are."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return np.asarray(self.values)


class Frame:
    columns = ("a", "b")

    def __getitem__(self, name):
        return {"a": Series([1.0, 3.0, 2.0, 5.0, 4.0, 4.5]), "b": Series(np.array(["u", "v", "u", "v", "u", "u"], dtype=object))}[name]


class Arrow(Frame):
    """pyarrow's columns are the columns themselves."""

    columns = property(lambda self: [self["a"], self["b"]])
    column_names = ("a", "b")


class Interchanged(Frame):
    columns = None

    def __dataframe__(self):
        class Names:
            def column_names(self):
                return iter(["a", "b"])

        return Names()


@pytest.mark.parametrize("frame", [Frame(), Arrow(), Interchanged()])
def test_data_frames_are_known_by_what_they_can(frame):
    assert names(frame) == ["intercept", "a", "b[v]"]


def test_structured_arrays_and_matrices():
    table = np.array([(1.0, "u"), (3.0, "v"), (2.0, "u"), (5.0, "v"), (4.0, "u"), (4.5, "u")], dtype=[("a", float), ("b", "U1")])
    assert names(table) == ["intercept", "a", "b[v]"]
    assert names([[1.0, "u"], [3.0, "v"], [2.0, "u"], [5.0, "v"], [4.0, "u"], [4.5, "u"]]) == ["intercept", "x1", "x2[v]"]
    assert names(np.eye(6, 2, dtype=bool)) == ["intercept", "x1", "x2"]  # truths of a matrix are numbers
    assert names(np.asfortranarray(np.arange(12.0).reshape(6, 2) % 5)[::-1], names=["c", "d"]) == ["intercept", "c", "d"]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([True, False, True, True, False, False], ["b[True]"]),
        (np.array(["u", "w", "v", "u", "v", "w"]), ["b[v]", "b[w]"]),
        (pandas.Categorical([3, 10, 3, 20, 10, 3], categories=[3, 10, 20, 30]), ["b[10]", "b[20]"]),  # in order
        (pandas.Series(["u", "v", "u", "v", "u", "u"], dtype="string"), ["b[v]"]),
        (pandas.array([1, 2, 3, 1, 5, 4], dtype="Int64"), ["b"]),
        (pandas.cut([1, 2, 3, 4, 5, 6], [0, 3, 6]), ["b[(3, 6]]"]),
        (np.array([1, 2, 3, 1, 5, 4], dtype=object), ["b"]),
    ],
)
def test_what_becomes_of_a_column(column, expected):
    assert names({"b": column}) == ["intercept", *expected]


def test_references_name_the_baseline():
    grades = pandas.Categorical([3, 10, 3, 20, 10, 3])
    assert names({"grade": grades}, reference={"grade": 20}) == ["intercept", "grade[3]", "grade[10]"]
    married = [True, False, True, True, False, False]
    assert names({"married": married}, reference={"married": True}) == ["intercept", "married[False]"]
    with pytest.raises(ValueError, match="reference = grade=7: unknown level of column grade"):
        names({"grade": grades}, reference={"grade": 7})
    with pytest.raises(ValueError, match=r'reference = dose=1: column dose of X is of numbers and has no levels: category=\["dose"\] if'):
        names({"dose": [1.0, 2.0, 3.0, 1.0, 1.0, 2.0]}, reference={"dose": 1})


def test_numbers_may_be_levels():
    X = {"class": [3.0, 1.0, np.nan, 10.0, 3.0, 1.0, 10.0], "size": [0.5, 1.5, 1.0, 0.5, 1.0, 1.5, 0.5]}
    y = [0, 1, 0, 1, 1, 0, 0]
    assert names(X, y, category=["class"], na="drop") == ["intercept", "class[3]", "class[10]", "size"]
    assert names(X, y, category=("class", "size"), reference={"class": 3}, na="drop")[1:4] == ["class[1]", "class[10]", "size[1]"]
    with pytest.raises(ValueError, match="category = clas: X has no such column; there are class, size"):
        names(X, y, category=["clas"])


def test_rows_that_lack_a_value():
    X = {"a": [1.0, None, 2.0, 5.0, 4.0, 3.0, 1.0], "b": ["u", "v", "u", None, "v", "u", "v"]}
    y = ["no", "yes", "yes", "no", None, "no", "yes"]
    with pytest.raises(ValueError, match=r'X:1, column a is missing \(and 2 more\): .*na="drop" leaves such rows out'):
        darboux.models.logistic(X, y)
    model = darboux.models.logistic(X, y, na="drop")
    assert (model.facts["data"]["rows"], model.facts["data"]["rows_left_out"]) == (4, 3)
    trace = darboux.sample(model, seed=1, draws=5, tune=50, progressbar=False)
    np.testing.assert_array_equal(trace.observed_data["y"], [0.0, 1.0, 0.0, 1.0])
    np.testing.assert_array_equal(trace.constant_data["X"], [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.0, 1.0]])
    assert trace.constant_data["column"].values.tolist() == ["a", "b[v]"]
    with pytest.raises(ValueError, match='every row lacks a value, so that na="drop" leaves none'):
        darboux.models.logistic({"a": [None] * 7}, y, na="drop")
    with pytest.raises(ValueError, match='unknown na "leave". Known: refuse, drop'):
        darboux.models.logistic(X, y, na="leave")


@pytest.mark.parametrize(
    ("column", "kind", "message"),
    [
        ([1.0, "u", 2.0, 1.0, 1.0, 2.0], ValueError, "X: column b has texts and numbers, as 'u' and 1: must have one or the other"),
        ([1.0, 2j, 2.0, 1.0, 1.0, 2.0], TypeError, "X: column b has a complex in it"),
        (np.zeros((6, 2)), ValueError, "X: column b has 2 dimensions"),
        (pandas.date_range("2030-01-30", periods=6), ValueError, "column b holds dates"),
        ([f"{i}" for i in range(6)][:5], ValueError, "column b has 5 rows, and column a 6: must have as many"),
        (["u"] * 6, ValueError, "column b is constant"),
    ],
)
def test_columns_that_cannot_be_used_are_named(column, kind, message):
    with pytest.raises(kind, match=message):
        names({"a": [1.0, 3.0, 2.0, 5.0, 4.0, 4.5], "b": column})
