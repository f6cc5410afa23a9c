"""Data files are read strictly, and every fault says file, line, field and the mend."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tables import DataError, LineDict, Row, read_rows, read_yaml


def one(text: str, columns: str = "name,size") -> Row:
    return next(read_rows(text, "data/x.csv", columns.split(",")))


def test_rows_know_their_line_past_comments_and_quoted_line_breaks() -> None:
    text = '# comment\nname,size\n"two\nlines",1\n# a remark\nb,2\n'
    assert [(row.line, row.text("size")) for row in read_rows(text, "x", ["name", "size"])] == [(4, "1"), (6, "2")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data/x.csv: the file is empty. Start it with the header name,size."),
        ("name\na\n", "data/x.csv, line 1, field size: this column is missing. Add it to the header."),
        ("name,size,more\n", "data/x.csv, line 1, field more: this column is not known. Columns: name, size."),
        ("name,size\na\n", ("data/x.csv, line 2: the row has 1 cells, the header 2. "
         "Look for a missing or extra comma; put texts with commas in double quotes.")),
        ('name,size\n"a,1\n', "data/x.csv, line 2: this is not CSV (unexpected end of data). Check the double quotes."),
    ],
)  # fmt: skip
def test_broken_tables_say_where_and_how_to_mend(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(read_rows(text, "data/x.csv", ["name", "size"]))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("cell", "problem"),
    [("abc", "'abc' is not a number"), ("nan", "nan is outside 0 to 10"), ("11", "11 is outside 0 to 10")],
)
def test_numbers_are_checked(cell: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        one(f"name,size\na,{cell}\n").number("size", 0, 10)
    assert caught.value.problem == problem
    assert (caught.value.where, caught.value.line, caught.value.field) == ("data/x.csv", 2, "size")


def test_marks_tell_computed_and_uncertain_figures() -> None:
    assert (one("name,size\na,71.2~\n").number("size"), one("name,size\na,71.2~\n").mark("size")) == (71.2, "computed")
    assert one("name,size\na,71.2?\n").mark("size") == "uncertain"
    assert one("name,size\na,71.2\n").mark("size") is None
    assert one("name,size\na,\n").number("size") is None


@pytest.mark.parametrize("cell", ["2019-13", "19-04", "yesterday", "2019-02-40"])
def test_dates_are_year_month_or_day(cell: str) -> None:
    with pytest.raises(DataError, match="is not a date"):
        one(f"name,size\na,{cell}\n").year_month("size")


def test_flags_choices_items_and_whole_numbers() -> None:
    row = one("name,size,list,flag\na,2.5,x; y;,maybe\n", "name,size,list,flag")
    assert row.items("list") == ("x", "y")
    with pytest.raises(DataError, match="neither yes nor no"):
        row.flag("flag")
    with pytest.raises(DataError, match="not a whole number"):
        row.whole("size")
    with pytest.raises(DataError, match="Write one of: b, c"):
        row.choice("name", ["b", "c"])
    with pytest.raises(DataError, match="the cell is empty"):
        one("name,size\na,\n").required("size")


def test_yaml_keeps_lines_and_dates_as_text() -> None:
    content = read_yaml("- id: a\n  as_of: 2019-04-01\n- id: b\n", "k.yaml")
    assert isinstance(content[1], LineDict)
    assert (content[1].line, content[0].lines["as_of"], content[0]["as_of"]) == (3, 2, "2019-04-01")


@pytest.mark.parametrize("text", ["a: [1, 2", "a: 1\na: 2\n", "a: &x [*x]\nb: !!python/object:os.system x\n", "\ta: 1"])
def test_broken_yaml_is_a_data_error_with_its_line(text: str) -> None:
    with pytest.raises(DataError) as caught:
        read_yaml(text, "k.yaml")
    assert caught.value.where == "k.yaml"
    assert caught.value.mend


@given(st.text(max_size=200))
def test_any_text_is_rows_or_a_data_error(text: str) -> None:
    try:
        rows = list(read_rows(text, "x", ["a", "b"]))
    except DataError:
        return
    assert all(set(row.cells) == {"a", "b"} for row in rows)


@given(st.text(alphabet="abc:-[]{}&*!|>'\" \n\t#", max_size=80))
def test_any_text_is_yaml_or_a_data_error(text: str) -> None:
    try:
        read_yaml(text, "x")
    except DataError as error:
        assert error.where == "x"  # noqa: PT017 - both outcomes are right
