// SplitSiblings: what must not be added to one dataset of a split, because the other datasets have it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/reporter.hpp"
#include "manifest/sample_record.hpp"
#include "shard/key_set.hpp"

namespace shardmill::check {

/// The speaker of a dataset: the same name in another dataset is another speaker.
base::Xxh128 hash_of_speaker(const std::string& dataset, const std::string& speaker);
/// True when the folder `root` was split by speaker.
bool is_by_speaker(const std::string& root);

class SplitSiblings {
 public:
  /// nullopt when the dataset in `folder` is none of a split. Throws Error when another dataset of the split
  /// is not whole, or its split.json cannot be read.
  static std::optional<SplitSiblings> of(const std::string& folder, base::Reporter& reporter);

  /// Throws Error when another dataset has its key or its speaker, or when its speaker is not known and has
  /// to be.
  void check(const manifest::SampleRecord& record) const;
  /// The same for all samples of some manifests.
  void check(const std::vector<std::string>& manifests, base::Reporter& reporter) const;

 private:
  SplitSiblings(const std::string& root, const std::string& own, base::Reporter& reporter);
  void add(const std::string& path, base::Reporter& reporter);

  bool by_speaker_;
  std::vector<std::string> names_;
  shard::KeySet keys_;
  std::map<base::Xxh128, std::size_t> speakers_;  // and the dataset of each
};

}  // namespace shardmill::check
