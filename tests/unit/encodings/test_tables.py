"""Finding one order of keys for rows that do not all have the same keys."""

from unpretty.encodings.tables import are_objects, common_order, is_mostly_empty


def test_keys_keep_the_order_in_which_they_were_first_seen():
    assert common_order([("a", "c"), ("a", "b", "c"), ("d",)]) == ["a", "b", "c", "d"]
    assert common_order([("b",), ("a",)]) == ["b", "a"]


def test_rows_that_contradict_each_other_have_no_common_order():
    assert common_order([("a", "b"), ("b", "a")]) is None
    assert common_order([("a", "b"), ("b", "c"), ("c", "a")]) is None


def test_no_keys_are_an_empty_order():
    assert common_order([(), ()]) == []


def test_objects_with_a_key_twice_are_no_rows():
    assert are_objects([(("a", b"1"),), ()])
    assert not are_objects([(("a", b"1"), ("a", b"1"))])
    assert not are_objects([(), "x"])
    assert not are_objects([])


def test_a_table_is_mostly_empty_when_fewer_than_an_eighth_of_its_cells_are_filled():
    rows = [(("a", b"1"),)] * 10
    assert not is_mostly_empty(8, rows)
    assert is_mostly_empty(9, rows)
