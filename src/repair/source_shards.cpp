#include "repair/source_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "check/sample_account.hpp"
#include "codec/codec.hpp"
#include "dataset/recipe.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/source_scan.hpp"
#include "repair/sources_to_read.hpp"

namespace shardmill::repair {

namespace fs = std::filesystem;

namespace {

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

  std::vector<manifest::Checksum> run(const std::vector<std::string>& names) {
    if (!records_.shards) dataset::throw_first(findings_);
    for (const std::string& name : names) begin(name);
    SourcesToRead sources =
        find_sources_to_read(records_.dataset->sources, recipe_, allow_commands_, samples_);
    for (const std::string& problem : sources.problems) add_problem(problem);
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
  void begin(const std::string& name) {
    const auto found = std::find_if(records_.shards->begin(), records_.shards->end(),
                                    [&](const manifest::ShardRecord& shard) { return shard.path == name; });
    if (found == records_.shards->end()) throw Error("no record names it", at(records_.path(name)));
    ShardInWork shard{.name = name, .record = *found, .tar = {}};
    const std::string tar = tar_path(shard);
    base::make_folders(fs::path(tar).parent_path());
    shard.tar = base::File::create(tar);
    // After the last sample there are zeros, as at the end of every tar.
    shard.tar.truncate(shard.record.tar_bytes);
    manifest::RecordReader reader(records_.path(manifest::manifest_path(found->shard_id)));
    for (manifest::WholeSampleRecord record; reader.next(record); ++shard.missing) {
      samples_.push_back(
          std::make_unique<WantedSample>(WantedSample{.record = record, .shard = shards_.size()}));
    }
    shards_.push_back(std::move(shard));
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
    const pipeline::Measured measured = pipeline::measure(
        std::move(*sample), {.dataset_name = begin->second->record.dataset, .source = path}, recipe_.intake);
    const auto* utterance = std::get_if<pipeline::Utterance>(&measured.outcome);
    if (utterance == nullptr) return add_problem(fmt::format("{}: '{}' cannot be used any more", path, key));
    bool is_known = false;
    for (auto each = begin; each != end; ++each) {
      if (hash_in_source(each->second->record) != hash_in_source(utterance->record)) continue;
      is_known = true;
      if (!each->second->is_there) place(*each->second, *utterance);
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

}  // namespace shardmill::repair
