// bzip2_oracle: decodes a file as the bzip2 program does, with the same loop around libbz2. But zeros between
// streams and after the last one are padding to it, as they are to the reader.
#pragma once

#include <bzlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::codec::testing {

struct Bzip2Verdict {
  bool accepted = false;
  bool garbage = false;  // trailing, ignored
  std::string plain;     // of whole streams, when not accepted
};

inline int decode_stream(bz_stream& stream, std::string& plain) {
  std::vector<char> chunk(std::size_t{1} << 16);
  for (;;) {
    stream.next_out = chunk.data();
    stream.avail_out = static_cast<unsigned>(chunk.size());
    const int code = BZ2_bzDecompress(&stream);
    plain.append(chunk.data(), chunk.size() - stream.avail_out);
    if (code == BZ_OK && stream.avail_in == 0 && stream.avail_out > 0) return BZ_UNEXPECTED_EOF;
    if (code != BZ_OK) return code;
  }
}

inline Bzip2Verdict bzip2_verdict(std::string_view file) {
  Bzip2Verdict verdict;
  for (bool first = true;; first = false) {
    std::string input(file);
    bz_stream stream{};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::runtime_error("no memory for libbz2");
    stream.next_in = input.data();
    stream.avail_in = static_cast<unsigned>(input.size());
    std::string plain;
    const int code = decode_stream(stream, plain);
    const std::size_t left = stream.avail_in;
    BZ2_bzDecompressEnd(&stream);
    if (code == BZ_DATA_ERROR_MAGIC && !first) verdict.garbage = verdict.accepted = true;
    if (code != BZ_STREAM_END) return verdict;
    verdict.plain += plain;
    file = file.substr(file.size() - left);
    file.remove_prefix(std::min(file.find_first_not_of('\0'), file.size()));
    verdict.accepted = file.empty();
    if (verdict.accepted) return verdict;
  }
}

/// Puts the low `bits` bits of `value` at bit `position`.
inline void put_bits(std::string& bytes, std::uint64_t position, std::uint64_t value, unsigned bits) {
  for (unsigned i = bits; i-- > 0; ++position) {
    const unsigned mask = 0x80U >> position % 8;
    char& byte = bytes[position / 8];
    const unsigned cleared = static_cast<unsigned char>(byte) & ~mask;
    byte = static_cast<char>((value >> i & 1) != 0 ? cleared | mask : cleared);
  }
}

}  // namespace shardmill::codec::testing
