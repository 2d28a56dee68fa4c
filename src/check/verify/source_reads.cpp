#include "check/verify/source_reads.hpp"

#include <algorithm>
#include <filesystem>

namespace shardmill::check {

namespace {

std::string absolute(const std::string& path) {
  if (path.empty()) return path;
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

void SourceReads::add(const std::vector<manifest::RunRecord::Input>& inputs) {
  std::map<std::string, std::vector<Seen>> here;
  for (const manifest::RunRecord::Input& input : inputs) {
    auto& all = here[absolute(input.path)];
    const Seen now{.dataset = input.dataset, .bytes = input.bytes, .mtime_ns = input.mtime_ns, .times = 1};
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Seen& seen) { return seen.is_same(now); });
    if (same == all.end()) {
      all.push_back(now);
    } else {
      ++same->times;
      std::rotate(same, same + 1, all.end());  // those that were read last are last
    }
  }
  for (auto& [path, reads] : here) {
    auto& all = files_[path];
    for (const Seen& read : reads) {
      const auto same =
          std::find_if(all.begin(), all.end(), [&](const Seen& seen) { return seen.is_same(read); });
      // The run that made all datasets read it once; whatever is more was added to one of them.
      const bool is_new = same == all.end();
      if (is_new) {
        all.push_back(read);
      } else {
        same->times += read.times - 1;
      }
      has_repeats_ = has_repeats_ || read.times > 1 || all.size() > 1;
    }
  }
}

Reads SourceReads::of(const File& file) const {
  static const std::vector<Seen> kNeverRead;
  const auto found = files_.find(absolute(file.path));
  if (found == files_.end() && file.read_with.empty()) return {};
  const auto is_for_it = [&](const Seen& seen) {
    return file.dataset.empty() || seen.dataset == file.dataset;
  };
  // What has the same size is the same file as long as its time is the same, too, or it was copied since.
  std::int64_t mtime_ns = file.mtime_ns;
  const auto is_as_now = [&](const Seen& seen) {
    return seen.bytes == file.bytes && seen.mtime_ns == mtime_ns;
  };
  const auto& all = found == files_.end() ? kNeverRead : found->second;
  if (std::none_of(all.begin(), all.end(), is_as_now)) {
    for (const Seen& seen : all)
      if (seen.bytes == file.bytes) mtime_ns = seen.mtime_ns;
  }
  Reads reads{.sure = 0, .unsure = 0};
  for (const Seen& seen : all) {
    if (is_for_it(seen)) (is_as_now(seen) ? reads.sure : reads.unsure) += seen.times;
  }
  if (reads.sure == 0 && reads.unsure == 0 && file.read_with.empty()) return {};
  // A sample that is in the file now was surely read once.
  const std::uint32_t sure = file.is_told_elsewhere ? 1 : std::max<std::uint32_t>(reads.sure, 1);
  std::uint32_t all_reads = reads.sure + reads.unsure;
  if (const auto other = files_.find(absolute(file.read_with));
      !file.read_with.empty() && other != files_.end()) {
    std::uint32_t times = 0;
    for (const Seen& seen : other->second) times += is_for_it(seen) ? seen.times : 0;
    all_reads = std::max(all_reads, times);
  }
  return {.sure = sure, .unsure = std::max(all_reads, sure) - sure};
}

}  // namespace shardmill::check
