#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/reporter.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/units.hpp"
#include "check/sample_account.hpp"
#include "codec/codec.hpp"
#include "dataset/recipe.hpp"
#include "dataset/records.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/read_through.hpp"
#include "repair/repair.hpp"
#include "source/source_file.hpp"
#include "source/source_set.hpp"

namespace shardmill::repair {

namespace fs = std::filesystem;

namespace {

/// A sample of a shard that is packed again.
struct WantedSample {
  manifest::SampleRecord record;
  std::size_t shard = 0;  // among those that are packed
  bool is_there = false;
};
using WantedSamples = std::vector<std::unique_ptr<WantedSample>>;

struct SourceToRead {
  source::SourceFile file;
  std::multimap<std::string, WantedSample*> wanted;  // by the key that the sample has in the file
};

struct SourcesToRead {
  std::vector<SourceToRead> files;
  std::vector<std::string> problems;  // why samples are in none of them
};

/// The hash of the source's audio that the sample was made of.
const base::Xxh128& hash_in_source(const manifest::SampleRecord& record) {
  return record.source_xxh3 ? *record.source_xxh3 : record.xxh3;
}

/// The channel of its source that the sample was made of; empty: all of them.
std::string channel_in(const manifest::SampleRecord& record) {
  const std::string facts = fmt::format("{{{}}}", record.facts);
  base::JsonParser parser;
  const auto channel = parser.parse(facts).find("source_channel");
  return channel ? std::string(channel->line()) : std::string();
}

/// Whether both were made of the same audio, and of the same channel of it.
bool has_same_origin(const manifest::SampleRecord& wanted, const manifest::SampleRecord& found,
                     bool splits_channels) {
  if (hash_in_source(wanted) != hash_in_source(found)) return false;
  const std::string channel = splits_channels ? channel_in(found) : std::string();
  return channel.empty() || channel == channel_in(wanted);
}

/// Finds the files that hold the samples of lost shards today, and the keys of the samples there.
class Search {
 public:
  Search(const dataset::Recipe& recipe, bool allow_commands, const WantedSamples& samples)
      : recipe_(recipe), allow_commands_(allow_commands) {
    for (const auto& sample : samples)
      missing_[sample->record.source].emplace(sample->record.source_key, sample.get());
  }

  SourcesToRead run(const std::vector<manifest::DatasetRecord::Source>& given) {
    for (const manifest::DatasetRecord::Source& each : given) look_into(each);
    // Only now it is known what the finished datasets do not have.
    for (source::SourceFile& file : others_) {
      const auto samples = missing_.find(file.path);
      if (samples != missing_.end()) read(std::move(file), samples);
    }
    if (!missing_.empty()) name_lost();
    while (!missing_.empty()) read_alone(missing_.begin());
    return std::move(found_);
  }

 private:
  using Missing = std::map<std::string, std::multimap<std::string, WantedSample*>>;

  /// Opens only those files that are wanted.
  void look_into(const manifest::DatasetRecord::Source& given) {
    try {
      pipeline::IntakeOptions intake = recipe_.intake;
      source::SourceSet set =
          source::find_sources({given.dataset + "=" + given.path},
                               {.on_unusable = source::OnUnusable::collect,
                                .allow_commands = allow_commands_,
                                .needed = [&](const std::string& path) { return missing_.contains(path); },
                                .tree = recipe_.intake.tree,
                                .labels = pipeline::read_labels(intake)});
      for (source::SourceDataset& dataset : set.datasets) {
        if (!dataset.parts.empty() || is_of_dataset(dataset)) datasets_.push_back(given.path);
        for (source::SourceFile& file : dataset.files) look_into(std::move(file));
      }
      for (const source::Unusable& one : set.unusable) {
        if (source::is_loss(one)) lost_files_.emplace_back(one.error.what());
      }
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      found_.problems.emplace_back(error.what());
    }
  }

  static bool is_of_dataset(const source::SourceDataset& dataset) {
    return !dataset.files.empty() && dataset.files.front().listing;
  }

  void look_into(source::SourceFile&& file) {
    if (!file.listing) {
      if (missing_.contains(file.path)) others_.push_back(std::move(file));
      return;
    }
    SourceToRead to_read{.file = std::move(file), .wanted = {}};
    manifest::RecordReader lines(to_read.file.listing->manifest);
    for (manifest::SampleRecord line; lines.next(line);) take_from(line, to_read);
    if (!to_read.wanted.empty()) found_.files.push_back(std::move(to_read));
  }

  /// The sample of another dataset, by its line there, serves all that were made of it.
  void take_from(const manifest::SampleRecord& line, SourceToRead& to_read) {
    const auto source = missing_.find(line.source);
    if (source == missing_.end()) return;
    auto [sample, end] = source->second.equal_range(line.source_key);
    while (sample != end) {
      const bool is_same = hash_in_source(sample->second->record) == hash_in_source(line);
      if (is_same) to_read.wanted.emplace(line.key, sample->second);
      sample = is_same ? source->second.erase(sample) : std::next(sample);
    }
    if (source->second.empty()) missing_.erase(source);
  }

  /// What is left was in a part of a finished dataset that is lost, or was taken out of it.
  void name_lost() {
    if (datasets_.empty()) return;
    for (std::string& problem : lost_files_) found_.problems.push_back(std::move(problem));
    const auto& [path, samples] = *missing_.begin();
    found_.problems.push_back(fmt::format("{}: has no sample any more that was made of '{}' in {}",
                                          datasets_.front(), samples.begin()->first, path));
  }

  void read(source::SourceFile&& file, Missing::iterator samples) {
    found_.files.push_back({.file = std::move(file), .wanted = std::move(samples->second)});
    missing_.erase(samples);
  }

  /// A shard of a source that is not whole any more.
  void read_alone(Missing::iterator samples) {
    std::error_code unknown;
    const std::string path = samples->first;
    if (fs::is_regular_file(path, unknown))
      return read({.path = path, .bytes = base::File::open_read(path).size()}, samples);
    found_.problems.push_back(path + " is not there any more");
    missing_.erase(samples);
  }

  const dataset::Recipe& recipe_;
  const bool allow_commands_;
  Missing missing_;  // samples that no file was found for, by their sources and the keys there
  std::vector<source::SourceFile> others_;  // files that are no shards of finished datasets
  std::vector<std::string> datasets_;       // finished ones among the sources
  std::vector<std::string> lost_files_;     // with their problems
  SourcesToRead found_;
};

/// Looks the samples up in what the dataset was made of, as it was given. A finished dataset among that gives
/// its own shards, wherever the samples came from before. Other files are found by the names that the
/// manifests have.
SourcesToRead find_sources_to_read(const std::vector<manifest::DatasetRecord::Source>& given,
                                   const dataset::Recipe& recipe, bool allow_commands,
                                   const WantedSamples& samples) {
  return Search(recipe, allow_commands, samples).run(given);
}

constexpr std::size_t kReadBytes = 1 << 20;

struct ShardInWork {
  std::string name;
  manifest::ShardRecord record;
  base::File tar;  // in the stage
  std::uint64_t missing = 0;
};

class SourcePacking {
 public:
  SourcePacking(const std::string& folder, const std::string& stage, bool allow_commands,
                pipeline::Workers& workers, base::Reporter& reporter)
      : folder_(folder),
        stage_(stage),
        allow_commands_(allow_commands),
        workers_(workers),
        reporter_(reporter),
        records_(dataset::read_records(folder, findings_)),
        recipe_(records_.recipe()) {
    // Which samples were taken, the manifests say.
    recipe_.intake.keys = {};
    pipeline::read_tables(recipe_.intake);
    recipe_.intake.form.hearing = {};
  }

  std::map<std::string, std::string> unpackable(const std::vector<std::string>& names) {
    const SourcesToRead sources = find_sources(names);
    std::set<const WantedSample*> found;
    for (const SourceToRead& source : sources.files) {
      for (const auto& [key, sample] : source.wanted) found.insert(sample);
    }
    std::map<std::string, std::string> unpackable;
    for (const auto& sample : samples_) {
      if (!found.contains(sample.get()))
        unpackable[shards_[sample->shard].name] = problem_.value_or("its sources have changed");
    }
    return unpackable;
  }

  std::vector<manifest::Checksum> run(const std::vector<std::string>& names) {
    SourcesToRead sources = find_sources(names);
    for (ShardInWork& shard : shards_) begin(shard);
    workers_.for_each(sources.files.size(), [&](std::size_t i) { read_source(sources.files[i]); });
    std::vector<manifest::Checksum> packed;
    for (ShardInWork& shard : shards_) {
      if (shard.missing == 0) {
        packed.push_back(finish(shard));
      } else {
        add_problem(fmt::format("{} of the {} of {} were not found in their sources", shard.missing,
                                base::format_count(shard.record.samples, "sample"), shard.name));
      }
    }
    if (packed.empty()) throw Error(problem_.value_or("nothing could be packed"));
    return packed;
  }

 private:
  SourcesToRead find_sources(const std::vector<std::string>& names) {
    if (!records_.shards) dataset::throw_first(findings_);
    for (const std::string& name : names) add(name);
    SourcesToRead sources =
        find_sources_to_read(records_.dataset->sources, recipe_, allow_commands_, samples_);
    for (const std::string& problem : sources.problems) add_problem(problem);
    return sources;
  }

  void add(const std::string& name) {
    const auto found = std::find_if(records_.shards->begin(), records_.shards->end(),
                                    [&](const manifest::ShardRecord& shard) { return shard.path == name; });
    if (found == records_.shards->end()) throw Error("no record names it", at(records_.path(name)));
    ShardInWork shard{.name = name, .record = *found, .tar = {}};
    manifest::RecordReader reader(records_.path(manifest::manifest_path(found->shard_id)));
    for (manifest::WholeSampleRecord record; reader.next(record); ++shard.missing) {
      samples_.push_back(
          std::make_unique<WantedSample>(WantedSample{.record = record, .shard = shards_.size()}));
    }
    shards_.push_back(std::move(shard));
  }

  void begin(ShardInWork& shard) const {
    const std::string tar = tar_path(shard);
    base::make_folders(fs::path(tar).parent_path());
    shard.tar = base::File::create(tar);
    // After the last sample there are zeros, as at the end of every tar.
    shard.tar.truncate(shard.record.tar_bytes);
  }

  std::string tar_path(const ShardInWork& shard) const { return stage_ + "/" + shard.name + ".tar-in-work"; }

  void read_source(const SourceToRead& source) {
    try {
      pipeline::scan_source(source.file, recipe_.intake.key_rule, workers_, reporter_,
                            [&](pipeline::SourceItem&& item) { take(source, std::move(item)); });
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      add_problem(error.what());
    }
  }

  void take(const SourceToRead& source, pipeline::SourceItem&& item) {
    auto* sample = std::get_if<shard::GroupedSample>(&item);
    if (sample == nullptr) return;
    const auto [begin, end] = source.wanted.equal_range(check::recorded_key(sample->sample.key));
    if (begin == end) return;
    const std::string key = sample->sample.key;
    const std::string& path = source.file.path;
    bool is_known = false;
    for (const pipeline::Measured& measured :
         pipeline::measure(std::move(*sample),
                           {.dataset_name = begin->second->record.dataset, .source = path}, recipe_.intake)) {
      const auto* utterance = std::get_if<pipeline::Utterance>(&measured.outcome);
      if (utterance == nullptr)
        return add_problem(fmt::format("{}: '{}' cannot be used any more", path, key));
      for (auto each = begin; each != end; ++each) {
        if (!has_same_origin(each->second->record, utterance->record, recipe_.intake.splits_channels))
          continue;
        is_known = true;
        if (!each->second->is_there) place(*each->second, *utterance);
      }
    }
    if (!is_known) add_problem(fmt::format("{}: the audio of '{}' has changed", path, key));
  }

  void place(WantedSample& sample, pipeline::Utterance utterance) {
    if (utterance.record.key != sample.record.key) {
      utterance.record.key = sample.record.key;
      rename(utterance);
    }
    const std::uint64_t before = utterance.packed.audio_offset;
    ShardInWork& shard = shards_[sample.shard];
    const bool fits =
        sample.record.tar_offset >= before &&
        sample.record.tar_offset - before + utterance.packed.bytes.size() <= shard.record.tar_bytes;
    if (!fits) return;
    shard.tar.write_at(utterance.packed.bytes, sample.record.tar_offset - before);
    const std::lock_guard lock(mutex_);
    sample.is_there = true;
    --shard.missing;
  }

  manifest::Checksum finish(ShardInWork& shard) {
    const std::string tar = tar_path(shard);
    const std::string path = stage_ + "/" + shard.name;
    const codec::EncoderOptions format = encoder_options(shard);
    base::Sha256 hash;
    base::AtomicFile out(path);
    const auto write = [&](std::span<const std::byte> bytes) {
      hash.update(bytes);
      out.write(bytes);
    };
    const auto encoder = format.codec == codec::Codec::none ? nullptr : codec::make_encoder(format, write);
    std::vector<std::byte> step(kReadBytes);
    for (std::uint64_t offset = 0; offset < shard.record.tar_bytes;) {
      reporter_.check_stop();
      const std::size_t got = shard.tar.read_at(step, offset);
      if (got == 0) break;
      const auto bytes = std::span<const std::byte>(step).first(got);
      if (encoder) {
        encoder->write(bytes);
      } else {
        write(bytes);
      }
      offset += got;
    }
    if (encoder) encoder->finish();
    out.commit();
    shard.tar.close();
    base::remove_file(tar);
    return {.sha256 = base::to_hex(hash.digest()), .path = shard.name};
  }

  codec::EncoderOptions encoder_options(const ShardInWork& shard) const {
    return {.codec = recipe_.codec,
            .level = recipe_.level,
            .seekable = recipe_.seekable,
            .plain_bytes = shard.record.tar_bytes};
  }

  /// The first one is told.
  void add_problem(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    if (!problem_) problem_ = problem;
  }

  std::string folder_;
  std::string stage_;
  bool allow_commands_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  FindingList findings_;
  dataset::DatasetRecords records_;
  dataset::Recipe recipe_;
  std::vector<ShardInWork> shards_;
  WantedSamples samples_;
  std::mutex mutex_;  // of problem_, and of WantedSample::is_there
  std::optional<std::string> problem_;
};

}  // namespace

std::vector<manifest::Checksum> pack_from_sources(const std::vector<std::string>& shards,
                                                  const std::string& folder, const std::string& stage,
                                                  bool allow_commands, pipeline::Workers& workers,
                                                  base::Reporter& reporter) {
  return SourcePacking(folder, stage, allow_commands, workers, reporter).run(shards);
}

std::map<std::string, std::string> find_unpackable(const std::vector<std::string>& shards,
                                                   const std::string& folder, bool allow_commands,
                                                   pipeline::Workers& workers, base::Reporter& reporter) {
  return SourcePacking(folder, {}, allow_commands, workers, reporter).unpackable(shards);
}

}  // namespace shardmill::repair
