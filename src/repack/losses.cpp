#include "repack/losses.hpp"

#include <algorithm>
#include <set>

#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"

namespace shardmill::repack {

Losses losses_in(const std::string& rejects_path) {
  Losses losses;
  std::set<std::string> unknown;
  bool has_error = false;
  manifest::RecordReader reader(rejects_path);
  for (manifest::Reject reject; reader.next(reject);) {
    if (!manifest::is_error(reject.reason)) continue;
    has_error = true;
    if (reject.samples_unknown) {
      unknown.insert(reject.source);
    } else {
      losses.samples += reject.samples.value_or(1);
    }
  }
  losses.unknown_files = unknown.size();
  // Even when damage hit no sample, it would be wrong to say that all is well.
  if (has_error && losses.unknown_files == 0) losses.samples = std::max<std::uint64_t>(losses.samples, 1);
  return losses;
}

Losses losses_of_last_run(const manifest::DatasetRecord& dataset, const std::string& rejects_path) {
  if (dataset.updates.empty()) return losses_in(rejects_path);
  return {.samples = dataset.updates.back().lost, .unknown_files = dataset.updates.back().lost_files};
}

bool is_within(const Losses& losses, std::uint64_t max_rejects) {
  if (max_rejects == kAnyNumber) return true;
  return losses.unknown_files == 0 && losses.samples <= max_rejects;
}

}  // namespace shardmill::repack
