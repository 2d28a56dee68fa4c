"""bzip2 files that no compressor writes: every limit of the format met and overstepped, bit by bit.

cases() gives them by name. Each is one change to a file that is right, so that a decoder has to fail (or not) for
the reason that the name tells.
"""
import bz2
import dataclasses

BLOCK_MAGIC = 0x314159265359
END_MAGIC = 0x177245385090


class Bits:
    """Collects bits, most significant first."""

    def __init__(self):
        self.text = []

    def put(self, width, value):
        self.text.append(format(value & ((1 << width) - 1), f"0{width}b") if width else "")

    def bytes(self):
        text = "".join(self.text)
        text += "0" * (-len(text) % 8)
        return int(text or "0", 2).to_bytes(len(text) // 8, "big")


def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc ^ 0xFFFFFFFF


def fold_runs(data):
    """4 to 259 equal bytes become 4 and a count."""
    out = bytearray()
    at = 0
    while at < len(data):
        length = 1
        while at + length < len(data) and data[at + length] == data[at] and length < 259:
            length += 1
        out += bytes([data[at]]) * min(length, 4)
        if length >= 4:
            out.append(length - 4)
        at += length
    return bytes(out)


def transform(data):
    """Burrows-Wheeler: the last column of the sorted rotations, and the row of the original."""
    doubled = data + data
    order = sorted(range(len(data)), key=lambda start: doubled[start:start + len(data)])
    return bytes(data[start - 1] for start in order), order.index(0)


def symbols_of(column):
    """Move to front, runs of zeros in bijective base 2; without the end symbol. And the bytes that occur."""
    used = sorted(set(column))
    front = list(used)
    symbols = []
    zeros = 0
    for byte in list(column) + [None]:
        position = front.index(byte) if byte is not None else None
        if position == 0:
            zeros += 1
            continue
        while zeros:
            symbols.append(0 if zeros & 1 else 1)
            zeros = (zeros - 1) >> 1
        if byte is not None:
            symbols.append(position + 1)
            front.insert(0, front.pop(position))
    return symbols, used


def flat_lengths(count):
    """Code lengths of a complete code, as even as can be."""
    width = max(count - 1, 1).bit_length()
    short = (1 << width) - count
    return [width - 1] * short + [width] * (count - short) if width > 1 else [1] * count


def codes_of(lengths):
    """Canonical codes; whatever the lengths are, so that wrong ones can be written too."""
    codes = {}
    code = 0
    for width in range(1, 21):
        for symbol, length in enumerate(lengths):
            if length == width:
                codes[symbol] = (width, code)
                code += 1
        code <<= 1
    return codes


@dataclasses.dataclass
class Block:
    """A block in pieces, each of which a case may replace. What is None is made to fit."""

    data: bytes
    folded: bytes = None          # after run folding
    crc: int = None
    magic: int = BLOCK_MAGIC
    randomised: int = 0
    origin: int = None
    used: list = None             # bytes of the symbol map
    symbols: list = None          # with the end symbol
    tables: list = None           # code lengths, one list a table
    deltas: str = None            # the bits that tell the code lengths of the first table
    table_count: int = None       # as the header tells
    selectors: list = None        # table of each group
    selector_count: int = None    # as the header tells
    selector_bits: str = None     # instead of the selectors
    cut_symbols: int = None       # write only so many

    def put(self, out):
        folded = fold_runs(self.data) if self.folded is None else self.folded
        column, origin = transform(folded)
        symbols, used = symbols_of(column)
        used = used if self.used is None else self.used
        symbols = symbols + [len(used) + 1] if self.symbols is None else self.symbols
        tables = [flat_lengths(len(used) + 2)] * 2 if self.tables is None else self.tables
        groups = (len(symbols) + 49) // 50
        selectors = [0] * groups if self.selectors is None else self.selectors
        out.put(48, self.magic)
        out.put(32, crc32(self.data) if self.crc is None else self.crc)
        out.put(1, self.randomised)
        out.put(24, origin if self.origin is None else self.origin)
        self.put_map(out, used)
        out.put(3, len(tables) if self.table_count is None else self.table_count)
        out.put(15, len(selectors) if self.selector_count is None else self.selector_count)
        self.put_selectors(out, selectors, len(tables))
        self.put_tables(out, tables)
        codes = [codes_of(lengths) for lengths in tables]
        for index, symbol in enumerate(symbols[:self.cut_symbols]):
            selector = selectors[index // 50] if index // 50 < len(selectors) else 0
            out.put(*codes[min(selector, len(codes) - 1)].get(symbol, (0, 0)))

    @staticmethod
    def put_map(out, used):
        out.put(16, sum(1 << (15 - high) for high in {byte >> 4 for byte in used}))
        for high in range(16):
            row = [byte & 15 for byte in used if byte >> 4 == high]
            if row:
                out.put(16, sum(1 << (15 - low) for low in row))

    def put_selectors(self, out, selectors, table_count):
        if self.selector_bits is not None:
            out.text.append(self.selector_bits)
            return
        front = list(range(max(table_count, 6)))
        for selector in selectors:
            position = front.index(selector)
            out.text.append("1" * position + "0")
            front.insert(0, front.pop(position))

    def put_tables(self, out, tables):
        for index, lengths in enumerate(tables):
            if index == 0 and self.deltas is not None:
                out.text.append(self.deltas)
                continue
            current = lengths[0]
            out.put(5, current)
            for length in lengths:
                out.text.append(("10" if length > current else "11") * abs(length - current) + "0")
                current = length


def stream(*blocks, level=9, crc=None, end_magic=END_MAGIC, header=b"BZh"):
    """One whole stream."""
    out = Bits()
    combined = 0
    for block in blocks:
        block.put(out)
        combined = ((combined << 1 | combined >> 31) & 0xFFFFFFFF) ^ (crc32(block.data) if block.crc is None
                                                                      else block.crc)
    out.put(48, end_magic)
    out.put(32, combined if crc is None else crc)
    return header + str(level).encode() + out.bytes()


TEXT = b"she sells sea shells on the sea shore; the shells she sells are sea shells, surely. " * 3
ODD = bytes(range(256)) + b"\0" * 700 + TEXT


def padded(selectors_more, **changes):
    """TEXT with more selectors than it has groups."""
    groups = (len(symbols_of(transform(fold_runs(TEXT))[0])[0]) + 1 + 49) // 50
    return stream(Block(TEXT, selectors=[0] * (groups + selectors_more), **changes))


def table_cases():
    count = len(set(TEXT)) + 2
    flat = flat_lengths(count)
    yield "two tables", stream(Block(TEXT))
    yield "six tables", stream(Block(TEXT, tables=[flat] * 6, selectors=[5, 0, 3, 3, 1, 4][:6]))
    yield "one table", stream(Block(TEXT, tables=[flat]))
    yield "no table", stream(Block(TEXT, tables=[flat] * 2, table_count=0))
    yield "seven tables", stream(Block(TEXT, tables=[flat] * 7))
    few = b"abcabcaabbcc" * 9
    for longest in (17, 19, 20):
        lengths = [1] + [longest] * (len(set(few)) + 1)
        yield f"lengths 1 and {longest}, incomplete code", stream(Block(few, tables=[lengths] * 2))
    deep = bytes(range(97, 97 + 19)) * 3
    yield "lengths 1 to 20, complete code", stream(Block(deep, tables=[list(range(1, 21)) + [20]] * 2))
    yield "oversubscribed: all lengths 1", stream(Block(TEXT, tables=[[1] * count] * 2))
    yield "oversubscribed: all lengths 2", stream(Block(TEXT, tables=[[2] * count] * 2))
    yield "oversubscribed: one length too short", stream(Block(TEXT, tables=[flat[:-1] + [flat[-1] - 1]] * 2))
    yield "unused table oversubscribed", stream(Block(TEXT, tables=[flat, [1] * count]))
    yield "unused table of one length 20", stream(Block(TEXT, tables=[flat, [20] * count]))
    yield "incomplete: all lengths 20", stream(Block(TEXT, tables=[[20] * count] * 2))
    yield "first length 0", stream(Block(TEXT, deltas="00000" + "0" * count))
    yield "first length 21", stream(Block(TEXT, deltas="10101" + "0" * count))
    yield "length falls to 0", stream(Block(TEXT, deltas="00001" + "110" + "0" * (count - 1)))
    yield "length rises to 21", stream(Block(TEXT, deltas="10100" + "100" + "0" * (count - 1)))
    yield "length dips to 0 and comes back", stream(Block(TEXT, deltas="00001" + "1110" + "0" * count))
    yield "length rises for ever", stream(Block(TEXT, deltas="00001" + "10" * 4000))
    yield "length wanders up and down", stream(Block(TEXT, deltas=format(flat[0], "05b") + "1011" * 5000 + "".join(
        ("10" if length > previous else "11") * abs(length - previous) + "0"
        for previous, length in zip([flat[0]] + flat, flat))))


def selector_cases():
    yield "one selector too many", padded(1)
    yield "18001 selectors", padded(17995)
    yield "18002 selectors", stream(Block(TEXT, selectors=[0] * 18002))
    yield "18003 selectors", stream(Block(TEXT, selectors=[0] * 18003))
    yield "32767 selectors", stream(Block(TEXT, selectors=[0] * 32767))
    yield "extra selectors name every table", stream(Block(TEXT, tables=[flat_lengths(len(set(TEXT)) + 2)] * 6,
                                                           selectors=[0] * 6 + [1, 2, 3, 4, 5] * 4000))
    yield "no selector", stream(Block(TEXT, selector_count=0, selectors=[]))
    yield "one selector too few", stream(Block(TEXT, selectors=[0]))
    yield "selector names a table that is not there", stream(Block(TEXT, selectors=[2, 0, 0, 0, 0, 0]))
    yield "selector without end", stream(Block(TEXT, selector_bits="1" * 5000))
    yield "selector position 6", stream(Block(TEXT, tables=[flat_lengths(len(set(TEXT)) + 2)] * 6,
                                              selector_bits="1111110" + "0" * 20))


def symbol_cases():
    symbols, used = symbols_of(transform(fold_runs(TEXT))[0])
    end = len(used) + 1
    yield "no byte in the map", stream(Block(TEXT, used=[], symbols=[1], tables=[[1, 1]] * 2))
    yield "no byte in the map, run symbols", stream(Block(TEXT, used=[], symbols=[0, 0, 1], tables=[[1, 1]] * 2))
    yield "end symbol first", stream(Block(b"", folded=b"a", origin=0, symbols=[2], used=[97]))
    yield "end symbol missing", stream(Block(TEXT, symbols=symbols))
    yield "symbols after the end symbol", stream(Block(TEXT, symbols=symbols + [end, 2, 3]))
    yield "end symbol early", stream(Block(TEXT, symbols=symbols[:40] + [end]))
    yield "all 256 bytes", stream(Block(ODD))
    yield "map tells more bytes than occur", stream(
        Block(b"\0\0\0", used=list(range(256)), symbols=zero_run(3) + [257]))
    for level in (1, 9):
        yield f"one byte more than a block may hold, level {level}", stream(
            Block(b"a", symbols=zero_run(level * 100000 + 1) + [2], used=[97], crc=0), level=level)
        for doublings in (17, 20, 21, 22, 31, 32, 33, 64, 200):
            for symbol in (0, 1):
                yield f"run of {doublings} symbols {symbol}, level {level}", stream(
                    Block(b"a", symbols=[symbol] * doublings + [2], used=[97], crc=0), level=level)
    yield "another byte in a full block", stream(
        Block(b"a", symbols=zero_run(100000) + [2, 3], used=[97, 98], crc=0), level=1)


def zero_run(length):
    """The symbols of `length` times the first byte of the list."""
    symbols = []
    while length:
        symbols.append(0 if length & 1 else 1)
        length = (length - 1) >> 1
    return symbols


def run_cases():
    yield "count byte 255", stream(Block(b"a" * 259))
    yield "count byte 0", stream(Block(b"aaaa"))
    yield "four bytes and no count at the end of the block", stream(Block(b"aaaa", folded=b"aaaa"))
    yield "three, end of block, one more", stream(Block(b"aaa"), Block(b"aaaaa"))
    yield "count 256 is none", stream(Block(b"a" * 260))
    yield "block of 300000 zeros", stream(Block(b"\0" * 300000))
    yield "full block of one byte, level 1", stream(
        Block((b"a" * 101) * 20000, folded=b"a", crc=crc32((b"a" * 101) * 20000), symbols=zero_run(100000) + [2],
              used=[97], origin=0), level=1)


def origin_cases():
    folded = fold_runs(TEXT)
    for name, origin in [("0", 0), ("last", len(folded) - 1), ("one past the end", len(folded)),
                         ("far past the end", 0xFFFFFF), ("900000", 900000)]:
        yield f"origin {name}", stream(Block(TEXT, origin=origin))
        yield f"origin {name}, CRC ignored", stream(Block(TEXT, origin=origin, crc=0))
    cyclic = b"abcd" * 50
    for origin in range(0, 200, 37):
        yield f"cycles shorter than the block, origin {origin}", stream(
            Block(cyclic, origin=origin, crc=crc32(cyclic[origin // 50:] + cyclic[:origin // 50])))
    two_walks = b"aabb"
    yield "column that is no transform of anything", stream(
        Block(b"aa", symbols=symbols_of(two_walks)[0] + [3], used=[97, 98], origin=0, crc=crc32(b"aaaa")))


def stream_cases():
    good = stream(Block(TEXT))
    empty = stream()
    yield "empty stream", empty
    yield "three empty streams", empty * 3
    yield "empty between full", good + empty + good
    yield "empty first", empty + good
    yield "levels mixed", b"".join(stream(Block(TEXT), level=level) for level in range(1, 10))
    yield "many blocks", stream(*[Block(TEXT[:40 + index]) for index in range(30)])
    yield "empty stream with a wrong CRC", stream(crc=1)
    yield "wrong stream CRC", stream(Block(TEXT), crc=0)
    yield "wrong block CRC", stream(Block(TEXT, crc=1))
    yield "two wrong block CRCs", stream(Block(TEXT, crc=1), Block(TEXT, crc=2))
    yield "wrong CRC in the second stream", good + stream(Block(TEXT, crc=1)) + good
    yield "level 0", stream(Block(TEXT), level=0)
    yield "level letter", b"BZha" + good[4:]
    yield "BZ0", stream(Block(TEXT), header=b"BZ0")
    yield "header only", b"BZh9"
    yield "half a header", b"BZ"
    yield "no end magic", stream(Block(TEXT), end_magic=0)
    yield "wrong block magic", stream(Block(TEXT, magic=BLOCK_MAGIC + 1))
    yield "trailing zeros", good + b"\0" * 100
    yield "trailing byte", good + b"x"
    yield "trailing text", good + b"this is no bzip2"
    yield "trailing half header", good + b"BZ"
    yield "trailing header", good + b"BZh9"
    yield "trailing header and magic", good + b"BZh9" + BLOCK_MAGIC.to_bytes(6, "big")
    yield "trailing damaged stream", good + stream(Block(TEXT, crc=1))
    yield "trailing stream of level 0", good + stream(Block(TEXT), level=0)
    yield "garbage between streams", good + b"xx" + good
    yield "bits of the last byte set", good[:-1] + bytes([good[-1] | 0x01])
    yield "randomised, shorter than the first distance", stream(Block(TEXT, randomised=1))
    long = bytes((index * index * 7 >> 3) & 0xFE for index in range(4900))
    yield "randomised", stream(Block(long, folded=randomise(long), randomised=1))
    yield "randomised, but it was not", stream(Block(long, randomised=1))


def randomise(folded):
    """What bzip2 0.9.0 did to blocks that were hard to sort: flip the last bit of some bytes."""
    out = bytearray(folded)
    at = -2
    for distance in (619, 720, 127, 481, 931, 816, 813, 233):
        at += distance
        out[at] ^= 1
    return bytes(out)


def magic_cases():
    """Magics that stand inside a block's bits by chance, which cuts a decoder that trusts them."""
    count = len(set(TEXT)) + 2
    flat = flat_lengths(count)
    for name, magic in [("block", BLOCK_MAGIC), ("end", END_MAGIC)]:
        bits = format(magic, "048b")
        yield f"{name} magic among surplus selectors", stream(Block(
            TEXT, tables=[flat] * 6, selectors=[0] * 20000, selector_count=6 + 60,
            selector_bits="0" * 6 + as_selectors(bits, 60)))
        yield f"{name} magic as stored CRC", stream(Block(TEXT, crc=magic >> 16))
        yield f"{name} magic after the end", stream(Block(TEXT)) + magic.to_bytes(6, "big")
        yield f"{name} magic and more after the end", stream(Block(TEXT)) + magic.to_bytes(6, "big") + b"\0" * 40
    yield "two fake block magics", stream(Block(
        TEXT, tables=[flat] * 6, selectors=[0] * 20000, selector_count=6 + 120,
        selector_bits="0" * 6 + as_selectors(format(BLOCK_MAGIC, "048b") * 2, 120)))


def as_selectors(bits, count):
    """`bits`, then zeros until they make up `count` selectors."""
    return bits + "0" * (count - bits.count("0"))


def truncated_cases():
    good = stream(Block(TEXT), Block(ODD[:300]))
    for length in range(0, len(good), 7):
        yield f"cut to {length} of {len(good)} bytes", good[:length]
    cut = Bits()
    Block(TEXT, cut_symbols=60).put(cut)
    yield "block ends among its symbols", b"BZh9" + cut.bytes()


def flipped_cases():
    good = bz2.compress(TEXT) + bz2.compress(b"the second stream " * 4)
    for bit in range(0, len(good) * 8, 11):
        flipped = bytearray(good)
        flipped[bit // 8] ^= 0x80 >> bit % 8
        yield f"bit {bit} flipped", bytes(flipped)


def cases():
    """All files, by name."""
    found = {}
    for group in (table_cases, selector_cases, symbol_cases, run_cases, origin_cases, stream_cases, magic_cases,
                  truncated_cases, flipped_cases):
        for name, data in group():
            assert name not in found, name
            found[name] = data
    return found
