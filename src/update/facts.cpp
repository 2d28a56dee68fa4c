#include "update/facts.hpp"

#include <fmt/format.h>

#include <mutex>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/units.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"

namespace shardmill::update {

namespace {

class FactsReader {
 public:
  FactsReader(const pipeline::KeyList* removed, Facts& facts)
      : removed_(removed), found_(removed == nullptr ? 0 : removed->size(), false), facts_(facts) {}

  /// Returns whether the manifest has a sample that is to be removed.
  bool read(const std::string& path, check::ShardContents& contents) {
    std::vector<base::Xxh128> staying;
    std::vector<std::size_t> leaving;
    manifest::RecordReader reader(path);
    for (manifest::SampleRecord record; reader.next(record);) {
      contents.add(record);
      const auto number = removed_ == nullptr ? std::nullopt : removed_->find(record.key);
      if (number) {
        leaving.push_back(*number);
      } else {
        staying.push_back(contents.keys.back());
      }
      contents.keys.clear();
    }
    contents.keys.shrink_to_fit();
    const std::lock_guard lock(mutex_);
    for (const base::Xxh128& key : staying) facts_.keys->insert(key);
    for (const std::size_t number : leaving) found_[number] = true;
    return !leaving.empty();
  }

  /// Throws Error, which names a few of them, when no manifest has some of the keys.
  void check_all_found(const std::string& path) const {
    constexpr std::size_t kShown = 3;
    std::size_t missing = 0;
    std::string shown;
    if (removed_ == nullptr) return;
    std::vector<bool> told(found_.size(), false);
    pipeline::for_each_key(path, [&](std::string_view key) {
      const auto number = removed_->find(key);
      if (!number || found_[*number] || told[*number]) return;
      told[*number] = true;
      if (++missing <= kShown)
        shown += fmt::format("{}'{}'", shown.empty() ? "" : ", ", printable(std::string(key)));
    });
    if (missing == 0) return;
    throw Error(fmt::format("names {} that the dataset does not have: {}{}",
                            base::format_count(missing, "key"), shown, missing > kShown ? " and more" : ""),
                at(path), "nothing was removed; give keys as the manifests have them");
  }

 private:
  const pipeline::KeyList* removed_;
  std::vector<bool> found_;  // by number of the key
  Facts& facts_;
  std::mutex mutex_;
};

}  // namespace

check::ShardContents contents_of(const std::string& manifest) {
  check::ShardContents contents;
  manifest::RecordReader reader(manifest);
  for (manifest::SampleRecord record; reader.next(record); contents.keys.clear()) contents.add(record);
  return contents;
}

std::shared_ptr<pipeline::SoundSet> sounds_of(const dataset::DatasetRecords& records,
                                              const pipeline::KeyList* removed, const std::string& path,
                                              base::Reporter& reporter) {
  base::remove_file(path);
  auto sounds = std::make_shared<pipeline::SoundSet>(path);
  const auto add = [&](const std::string& manifest) {
    reporter.check_stop();
    manifest::RecordReader reader(manifest);
    for (manifest::SampleRecord record; reader.next(record);) {
      if (removed != nullptr && removed->contains(record.key)) continue;
      if (!record.sound_xxh3)
        throw Error(fmt::format("has no sound_xxh3 of '{}', so new audio cannot be compared with it",
                                printable(record.key)),
                    at(manifest));
      sounds->insert(*record.sound_xxh3, record.key);
    }
  };
  for (std::uint64_t shard = 0; shard < records.shards->size(); ++shard) add(manifest_path(records, shard));
  if (records.dataset->pending) add(records.path(manifest::kPendingManifest));
  return sounds;
}

std::string manifest_path(const dataset::DatasetRecords& records, std::uint64_t shard) {
  return records.path(manifest::manifest_path(shard));
}

Facts read_facts(const dataset::DatasetRecords& records, const pipeline::KeyList* removed,
                 const std::string& path, pipeline::Workers& workers, base::Reporter& reporter) {
  Facts facts;
  facts.keys = std::make_shared<shard::KeySet>();
  facts.shards.resize(records.shards->size());
  FactsReader reader(removed, facts);
  std::vector<char> has_removed(facts.shards.size(), 0);
  workers.for_each(facts.shards.size(), [&](std::size_t shard) {
    reporter.check_stop();
    has_removed[shard] = reader.read(manifest_path(records, shard), facts.shards[shard]) ? 1 : 0;
  });
  for (std::uint32_t shard = 0; shard < has_removed.size(); ++shard) {
    if (has_removed[shard] != 0) facts.with_removed.push_back(shard);
  }
  if (records.dataset->pending)
    facts.pending_with_removed = reader.read(records.path(manifest::kPendingManifest), facts.pending);
  reader.check_all_found(path);
  return facts;
}

}  // namespace shardmill::update
