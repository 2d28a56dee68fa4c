#include "source/estimate.hpp"

#include <algorithm>

#include "base/io/file.hpp"
#include "codec/file_facts.hpp"

namespace shardmill::source {

namespace {

constexpr std::size_t kMostFiles = 64;

}  // namespace

std::uint64_t estimate_tar_bytes(const std::vector<SourceFile>& files) {
  double all_bytes = 0;
  for (const SourceFile& file : files) all_bytes += static_cast<double>(file.bytes);
  const std::size_t looked_at = std::min(files.size(), kMostFiles);
  double file_bytes = 0;
  double tar_bytes = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    const base::File file = base::File::open_read(files[i * files.size() / looked_at].path);
    file_bytes += static_cast<double>(file.size());
    tar_bytes += static_cast<double>(codec::estimate_plain_bytes(file));
  }
  if (file_bytes == 0) return 0;
  return static_cast<std::uint64_t>(all_bytes * (tar_bytes / file_bytes));
}

}  // namespace shardmill::source
