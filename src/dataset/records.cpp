#include "dataset/records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"
#include "codec/codec.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/forms.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/parity.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "manifest/run_record.hpp"

namespace shardmill::dataset {

namespace {

template <typename Read>
auto read_or_find(FindingList& findings, Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const manifest::NewerFormat&) {
    throw;
  } catch (const Error& error) {
    findings.add_cause(error);
    return std::nullopt;
  }
}

std::vector<manifest::ShardRecord> read_shards(const std::string& path) {
  std::vector<manifest::ShardRecord> shards;
  manifest::RecordReader reader(path);
  for (manifest::ShardRecord shard; reader.next(shard);) shards.push_back(shard);
  return shards;
}

std::map<std::string, std::string> read_checksum_map(const std::string& path, FindingList& findings) {
  std::map<std::string, std::string> checksums;
  for (manifest::Checksum& checksum : manifest::read_checksums(path)) {
    if (!checksums.try_emplace(checksum.path, checksum.sha256).second)
      findings.add(at(path), fmt::format("lists {} twice", checksum.path));
  }
  return checksums;
}

std::uint64_t count_rejects(const std::string& path) {
  manifest::RecordReader reader(path);
  std::uint64_t count = 0;
  for (manifest::Reject reject; reader.next(reject);) ++count;
  return count;
}

/// The list as it would be written for `root`.
std::string list_for(const std::string& root, const std::vector<manifest::ShardRecord>& shards) {
  std::string text;
  for (const manifest::ShardRecord& shard : shards) manifest::append_list_line(text, root, shard.path);
  return text;
}

// When run.json is damaged, only the list itself shows its root.
std::optional<std::string> root_in(const std::string& list, const std::string& first_path) {
  const std::string line = list.substr(0, list.find('\n'));
  if (!line.ends_with("/" + first_path)) return std::nullopt;
  return line.substr(0, line.size() - first_path.size() - 1);
}

void check_list(const DatasetRecords& records, FindingList& findings) {
  const std::string path = records.path(manifest::kShardList);
  const auto list = read_or_find(findings, [&] { return base::read_text(path); });
  if (!list || !records.shards || records.shards->empty()) return;
  const std::string here = base::canonical(records.folder);
  const auto given = records.given_list_root();
  const bool is_own = !given;
  std::string wanted = given.value_or("");
  if (is_own && records.run) wanted = records.run->list_root;
  if (is_own && !records.run) wanted = root_in(*list, records.shards->front().path).value_or(here);
  // Whoever moved the dataset may have written a list for the new place.
  if (is_own && wanted != here && *list == list_for(here, *records.shards)) return;
  if (*list != list_for(wanted, *records.shards)) {
    findings.add(at(path), fmt::format("does not list the shards in order, each below {}", wanted));
  } else if (is_own && wanted != here) {
    findings.note(at(path), fmt::format("lists the shards below {}, but the dataset lies in {} now; {}",
                                        wanted, here, records.how_to_relist(here)));
  }
  if (records.run && !is_own && records.run->list_root != wanted) {
    findings.add(at(records.path(manifest::kRun)), "its list_root is not that of dataset.json");
  }
}

void check_shard_names(const DatasetRecords& records, FindingList& findings) {
  const std::string path = records.path(manifest::kShardRecords);
  const auto naming = records.known({"prefix", "codec"});
  for (std::size_t i = 0; i < records.shards->size(); ++i) {
    const manifest::ShardRecord& shard = (*records.shards)[i];
    if (shard.shard_id != i)
      findings.add(at(path),
                   fmt::format("line {} has the shard_id {} instead of {}", i + 1, shard.shard_id, i));
    if (!naming) continue;
    const std::string expected = manifest::shard_path(naming->prefix, i, codec::suffix(naming->codec));
    if (shard.path != expected)
      findings.add(at(path), fmt::format("line {} names {} instead of {}", i + 1, shard.path, expected));
  }
}

void check_dataset(const DatasetRecords& records, FindingList& findings) {
  const Where where = at(records.path(manifest::kDataset));
  const manifest::DatasetRecord& dataset = *records.dataset;
  const auto shards = records.known({"shards"});
  if (!shards || shards->sizing.amount != dataset.shards)
    findings.add(where, "its number of shards is not that of its options");
  const auto naming = records.known({"prefix", "codec"});
  if (!naming || dataset.shards == 0) {
    findings.add(where, "its options do not say how the shards are named");
    return;
  }
  const std::string pattern =
      manifest::shard_path_pattern(naming->prefix, dataset.shards, codec::suffix(naming->codec));
  if (dataset.shard_files != pattern)
    findings.add(where, fmt::format("says shard_files {} instead of {}", dataset.shard_files, pattern));
}

/// The indexes that repack was asked to write.
std::vector<std::string> index_files_of(const DatasetRecords& records) {
  if (!records.dataset) return {};
  std::vector<std::string> shards;
  for (const manifest::ShardRecord& shard : *records.shards) shards.push_back(shard.path);
  return asked_index_files(*records.dataset, shards);
}

void check_checksums(const DatasetRecords& records, FindingList& findings) {
  const Where where = at(records.path(manifest::kChecksums));
  const auto need = [&](const std::string& path) {
    if (!records.checksums->contains(path)) findings.add(where, fmt::format("does not list {}", path));
  };
  for (const std::string_view name :
       {manifest::kShardRecords, manifest::kAllSamples, manifest::kRejects, manifest::kDataset}) {
    need(std::string(name));
  }
  if (records.dataset) {
    for (const std::string& name : parity_file_names(records.dataset->shards, records.dataset->parity))
      need(name);
    for (const std::string& name : required_pending_files(*records.dataset)) need(name);
  }
  if (!records.shards) return;
  for (const std::string& name : index_files_of(records)) {
    if (!depends_on_place(name)) need(name);
  }
  for (const manifest::ShardRecord& shard : *records.shards) {
    need(shard.path);
    need(manifest::manifest_path(shard.shard_id));
    const auto found = records.checksums->find(shard.path);
    if (found != records.checksums->end() && found->second != shard.sha256)
      findings.add(where, fmt::format("and shards.jsonl differ in the SHA-256 of {}", shard.path));
  }
}

}  // namespace

void check_is_finished(const std::string& folder) {
  if (base::exists(base::inside(folder, manifest::kDataset))) return;
  if (const auto holder = base::WriterLock::holder(base::inside(folder, manifest::kLockFile)))
    throw Error("the dataset is not finished: a run is at work: " + *holder, at(folder), "wait for it");
  if (holds_unfinished_run(folder) || has_records_of_dataset(folder)) throw unfinished_error(folder);
  if (const auto splits = manifest::split_names(folder); !splits.empty())
    throw Error("holds the datasets of a split", at(folder),
                "name one of them, such as " + folder + "/" + splits.front());
  throw Error("is not a dataset of shardmill: there is no dataset.json", at(folder),
              "shardmill repack makes one");
}

Recipe DatasetRecords::recipe() const {
  const Where where = at(path(manifest::kDataset));
  if (!dataset)
    throw Error("cannot be read, so it is unknown how the dataset was made from its sources", where,
                "verify it without its sources");
  if (!known({"key-rule"})) throw Error("has no key-rule among its options", where);
  try {
    Recipe recipe = recipe_of(dataset->options);
    for (const auto& part : dataset->datasets) recipe.weights[part.dataset] = part.weight;
    return recipe;
  } catch (const Error& error) {
    throw error.within(where);
  }
}

std::optional<Recipe> DatasetRecords::known(std::initializer_list<std::string_view> fields) const {
  if (!dataset) return std::nullopt;
  return known_fields(dataset->options, fields);
}

std::optional<std::string> DatasetRecords::given_list_root() const {
  const auto asked = known({"list-root"});
  return asked && !asked->list_root.empty() ? std::optional(asked->list_root) : std::nullopt;
}

std::string DatasetRecords::list_root() const {
  if (const auto given = given_list_root()) return *given;
  return run ? run->list_root : base::canonical(folder);
}

std::string DatasetRecords::how_to_relist(const std::string& root) const {
  const bool is_here = !base::is_remote(folder);
  return fmt::format("'shardmill index {} --list-root {}'{} writes the lists again",
                     is_here ? base::shell_quoted(folder) : std::string("FOLDER"), base::shell_quoted(root),
                     is_here ? "" : " in a copy on a disk");
}

DatasetRecords read_records(const std::string& folder, FindingList& findings) {
  DatasetRecords records{.folder = folder};
  const auto path = [&](std::string_view name) { return records.path(name); };
  records.dataset =
      read_or_find(findings, [&] { return manifest::read_dataset_record(path(manifest::kDataset)); });
  records.run = read_or_find(findings, [&] { return manifest::read_run_record(path(manifest::kRun)); });
  records.shards = read_or_find(findings, [&] { return read_shards(path(manifest::kShardRecords)); });
  records.checksums =
      read_or_find(findings, [&] { return read_checksum_map(path(manifest::kChecksums), findings); });
  const auto rejects = read_or_find(findings, [&] { return count_rejects(path(manifest::kRejects)); });
  records.rejects = rejects.value_or(0);
  if (rejects && records.dataset && records.dataset->rejects != *rejects) {
    findings.add(at(path(manifest::kRejects)),
                 fmt::format("has {}, and dataset.json says {}", base::format_count(*rejects, "line"),
                             base::format_count(records.dataset->rejects)));
  }
  return records;
}

DatasetRecords sound_records(const std::string& folder) {
  check_is_finished(folder);
  FindingList findings;
  DatasetRecords records = read_records(folder, findings);
  check_records(records, findings);
  throw_first(findings);
  return records;
}

void throw_first(FindingList& findings) {
  for (const Finding& finding : findings.take()) {
    if (finding.severity == Finding::Severity::finding)
      throw Error(finding.what, finding.where, "shardmill verify lists all that does not fit together");
  }
}

void check_records(const DatasetRecords& records, FindingList& findings) {
  if (records.dataset) check_dataset(records, findings);
  if (records.shards) check_shard_names(records, findings);
  if (records.checksums) check_checksums(records, findings);
  if (records.dataset && records.shards && records.shards->size() != records.dataset->shards) {
    findings.add(
        at(records.path(manifest::kShardRecords)),
        fmt::format("has {}, and dataset.json says {}", base::format_count(records.shards->size(), "line"),
                    base::format_count(records.dataset->shards, "shard")));
  }
  check_list(records, findings);
}

}  // namespace shardmill::dataset
