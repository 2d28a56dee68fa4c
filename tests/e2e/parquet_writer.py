"""A small writer of Parquet, written from the description of the form: https://parquet.apache.org/docs/file-format/.

    data = table([Column("text", ["a", None], optional=True), struct("audio", [Column("bytes", [b"RIFF"]), ...])])

It writes what readers meet: all encodings but BIT_PACKED, pages of both versions, dictionaries, checksums, and the
compressions that can be written without their libraries.
"""
import dataclasses
import gzip
import struct as binary
import zlib

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = range(8)
PLAIN, DICTIONARY, RLE, DELTA, DELTA_LENGTH, DELTA_BYTES, RLE_DICTIONARY, SPLIT = 0, 2, 3, 5, 6, 7, 8, 9
UTF8 = 0
NONE, SNAPPY, GZIP, ZSTD, LZ4_RAW = 0, 1, 2, 6, 7


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def zigzag(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


class Struct:
    """A struct in Thrift's compact protocol. Fields come in the order of their numbers."""

    def __init__(self):
        self.bytes, self.last = b"", 0

    def field(self, number, kind, data):
        self.bytes += bytes([number - self.last << 4 | kind]) + data
        self.last = number
        return self

    def int32(self, number, value):
        return self.field(number, 5, zigzag(value))

    def int64(self, number, value):
        return self.field(number, 6, zigzag(value))

    def truth(self, number, value):
        return self.field(number, 1 if value else 2, b"")

    def text(self, number, value):
        value = value.encode() if isinstance(value, str) else value
        return self.field(number, 8, varint(len(value)) + value)

    def inner(self, number, inner):
        return self.field(number, 12, inner.end())

    def list(self, number, kind, items):
        head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + varint(len(items))
        return self.field(number, 9, head + b"".join(items))

    def end(self):
        return self.bytes + b"\0"


def snappy(data):
    """Literals alone, and a copy of what repeats the bytes right before it."""
    out, at = varint(len(data)), 0
    while at < len(data):
        copied = 0
        while at and copied < 64 and at + copied < len(data) and data[at + copied] == data[at - 1]:
            copied += 1
        if copied >= 4:
            out += bytes([copied - 1 << 2 | 2]) + binary.pack("<H", 1)
            at += copied
            continue
        part = data[at:at + 50]
        out += bytes([len(part) - 1 << 2]) + part
        at += len(part)
    return out


def lz4(data):
    """One sequence of literals."""
    if len(data) < 15:
        return bytes([len(data) << 4]) + data
    rest = len(data) - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


def zstd(data):
    """A frame of blocks that are not compressed."""
    out = b"\x28\xb5\x2f\xfd\xa0" + binary.pack("<I", len(data))
    blocks = [data[at:at + 100_000] for at in range(0, len(data), 100_000)] or [b""]
    for number, block in enumerate(blocks):
        out += binary.pack("<I", len(block) << 3 | (number == len(blocks) - 1))[:3] + block
    return out


PACKERS = {NONE: bytes, SNAPPY: snappy, GZIP: gzip.compress, ZSTD: zstd, LZ4_RAW: lz4}


def runs(values, width):
    """The hybrid encoding: runs of equal numbers, and single ones as groups of eight packed numbers."""
    out, at, size = b"", 0, (width + 7) // 8
    while at < len(values):
        end = at
        while end < len(values) and values[end] == values[at]:
            end += 1
        if end - at >= 4 or end == len(values) or width == 0:
            out += varint(end - at << 1) + values[at].to_bytes(size, "little")
            at = end
            continue
        group = values[at:at + 8]
        if len(group) < 8:
            group = [*group, *[0] * (8 - len(group))]
        number = sum(value << width * place for place, value in enumerate(group))
        out += varint(1 << 1 | 1) + number.to_bytes(width, "little")
        at += 8
    return out


def delta(values):
    """Blocks of 128 numbers, of four miniblocks each."""
    out = varint(128) + varint(4) + varint(len(values)) + zigzag(values[0] if values else 0)
    steps = [after - before for before, after in zip(values, values[1:])]
    for at in range(0, len(steps), 128):
        block = steps[at:at + 128]
        least = min(block)
        minis = [[step - least for step in block[place:place + 32]] for place in range(0, 128, 32)]
        widths = [max(mini, default=0).bit_length() for mini in minis]
        out += zigzag(least) + bytes(widths)
        for mini, width in zip(minis, widths):
            number = sum(step << width * place for place, step in enumerate(mini))
            out += number.to_bytes(4 * width, "little") if mini else b""
    return out


@dataclasses.dataclass
class Column:
    name: str
    values: list
    type: int = None
    optional: bool = False
    converted: int = None
    encoding: int = PLAIN
    size: int = None   # of FIXED
    levels: int = 0    # of structs around it that may be null
    path: tuple = ()
    missing: int = 1   # None is as many levels lower than a value: 2 says that the struct around it is null, too

    def __post_init__(self):
        some = next((value for value in self.values if value is not None), b"")
        if self.type is None:
            kinds = {bool: BOOLEAN, int: INT64, float: DOUBLE, str: BYTES, bytes: BYTES}
            self.type = kinds[type(some)]
        if isinstance(some, str) and self.converted is None:
            self.converted = UTF8
        self.optional = self.optional or None in self.values

    def plain(self, values):
        if self.type == BOOLEAN:
            bits = sum(1 << place for place, value in enumerate(values) if value)
            return bits.to_bytes((len(values) + 7) // 8, "little")
        form = {INT32: "<i", INT64: "<q", FLOAT: "<f", DOUBLE: "<d"}.get(self.type)
        if form:
            return b"".join(binary.pack(form, value) for value in values)
        values = [value.encode() if isinstance(value, str) else value for value in values]
        if self.type == BYTES:
            values = [binary.pack("<I", len(value)) + value for value in values]
        return b"".join(values)

    def encoded(self, values, dictionary):
        as_bytes = [value.encode() if isinstance(value, str) else value for value in values]
        if self.encoding in (DICTIONARY, RLE_DICTIONARY):
            width = max(len(dictionary) - 1, 0).bit_length()
            return bytes([width]) + runs([dictionary.index(value) for value in values], width)
        if self.encoding == RLE:
            packed = runs([int(value) for value in values], 1)
            return binary.pack("<I", len(packed)) + packed
        if self.encoding == DELTA:
            return delta(values)
        if self.encoding == DELTA_LENGTH:
            return delta([len(value) for value in as_bytes]) + b"".join(as_bytes)
        if self.encoding == DELTA_BYTES:
            before, prefixes, rests = b"", [], []
            for value in as_bytes:
                same = 0
                while same < min(len(before), len(value)) and before[same] == value[same]:
                    same += 1
                prefixes.append(same)
                rests.append(value[same:])
                before = value
            return delta(prefixes) + delta([len(rest) for rest in rests]) + b"".join(rests)
        data = self.plain(values)
        if self.encoding == SPLIT:
            size = len(data) // max(len(values), 1)
            return b"".join(data[place::size] for place in range(size)) if size else b""
        return data


def struct(name, columns, optional=True):
    """Columns of a struct, to be unpacked among the others."""
    return [dataclasses.replace(column, path=(name,), levels=int(optional)) for column in columns]


def table(columns, codec=NONE, version=1, group_rows=1000, page_rows=100, crc=False, notes=None):
    """Bytes of a file."""
    columns = [each for column in columns for each in (column if isinstance(column, list) else [column])]
    rows = len(columns[0].values)
    out = bytearray(b"PAR1")

    def header(kind, plain, packed, inner):
        head = Struct().int32(1, kind).int32(2, plain).int32(3, len(packed))
        if crc:
            check = zlib.crc32(packed)
            head.int32(4, check - (1 << 32) if check >> 31 else check)
        return head.inner(*inner).end() + packed

    def page(column, values, dictionary):
        highest = column.levels + column.optional
        there = [value for value in values if value is not None]
        levels = [highest if value is not None else highest - column.missing for value in values]
        packed_levels = runs(levels, highest.bit_length()) if highest else b""
        data = column.encoded(there, dictionary)
        if version == 1:
            plain = (binary.pack("<I", len(packed_levels)) + packed_levels if highest else b"") + data
            inner = Struct().int32(1, len(values)).int32(2, column.encoding).int32(3, RLE).int32(4, RLE)
            return header(0, len(plain), PACKERS[codec](plain), (5, inner))
        inner = (Struct().int32(1, len(values)).int32(2, len(values) - len(there)).int32(3, len(values))
                 .int32(4, column.encoding).int32(5, len(packed_levels)).int32(6, 0).truth(7, codec != NONE))
        packed = packed_levels + (PACKERS[codec](data) if data else b"")
        return header(3, len(packed_levels) + len(data), packed, (8, inner))

    def chunk(column, values):
        begin, dictionary, data_begin = len(out), [], None
        if column.encoding in (DICTIONARY, RLE_DICTIONARY):
            dictionary = sorted({value for value in values if value is not None}, key=values.index)
            plain = column.plain(dictionary)
            inner = Struct().int32(1, len(dictionary)).int32(2, PLAIN)
            out.extend(header(2, len(plain), PACKERS[codec](plain), (7, inner)))
        data_begin = len(out)
        for at in range(0, len(values), page_rows):
            out.extend(page(column, values[at:at + page_rows], dictionary))
        about = (Struct().int32(1, column.type).list(2, 5, [zigzag(column.encoding)])
                 .list(3, 8, [varint(len(name.encode())) + name.encode() for name in (*column.path, column.name)])
                 .int32(4, codec).int64(5, len(values)).int64(6, len(out) - begin).int64(7, len(out) - begin)
                 .int64(9, data_begin))
        if dictionary:
            about.int64(11, begin)
        return Struct().int64(2, begin).inner(3, about).end()

    groups = []
    for at in range(0, rows, group_rows):
        begin, count = len(out), min(group_rows, rows - at)
        chunks = [chunk(column, column.values[at:at + count]) for column in columns]
        groups.append(Struct().list(1, 12, chunks).int64(2, len(out) - begin).int64(3, count).end())

    def leaf(column):
        element = Struct().int32(1, column.type)
        if column.size:
            element.int32(2, column.size)
        element.int32(3, int(column.optional)).text(4, column.name)
        if column.converted is not None:
            element.int32(6, column.converted)
        return element.end()

    elements, top, at = [], 0, 0
    while at < len(columns):
        path, end = columns[at].path, at + 1
        if path:
            while end < len(columns) and columns[end].path == path:
                end += 1
            elements.append(Struct().int32(3, columns[at].levels).text(4, path[0]).int32(5, end - at).end())
        elements += [leaf(column) for column in columns[at:end]]
        top, at = top + 1, end
    footer = Struct().int32(1, version).list(2, 12, [Struct().text(4, "schema").int32(5, top).end(), *elements])
    footer.int64(3, rows).list(4, 12, groups)
    if notes:
        footer.list(5, 12, [Struct().text(1, key).text(2, value).end() for key, value in notes.items()])
    data = footer.end()
    return bytes(out) + data + binary.pack("<I", len(data)) + b"PAR1"
