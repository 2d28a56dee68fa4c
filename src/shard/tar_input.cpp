#include "shard/tar_input.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "archive/tar_header.hpp"
#include "base/error.hpp"
#include "codec/file_facts.hpp"
#include "parquet/file_metadata.hpp"
#include "shard/parquet/keys.hpp"

namespace shardmill::shard {

bool is_parquet(const base::File& file) {
  std::array<std::byte, archive::kTarBlockBytes> buffer{};
  const auto first = std::span<const std::byte>(buffer).first(file.read_at(buffer, 0));
  if (!parquet::has_parquet_magic(first)) return false;
  // The first member of a tar may be called PAR1.
  return first.size() < buffer.size() || !archive::read_header(buffer);
}

std::unique_ptr<codec::PieceReader> open_tar(base::File& file, codec::TrailingSink on_trailing,
                                             const codec::RestartPoint& from) {
  if (file.is_regular() && is_parquet(file)) return open_parquet(file, from);
  return codec::open(file, std::move(on_trailing), from);
}

std::uint64_t estimate_tar_bytes(const base::File& file) {
  if (!is_parquet(file)) return codec::estimate_plain_bytes(file);
  constexpr std::uint64_t kHeadBytes = 2048;        // a header and padding for each of three members
  constexpr std::uint64_t kMostTimesLarger = 1100;  // as for other forms, whatever the file claims
  try {
    const parquet::FileMetadata metadata = parquet::read_file_metadata(file);
    const std::uint64_t most = kMostTimesLarger * file.size();
    std::uint64_t bytes = 0;
    for (const parquet::RowGroup& group : metadata.groups) {
      for (const parquet::Chunk& chunk : group.chunks) bytes += std::min(chunk.plain_bytes, most);
      bytes += std::min(group.rows, most) * kHeadBytes;
      bytes = std::min(bytes, most);
    }
    return bytes;
  } catch (const Error&) {
    return file.size();  // The damage is reported when it is read.
  }
}

ParquetFacts parquet_facts(const base::File& file) {
  const parquet::FileMetadata metadata = parquet::read_file_metadata(file);
  try {
    const ParquetColumns chosen = choose_columns(metadata);
    ParquetFacts facts{.columns = {}, .left_out = chosen.left_out};
    for (const std::size_t node : chosen.others) facts.columns.push_back(metadata.nodes[node].name);
    if (chosen.text) facts.text = facts.columns[*chosen.text];
    return facts;
  } catch (const Error& error) {
    throw error.within(at(file.path()));
  }
}

}  // namespace shardmill::shard
