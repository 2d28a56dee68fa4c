// Any bytes, opened as whatever they seem to be: errors are fine; crashes, endless work and lost bytes are
// not.
#include <cstdlib>

#include "codec/codec.hpp"
#include "memory_file.hpp"

namespace {

using namespace shardmill;

constexpr std::size_t kMaxSpanBytes = std::size_t{4} << 20;
constexpr std::uint64_t kEnoughBytes = std::uint64_t{64} << 20;  // bombs are let go there

void require(bool condition) {
  if (!condition) std::abort();
}

/// False when there is more than is worth reading.
bool read_piece(codec::Piece& piece, std::uint64_t& plain_bytes) {
  for (;;) {
    try {
      for (auto bytes = piece.read(); !bytes.empty(); bytes = piece.read()) {
        require(bytes.size() <= kMaxSpanBytes);
        plain_bytes += bytes.size();
        if (plain_bytes > kEnoughBytes) return false;
      }
      return true;
    } catch (const Error& error) {
      require(!error.problem().empty() && error.where().path == "fuzz");
      if (piece.goes_on_after_damage()) continue;
      require(piece.read().empty());
      return true;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto first = bytes.first(std::min(size, codec::kDetectBytes));
  if (codec::detect(first) == codec::Codec::none) require(codec::detect(bytes) == codec::Codec::none);

  base::File file = testing::memory_file(bytes);
  const auto reader =
      codec::open(file, [](const Error& trailing) { require(trailing.where().offset.has_value()); });
  std::uint64_t compressed_bytes = 0;
  std::uint64_t plain_bytes = 0;
  while (const auto piece = reader->next()) {
    compressed_bytes += piece->compressed_bytes();
    if (size % 2 == 0) piece->prepare();
    if (!read_piece(*piece, plain_bytes)) return 0;
  }
  require(compressed_bytes == size);
  return 0;
}
