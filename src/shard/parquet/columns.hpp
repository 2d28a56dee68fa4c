// ParquetColumns: which columns of a Parquet file hold the audio, the transcript, the speaker and the keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parquet/file_metadata.hpp"

namespace shardmill::shard {

struct ParquetColumns {
  std::size_t audio = 0;              // the leaf with the bytes
  std::optional<std::size_t> path{};  // the leaf beside it with the name of the file
  std::vector<std::size_t> others{};  // nodes: the columns of the table that become facts
  std::optional<std::size_t> text{};  // of `others`: the transcript
  std::optional<std::size_t>
      speaker{};                    // of `others`: a column that means the speaker and is called otherwise
  std::vector<std::size_t> keys{};  // leaves that may be the key, the best first
  std::vector<std::string> left_out{};  // columns of images and of other audio
};

/// Throws Error, without a place, if no column holds audio, or several do.
ParquetColumns choose_columns(const parquet::FileMetadata& metadata);

}  // namespace shardmill::shard
