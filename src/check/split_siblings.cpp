#include "check/split_siblings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "check/separate_splits.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/split_record.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::check {

namespace {

/// The manifests of a dataset of the split. All must be there: a sample that they do not tell of could be in
/// two datasets.
std::vector<std::string> manifests_to_read(const std::string& folder) {
  const std::string record = folder + "/" + std::string(manifest::kDataset);
  if (!base::may_exist(record)) {
    throw Error(fmt::format("is a dataset of the same split and has no {}, so its samples are not known",
                            manifest::kDataset),
                at(folder), "nothing was changed; finish or restore that dataset, then update this one");
  }
  std::vector<std::string> paths{folder + "/" + std::string(manifest::kAllSamples)};
  if (manifest::read_dataset_record(record).pending)
    paths.push_back(folder + "/" + std::string(manifest::kPendingManifest));
  return paths;
}

}  // namespace

base::Xxh128 hash_of_speaker(const std::string& dataset, const std::string& speaker) {
  return base::xxh3_128(base::as_bytes(dataset + '\n' + speaker));
}

bool is_by_speaker(const std::string& root) {
  return manifest::read_split_record(root + "/" + std::string(manifest::kSplit)).by == "speaker";
}

SplitSiblings::SplitSiblings(const std::string& root, const std::string& own, base::Reporter& reporter)
    : by_speaker_(is_by_speaker(root)) {
  for (const std::string& name : manifest::split_names(root)) {
    const std::string folder = root + "/" + name;
    if (name == own) continue;
    names_.push_back(name);
    for (const std::string& path : manifests_to_read(folder)) add(path, reporter);
  }
}

std::optional<SplitSiblings> SplitSiblings::of(const std::string& folder, base::Reporter& reporter) {
  const std::string root = split_root_of(folder);
  if (root.empty()) return std::nullopt;
  const std::string own = std::filesystem::path(base::canonical(folder)).filename().string();
  return SplitSiblings(root, own, reporter);
}

void SplitSiblings::add(const std::string& path, base::Reporter& reporter) {
  manifest::RecordReader reader(path);
  for (manifest::WholeSampleRecord record; reader.next(record);) {
    reporter.check_stop();
    keys_.insert(record.key);
    if (by_speaker_)
      speakers_.emplace(hash_of_speaker(record.dataset, shard::speaker_in(record.facts)), names_.size() - 1);
  }
}

void SplitSiblings::check(const manifest::SampleRecord& record) const {
  const Where where{.path = record.source, .member = record.source_key};
  constexpr std::string_view kAdvice =
      "nothing was changed; leave such samples out of what is added, or add all of them there";
  if (keys_.contains(record.key))
    throw Error(fmt::format("{} has a sample of this key, too", fmt::join(names_, " or ")), where,
                std::string(kAdvice));
  if (!by_speaker_) return;
  const std::string speaker = shard::speaker_in(record.facts);
  if (speaker.empty()) {
    throw Error(fmt::format("its speaker {}, and no speaker may be in two datasets of the split",
                            shard::why_no_speaker(record.facts)),
                where, "nothing was changed");
  }
  const auto known = speakers_.find(hash_of_speaker(record.dataset, speaker));
  if (known == speakers_.end()) return;
  throw Error(
      fmt::format("its speaker {} of {} is in {}, too, and no speaker may be in two datasets of the split",
                  printable(speaker), printable(record.dataset), names_[known->second]),
      where, std::string(kAdvice));
}

void SplitSiblings::check(const std::vector<std::string>& manifests, base::Reporter& reporter) const {
  for (const std::string& path : manifests) {
    manifest::RecordReader reader(path);
    for (manifest::WholeSampleRecord record; reader.next(record);) {
      reporter.check_stop();
      check(record);
    }
  }
}

}  // namespace shardmill::check
