#include "source/set/finished_dataset.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "source/source_file.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kVerifyAdvice = "shardmill verify lists all that is wrong with the dataset";

/// One dataset, from its records to its shards.
class DatasetFinder {
 public:
  DatasetFinder(const std::string& folder, const std::string& name) : folder_(folder), name_(name) {}

  FoundDataset run() {
    for (manifest::Checksum& checksum : manifest::read_checksums(path(manifest::kChecksums)))
      checksums_[checksum.path] = std::move(checksum.sha256);
    check_sum(manifest::kDataset);
    check_sum(manifest::kShardRecords);
    const manifest::DatasetRecord dataset = manifest::read_dataset_record(path(manifest::kDataset));
    for (const auto& part : dataset.datasets) found_.parts.push_back(part.dataset);
    for (const std::string_view name : {manifest::kDataset, manifest::kShardRecords, manifest::kChecksums}) {
      add_description(std::string(name));
    }
    add_shards(dataset);
    if (dataset.pending) add_pending(*dataset.pending);
    return std::move(found_);
  }

 private:
  std::string path(std::string_view inner) const { return folder_ + "/" + std::string(inner); }

  const std::string& sum_of(const std::string& inner) const {
    const auto found = checksums_.find(inner);
    if (found != checksums_.end()) return found->second;
    throw Error(fmt::format("does not list {}", inner), at(path(manifest::kChecksums)),
                std::string(kVerifyAdvice));
  }

  void check_sum(std::string_view inner) const {
    constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
    const std::string text = base::read_text(path(inner), kMostBytes);
    if (base::sha256_hex(base::as_bytes(text)) == sum_of(std::string(inner))) return;
    throw Error("was changed since the dataset was made: its SHA-256 is not the recorded one",
                at(path(inner)), std::string(kVerifyAdvice));
  }

  void add_description(const std::string& inner) {
    auto [file, problem] = look_up(path(inner), {}, Empty::allowed);
    // Samples that are not in the manifest are left out one by one, when their shard is read.
    if (problem) return lose(*problem, 0);
    found_.descriptions.push_back(std::move(file));
  }

  void add_shards(const manifest::DatasetRecord& dataset) {
    manifest::RecordReader reader(path(manifest::kShardRecords));
    std::uint64_t shards = 0;
    std::uint64_t samples = 0;
    for (manifest::ShardRecord record; reader.next(record);) {
      ++shards;
      samples += record.samples;
      add_shard(std::move(record));
    }
    if (shards == dataset.shards && samples == dataset.samples) return;
    throw Error(
        fmt::format("names {} with {}, and dataset.json says {} and {}", base::format_count(shards, "shard"),
                    base::format_count(samples, "sample"), dataset.shards, dataset.samples),
        at(path(manifest::kShardRecords)), std::string(kVerifyAdvice));
  }

  /// What each dataset has in a manifest. One that cannot be read is reported when its samples are.
  static std::vector<manifest::ShardRecord::Share> shares_in(const std::string& manifest) {
    std::map<std::string, manifest::ShardRecord::Share> shares;
    std::vector<manifest::ShardRecord::Share> all;
    try {
      manifest::RecordReader reader(manifest);
      for (manifest::SampleRecord sample; reader.next(sample);) {
        manifest::ShardRecord::Share& share = shares[sample.dataset];
        share.samples += 1;
        share.seconds += sample.duration_seconds;
      }
    } catch (const Error&) {
      return all;
    }
    for (auto& [name, share] : shares) {
      share.dataset = name;
      all.push_back(share);
    }
    return all;
  }

  /// Samples that are in no shard are samples of the dataset all the same.
  void add_pending(const manifest::DatasetRecord::Pending& pending) {
    manifest::ShardRecord record;
    record.path = manifest::kPendingTar;
    record.samples = pending.samples;
    record.seconds = pending.seconds;
    record.bytes = pending.bytes;
    record.tar_bytes = pending.bytes;
    record.shares = shares_in(path(manifest::kPendingManifest));
    add_file(std::move(record), std::string(manifest::kPendingManifest));
  }

  void add_shard(manifest::ShardRecord&& record) {
    std::string manifest =
        std::string(manifest::kManifestFolder) + "/" + manifest::manifest_file_name(record.shard_id);
    add_file(std::move(record), std::move(manifest));
  }

  void add_file(manifest::ShardRecord&& record, const std::string& manifest) {
    add_description(manifest);
    auto [file, problem] = look_up(path(record.path));
    if (problem) return lose(*problem, record.samples);
    if (file.bytes != record.bytes) {
      return lose(Error(fmt::format("has {} bytes, and shards.jsonl says {}", file.bytes, record.bytes),
                        at(file.path), std::string(kVerifyAdvice)),
                  record.samples);
    }
    file.listing = std::make_shared<DatasetShard>(DatasetShard{.manifest = path(manifest),
                                                               .manifest_sha256 = sum_of(manifest),
                                                               .record = std::move(record),
                                                               .dataset = name_});
    found_.shards.push_back(std::move(file));
  }

  void lose(const Error& error, std::uint64_t samples) {
    found_.unusable.push_back({.error = error, .samples = samples});
  }

  const std::string& folder_;
  const std::string& name_;
  std::map<std::string, std::string> checksums_;  // SHA-256 by path
  FoundDataset found_;
};

/// False for files of servers after one question, instead of one for each record.
bool may_be_folder(const std::string& path) {
  try {
    return base::is_folder(path);
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

bool is_dataset(const std::string& given) {
  const std::string folder = base::without_end_slashes(given);
  if (!may_be_folder(folder)) return false;
  const auto holds = [&](std::string_view name) { return base::may_exist(folder + "/" + std::string(name)); };
  // A file of that name may also be another program's.
  if (holds(manifest::kDataset)) return holds(manifest::kShardRecords) || holds(manifest::kChecksums);
  return holds(manifest::kShardRecords) && holds(manifest::kManifestFolder);
}

void check_readable(const std::string& folder) {
  const std::string path = folder + "/" + std::string(manifest::kDataset);
  if (!base::may_exist(path)) {
    if (const auto holder = base::WriterLock::holder(folder + "/" + std::string(manifest::kLockFile)))
      throw Error("holds a dataset that is not finished: a run is at work: " + *holder, at(folder),
                  "wait for it");
    throw Error(
        "holds a dataset that is not finished: there is no dataset.json", at(folder),
        base::is_remote(folder)
            ? fmt::format("the command that makes it goes on with it; its shards as they are: '{}/shards/'",
                          folder)
            : fmt::format("'shardmill verify {}' says which command goes on with it; its shards as they are: "
                          "'{}/shards/*.tar'",
                          base::shell_quoted(folder), folder));
  }
  manifest::read_dataset_record(path);
}

FoundDataset find_dataset(const std::string& folder, const std::string& name) {
  return DatasetFinder(folder, name).run();
}

}  // namespace shardmill::source
