"""A small reader of Parquet, written from the description of the form: https://parquet.apache.org/docs/file-format/.

Reads what is uncompressed, PLAIN and flat but for structs. It checks sizes and counts instead of trusting them.
"""
import struct


class Thrift:
    """Thrift's compact protocol: a struct is a dict of its fields by number."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def number(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (4, 5, 6):
            return self.number()
        if kind == 8:
            size = self.varint()
            self.at += size
            return bytes(self.data[self.at - size:self.at])
        if kind == 9:
            head = self.byte()
            count = self.varint() if head >> 4 == 15 else head >> 4
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while head := self.byte():
            last = last + (head >> 4) if head >> 4 else self.number()
            kind = head & 15
            fields[last] = kind == 1 if kind in (1, 2) else self.value(kind)
        return fields


BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6
KINDS = {BOOLEAN: "bool", INT64: "int64", DOUBLE: "float64", BYTE_ARRAY: "binary"}


def schema_of(elements):
    """Paths of the columns, each with its kind and the highest level; all may be null."""
    elements = iter(elements)

    def below(path, level, count):
        for _ in range(count):
            element = next(elements)
            assert element[3] == 1, "only what may be null"
            inner = (*path, element[4].decode())
            if 5 in element:
                yield from below(inner, level + 1, element[5])
            else:
                kind = KINDS[element[1]]
                if element.get(6) == 0:
                    assert kind == "binary" and element[10] == {1: {}}, element
                    kind = "string"
                yield inner, kind, level + 1

    columns = list(below((), 0, next(elements)[5]))
    assert next(elements, None) is None
    return columns


def levels_of(data, count, highest):
    """RLE, the hybrid encoding, without its bit-packed runs."""
    size, = struct.unpack_from("<I", data)
    runs, levels = Thrift(data[4:4 + size]), []
    while runs.at < size:
        head = runs.varint()
        assert head & 1 == 0, "bit-packed"
        levels += [runs.byte()] * (head >> 1)
    assert len(levels) == count and max(levels) <= highest
    return levels, data[4 + size:]


def plain(kind, data, count):
    if kind == "bool":
        assert len(data) == (count + 7) // 8
        return [bool(data[i // 8] >> i % 8 & 1) for i in range(count)]
    if kind in ("int64", "float64"):
        assert len(data) == 8 * count
        return list(struct.unpack(f"<{count}{'q' if kind == 'int64' else 'd'}", data))
    values, at = [], 0
    for _ in range(count):
        size, = struct.unpack_from("<I", data, at)
        value = data[at + 4:at + 4 + size]
        at += 4 + size
        values.append(value.decode() if kind == "string" else value)
    assert at == len(data)
    return values


class File:
    """columns: paths and kinds; rows: dicts, one of the structs too; notes: the metadata; groups: rows in each."""

    def __init__(self, data):
        assert data[:4] == data[-4:] == b"PAR1"
        size, = struct.unpack_from("<I", data, len(data) - 8)
        end = len(data) - 8 - size
        reader = Thrift(data, end)
        footer = reader.struct()
        assert reader.at == len(data) - 8
        self.columns = schema_of(footer[2])
        self.notes = {note[1].decode(): note[2].decode() for note in footer.get(5, [])}
        self.rows, self.groups, self.pages = [], [], []
        at = 4
        for group in footer[4]:
            rows = [{} for _ in range(group[3])]
            self.groups.append(group[3])
            assert group[2] == group[6] == sum(chunk[3][7] for chunk in group[1])
            assert group[5] == at
            assert len(group[1]) == len(self.columns)
            for chunk, (path, kind, level) in zip(group[1], self.columns):
                about = chunk[3]
                assert KINDS[about[1]] == ("binary" if kind == "string" else kind)
                assert tuple(name.decode() for name in about[3]) == path
                assert about[4] == 0 and about[5] == group[3] and about[6] == about[7] and about[9] == at
                values = []
                while at < about[9] + about[7]:
                    page, at = self.page(data, at, kind, level)
                    values += page
                assert at == about[9] + about[7] and len(values) == group[3]
                for row, value in zip(rows, values):
                    for name in path[:-1]:
                        row = row.setdefault(name, {})
                    row[path[-1]] = value
            self.rows += rows
        assert at == end and len(self.rows) == footer[3]

    def page(self, data, at, kind, highest):
        reader = Thrift(data, at)
        header = reader.struct()
        assert header[1] == 0 and header[2] == header[3] and header[5][2] == 0 and header[5][3] == 3
        page = data[reader.at:reader.at + header[3]]
        assert len(page) == header[3]
        self.pages.append(len(page))
        levels, rest = levels_of(page, header[5][1], highest)
        values = iter(plain(kind, rest, levels.count(highest)))
        return [next(values) if level == highest else None for level in levels], reader.at + header[3]
