"""Makes libraries load with an older C library: older_c_library.py VERSION FILE...

Functions got new versions in the C library when they moved from libpthread and libdl into libc, or when a detail
changed; a library that was linked today asks for those. Here the versions after VERSION, such as 2.28, are taken off
the functions that a library calls: the loader then takes the one that the C library has. Functions that it does not
have at all come from older_c_library.c. Prints the names of these functions, one a line.
"""
import pathlib
import struct
import sys

SHT_GNU_VERNEED, SHT_GNU_VERSYM = 0x6FFFFFFE, 0x6FFFFFFF
VER_FLG_WEAK, VER_NDX_GLOBAL = 2, 1


def sections_of(data):
    """[(type, offset, size, number of the section that it is linked with)] of a 64-bit little-endian ELF file."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("older_c_library.py: no 64-bit little-endian ELF file")
    first, = struct.unpack_from("<Q", data, 0x28)
    each, count = struct.unpack_from("<HH", data, 0x3A)
    entries = [struct.unpack_from("<IIQQQQII", data, first + number * each) for number in range(count)]
    return [(entry[1], entry[4], entry[5], entry[6]) for entry in entries]


def symbol_name(data, sections, versions, number):
    """The name of a dynamic symbol; `versions` is the section with the versions of all."""
    _, symbols, _, strings = sections[versions[3]]
    name, = struct.unpack_from("<I", data, symbols + 24 * number)
    begin = sections[strings][1] + name
    return bytes(data[begin:data.index(b"\0", begin)]).decode()


def newer_versions(data, sections, newest):
    """{number: place of its flags} of the versions of the C library after `newest` that the file asks for."""
    found = {}
    for kind, offset, _, strings in sections:
        if kind != SHT_GNU_VERNEED:
            continue
        texts = sections[strings][1]
        while True:
            _, count, _, first, following = struct.unpack_from("<HHIII", data, offset)
            entry = offset + first
            for _ in range(count):
                _, _, number, name, step = struct.unpack_from("<IHHII", data, entry)
                text = bytes(data[texts + name:data.index(b"\0", texts + name)]).decode()
                version = text.partition("GLIBC_")[2]
                if version[:1].isdigit() and tuple(map(int, version.split("."))) > newest:
                    found[number] = entry + 4
                entry += step
            if following == 0:
                break
            offset += following
    return found


def loosen(data, newest):
    """Changes `data`, and returns the names of the functions whose versions are off."""
    sections = sections_of(data)
    newer = newer_versions(data, sections, newest)
    names = []
    for section in sections:
        kind, offset, size, _ = section
        if kind != SHT_GNU_VERSYM:
            continue
        for place in range(offset, offset + size, 2):
            if struct.unpack_from("<H", data, place)[0] & 0x7FFF in newer:
                struct.pack_into("<H", data, place, VER_NDX_GLOBAL)
                names.append(symbol_name(data, sections, section, (place - offset) // 2))
    for place in newer.values():
        # The loader does not insist on a version that is marked so.
        struct.pack_into("<H", data, place, struct.unpack_from("<H", data, place)[0] | VER_FLG_WEAK)
    return names


if __name__ == "__main__":
    bound = tuple(map(int, sys.argv[1].split(".")))
    for argument in sys.argv[2:]:
        path = pathlib.Path(argument)
        content = bytearray(path.read_bytes())
        loosened = loosen(content, bound)
        if loosened:
            path.write_bytes(content)
            print("\n".join(loosened))
