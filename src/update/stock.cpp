#include "update/stock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/letters.hpp"
#include "check/separate_splits.hpp"
#include "codec/file_facts.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/utterance.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::update {

namespace {

constexpr std::string_view kRepairAdvice = "shardmill repair makes damaged files of a dataset again";

bool is_plain(const std::string& path) {
  return codec::codec_of(base::File::open_read(path)) == codec::Codec::none;
}

Bytes bytes_at(const base::File& file, std::uint64_t begin, std::uint64_t bytes) {
  Bytes all(static_cast<std::size_t>(bytes));
  if (file.read_at(all, begin) != all.size())
    throw Error("ends too early", Where{.path = file.path(), .offset = begin}, std::string(kRepairAdvice));
  return all;
}

/// "a1" of "a1.tar.wav": keys that shardmill writes have no dots.
std::string_view key_of(std::string_view member) {
  return member.substr(0, member.find('.'));
}

}  // namespace

std::uint32_t Stock::number_of(const std::string& dataset) {
  const auto found = std::find(datasets_.begin(), datasets_.end(), dataset);
  const auto number = static_cast<std::uint32_t>(found - datasets_.begin());
  if (found == datasets_.end()) datasets_.push_back(dataset);
  return number;
}

std::vector<std::uint32_t> Stock::samples_of_shard(std::uint32_t shard) const {
  std::vector<std::uint32_t> samples;
  const auto found = store_of_shard_.find(shard);
  if (found == store_of_shard_.end()) return samples;
  for (std::uint32_t i = stores_[found->second].first_sample;
       i < samples_.size() && samples_[i].store == found->second; ++i) {
    if (!samples_[i].is_removed) samples.push_back(i);
  }
  return samples;
}

void Stock::remove(const manifest::WholeSampleRecord& record, const Removal& removal) {
  ++removed_.samples;
  removed_.duration += pipeline::duration_of(record.audio);
  manifest::Reject reject;
  reject.dataset = record.dataset;
  reject.source = record.source;
  reject.key = record.source_key;
  if (removal.takes_speaker_of(record)) reject.speaker = shard::speaker_in(record.facts);
  reject.audio = pipeline::source_audio(record);
  reject.reason = manifest::RejectReason::removed;
  reject.problem = fmt::format("was removed from the dataset, where its key was '{}'", record.key);
  removed_.rejects.push_back(std::move(reject));
}

void Stock::add(Store store, const Removal* removed) {
  const auto number = static_cast<std::uint32_t>(stores_.size());
  store.first_sample = static_cast<std::uint32_t>(samples_.size());
  base::LineReader lines(store.manifest);
  base::JsonParser parser;
  manifest::WholeSampleRecord record;
  std::uint64_t begin = 0;
  for (std::string_view line; lines.next(line);) {
    const auto bytes = static_cast<std::uint32_t>(line.size());
    try {
      read_record(parser.parse(line), record);
    } catch (const Error& error) {
      throw lines.here(error);
    }
    const bool is_removed = removed != nullptr && removed->takes(record);
    if (is_removed) remove(record, *removed);
    samples_.push_back(
        {.store = number,
         .held = {.dataset = number_of(record.dataset), .duration = pipeline::duration_of(record.audio)},
         .key = base::xxh3_128(base::as_bytes(record.key)),
         .line_begin = begin,
         .line_bytes = bytes,
         .is_removed = is_removed});
    begin += bytes + 1;
  }
  if (store.shard != kNoShard) store_of_shard_[store.shard] = number;
  stores_.push_back(std::move(store));
}

// All members of a sample stand together, the audio where the manifest says.
std::vector<Stock::Located> Stock::places_in(std::uint32_t store, std::size_t first, std::size_t end) const {
  const base::File tar = base::File::open_read(stores_[store].tar);
  const base::File lines = base::File::open_read(stores_[store].manifest);
  const archive::TarWalk walk = archive::walk_tar(tar);
  std::unordered_map<std::uint64_t, std::size_t> by_offset;
  for (std::size_t i = 0; i < walk.files.size(); ++i) by_offset.emplace(walk.files[i].offset, i);
  std::vector<Located> places;
  base::JsonParser parser;
  manifest::SampleRecord record;
  for (std::size_t i = first; i < end; ++i) {
    const Bytes line = bytes_at(lines, samples_[i].line_begin, samples_[i].line_bytes);
    read_record(parser.parse(base::as_text(line)), record);
    const auto audio = by_offset.find(record.tar_offset);
    if (audio == by_offset.end() || walk.files[audio->second].bytes != record.audio_bytes ||
        key_of(walk.files[audio->second].name) != record.key) {
      throw Error(fmt::format("has no audio of '{}' where its manifest says", printable(record.key)),
                  Where{.path = tar.path(), .offset = record.tar_offset}, std::string(kRepairAdvice));
    }
    const auto is_of_sample = [&](std::size_t file) { return key_of(walk.files[file].name) == record.key; };
    std::size_t from = audio->second;
    while (from > 0 && is_of_sample(from - 1)) --from;
    std::size_t to = audio->second + 1;
    while (to < walk.files.size() && is_of_sample(to)) ++to;
    Located place{.begin = walk.files[from].header_offset};
    place.bytes = (to < walk.files.size() ? walk.files[to].header_offset : walk.end_offset) - place.begin;
    place.has_text = record.text && !record.text->empty();
    for (std::size_t file = from; file < to; ++file)
      place.has_text |= walk.files[file].name == record.key + ".txt" && walk.files[file].bytes != 0;
    places.push_back(place);
  }
  return places;
}

void Stock::locate(const std::string& scratch, pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<std::size_t> begins(stores_.size() + 1, samples_.size());
  for (std::size_t i = samples_.size(); i-- > 0;) begins[samples_[i].store] = i;
  for (std::size_t store = stores_.size(); store-- > 0;)
    begins[store] = std::min(begins[store], begins[store + 1]);
  workers.for_each(stores_.size(), [&](std::size_t index) {
    reporter.check_stop();
    Store& store = stores_[index];
    if (begins[index] == begins[index + 1] || skipped_.contains(store.shard)) return;
    if (!is_plain(store.tar)) {
      base::File packed = base::File::open_read(store.tar);
      base::make_folders(scratch);
      const std::string path = fmt::format("{}/{}.tar", scratch, index);
      base::File plain = base::File::create(path);
      pipeline::decode(packed, workers, reporter, [&](std::span<const std::byte> bytes) {
        plain.write(bytes);
        return true;
      });
      plain.close();
      store.tar = path;
    }
    const auto places = places_in(static_cast<std::uint32_t>(index), begins[index], begins[index + 1]);
    for (std::size_t i = 0; i < places.size(); ++i) {
      StockSample& sample = samples_[begins[index] + i];
      sample.begin = places[i].begin;
      sample.bytes = places[i].bytes;
      sample.has_text = places[i].has_text;
    }
  });
}

Stock::Read Stock::read(const StockSample& sample) const {
  const Store& store = stores_[sample.store];
  const Bytes line = bytes_at(base::File::open_read(store.manifest), sample.line_begin, sample.line_bytes);
  Read read;
  base::JsonParser parser;
  read_record(parser.parse(base::as_text(line)), read.record);
  read.packed = bytes_at(base::File::open_read(store.tar), sample.begin, sample.bytes);
  const auto audio = std::span<const std::byte>(read.packed)
                         .subspan(read.record.tar_offset - sample.begin, read.record.audio_bytes);
  if (base::xxh3_128(audio) != read.record.xxh3) {
    throw Error("its audio is not what the manifest says: the shard is damaged",
                {.path = store.tar, .member = read.record.audio_filepath}, std::string(kRepairAdvice));
  }
  return read;
}

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

std::shared_ptr<shard::KeySet> withheld_from(const std::string& folder, const Removal* removal,
                                             bool keys_are_shared, base::Reporter& reporter) {
  std::vector<std::string> folders = check::siblings_of(folder);
  folders.push_back(folder);
  pipeline::RemovedBefore before;
  for (const std::string& each : folders) {
    pipeline::RemovedBefore own =
        pipeline::removed_before(base::inside(each, manifest::kRejects), keys_are_shared);
    std::move(own.samples.begin(), own.samples.end(), std::back_inserter(before.samples));
    before.speakers.merge(own.speakers);
  }
  for (const std::string& each : folders) {
    if (before.speakers.empty()) break;
    for (const std::string& manifest : check::manifests_of(each)) {
      reporter.check_stop();
      manifest::RecordReader reader(manifest);
      for (manifest::WholeSampleRecord record; reader.next(record);)
        before.speakers.erase(pipeline::withheld_speaker(record.dataset, shard::speaker_in(record.facts)));
    }
  }
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
