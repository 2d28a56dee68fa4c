// Parquet files: whatever the file holds gives a tar without any fault, or an Error with its place; and a
// reader that begins in the middle gives the same bytes from there on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "memory_file.hpp"
#include "shard/tar_input.hpp"

namespace {

using namespace shardmill;

// A few bytes can stand for billions of rows.
constexpr std::size_t kMostPlainBytes = std::size_t{1} << 20;

class NoFindings final : public archive::TarSink {
 public:
  void on_member(archive::TarMember&&) override {}
  void on_finding(ShardFinding&&) override { std::abort(); }
};

struct Read {
  std::vector<std::byte> bytes;
  bool is_whole = false;  // no damage, and the end was reached
};

/// From a restart point on. Puts that of the piece in the middle of what it reads into `middle`, with its
/// place.
Read read_all(base::File& file, const codec::RestartPoint& from, codec::RestartPoint* middle,
              std::size_t* middle_offset) {
  Read read;
  const auto pieces = shard::open_tar(file, {}, from);
  std::size_t number = 0;
  while (const auto piece = pieces->next()) {
    if (middle != nullptr && number++ == 1) {
      *middle = piece->restart_point();
      *middle_offset = read.bytes.size();
    }
    piece->prepare();
    for (;;) {
      const auto bytes = piece->read();
      if (bytes.empty()) break;
      read.bytes.insert(read.bytes.end(), bytes.begin(), bytes.end());
      if (read.bytes.size() > kMostPlainBytes) return read;
    }
  }
  read.is_whole = true;
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::File file = shardmill::testing::memory_file(std::as_bytes(std::span(data, size)));
  if (!shard::is_parquet(file)) return 0;
  try {
    codec::RestartPoint middle;
    std::size_t offset = 0;
    const Read whole = read_all(file, {}, &middle, &offset);
    if (!whole.is_whole) return 0;
    NoFindings sink;
    archive::TarParser parser(sink, std::uint64_t{1} << 30);
    parser.feed(whole.bytes);
    parser.finish();
    if (middle.empty()) return 0;
    const Read rest = read_all(file, middle, nullptr, nullptr);
    const auto expected = std::span(whole.bytes).subspan(offset);
    if (!std::equal(rest.bytes.begin(), rest.bytes.end(), expected.begin(), expected.end())) std::abort();
  } catch (const Error& error) {
    if (error.where().path.empty()) std::abort();
  }
  return 0;
}
