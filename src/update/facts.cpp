#include "update/facts.hpp"

#include <fmt/format.h>

#include <mutex>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "pipeline/known_samples.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::update {

namespace {

class FactsReader {
 public:
  FactsReader(Removal* removal, Facts& facts) : removal_(removal), facts_(facts) {}

  /// Returns whether the manifest has a sample that is to be removed.
  bool read(const std::string& path, check::ShardContents& contents) {
    std::vector<base::Xxh128> staying;
    bool has_leaving = false;
    manifest::RecordReader reader(path);
    for (manifest::WholeSampleRecord record; reader.next(record);) {
      contents.add(record);
      if (removal_ != nullptr && removal_->find(record)) {
        has_leaving = true;
      } else {
        staying.push_back(contents.keys.back());
        staying.push_back(base::xxh3_128(base::as_bytes(pipeline::known_sample(record))));
      }
      contents.keys.clear();
    }
    contents.keys.shrink_to_fit();
    const std::lock_guard lock(mutex_);
    for (const base::Xxh128& key : staying) facts_.keys->insert(key);
    return has_leaving;
  }

 private:
  Removal* removal_;
  Facts& facts_;
  std::mutex mutex_;
};

}  // namespace

std::shared_ptr<pipeline::SoundSet> sounds_of(const dataset::DatasetRecords& records, const Removal* removed,
                                              const std::string& path, base::Reporter& reporter) {
  base::remove_file(path);
  auto sounds = std::make_shared<pipeline::SoundSet>(path);
  const auto add = [&](const std::string& manifest) {
    reporter.check_stop();
    manifest::RecordReader reader(manifest);
    for (manifest::WholeSampleRecord record; reader.next(record);) {
      if (removed != nullptr && removed->takes(record)) continue;
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

std::shared_ptr<shard::KeySet> withheld_from(const dataset::DatasetRecords& records, const Removal* removal,
                                             base::Reporter& reporter) {
  pipeline::RemovedBefore before = pipeline::removed_before(records.path(manifest::kRejects));
  const auto take_out_present = [&](const std::string& manifest) {
    reporter.check_stop();
    manifest::RecordReader reader(manifest);
    for (manifest::WholeSampleRecord record; reader.next(record);)
      before.speakers.erase(pipeline::withheld_speaker(record.dataset, shard::speaker_in(record.facts)));
  };
  for (std::uint64_t shard = 0; shard < records.shards->size() && !before.speakers.empty(); ++shard)
    take_out_present(manifest_path(records, shard));
  if (records.dataset->pending) take_out_present(records.path(manifest::kPendingManifest));
  auto withheld = std::make_shared<shard::KeySet>();
  for (const std::string& sample : before.samples) withheld->insert(sample);
  for (const std::string& speaker : before.speakers) withheld->insert(speaker);
  if (removal != nullptr) {
    for (const auto& [dataset, speaker] : removal->found_speakers())
      withheld->insert(pipeline::withheld_speaker(dataset, speaker));
  }
  return withheld;
}

std::string manifest_path(const dataset::DatasetRecords& records, std::uint64_t shard) {
  return records.path(manifest::manifest_path(shard));
}

Facts read_facts(const dataset::DatasetRecords& records, Removal* removal, pipeline::Workers& workers,
                 base::Reporter& reporter) {
  Facts facts;
  facts.keys = std::make_shared<shard::KeySet>();
  facts.shards.resize(records.shards->size());
  FactsReader reader(removal, facts);
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
  return facts;
}

}  // namespace shardmill::update
