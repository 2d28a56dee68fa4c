#include "check/verify/dataset_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/system/command.hpp"
#include "check/dataset_check.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/form_files.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/parity.hpp"
#include "manifest/json_fields.hpp"
#include "manifest/layout.hpp"
#include "source/file_name.hpp"

namespace shardmill::check {

namespace fs = std::filesystem;

namespace {

bool is_in(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

/// The number after the last underscore: 12 for "shards/audio_000000012.tar.zst".
std::optional<std::uint64_t> shard_id_in(const std::string& path) {
  const char* const digits = path.data() + path.rfind('_') + 1;
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(digits, path.data() + path.size(), id);
  return error == std::errc{} ? std::optional(id) : std::nullopt;
}

/// Sorts the paths that records name, and the paths that exist, by their kinds.
class FileFinder {
 public:
  FileFinder(const dataset::DatasetRecords& records, FindingList& findings)
      : records_(records), findings_(findings) {}

  DatasetFiles run() {
    for (const auto& [path, what] : strays()) findings_.add(at(records_.path(path)), what);
    for (const std::string& path : wanted_) {
      if (!was_read(path)) check_there(records_.path(path));
    }
    add_shards();
    add_others();
    place_manifests();
    return std::move(files_);
  }

  /// What there is to say of each, by their names.
  std::map<std::string, std::string> strays() {
    list_folder(manifest::kShardFolder);
    list_folder(manifest::kManifestFolder);
    for (const std::string_view folder : {manifest::kParityFolder, manifest::kPendingFolder}) {
      if (base::may_exist(records_.path(folder))) list_folder(folder);
    }
    collect_wanted();
    std::map<std::string, std::string> strays;
    if (!records_.checksums && !records_.shards) return strays;
    for (const std::string& path : there_) {
      if (!wanted_.contains(path))
        strays[path] = "does not belong to the dataset: no record names it" + origin_of(path);
    }
    return strays;
  }

 private:
  void list_folder(std::string_view folder) {
    try {
      for (const fs::path& entry : base::entries(records_.path(folder)))
        there_.insert(std::string(folder) + "/" + entry.filename().string());
    } catch (const Error& error) {
      findings_.add(error);
    }
  }

  /// Advice for a file that no record names: the command that may have left it, and that finishes it.
  std::string origin_of(const std::string& path) const {
    if (!path.ends_with(".idx")) return "; you can move it away";
    return fmt::format("; where shardmill index was interrupted, 'shardmill index {} --index {}' finishes it",
                       base::shell_quoted(records_.folder),
                       path.ends_with(".json.idx")  ? "lhotse"
                       : path.ends_with(".tar.idx") ? "energon"
                                                    : "dali");
  }

  /// True for records that were read before. A missing one has been reported already.
  static bool was_read(std::string_view path) {
    return path == manifest::kDataset || path == manifest::kShardRecords || path == manifest::kRejects;
  }

  void check_there(const std::string& path) {
    if (base::size_of_file(path)) return;
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (is_machine_failure(failure.value())) {
      errno = failure.value();
      throw system_error("cannot examine", path);
    }
    const bool missing = status.type() == fs::file_type::not_found;
    findings_.add_cause(at(path), missing   ? "is missing"
                                  : failure ? failure.message()
                                            : "is not a regular file");
  }

  static std::uint64_t bytes_of(const std::string& path) {
    return base::size_of_file(path).value_or(0);  // reading the file will report what is wrong with it
  }

  void collect_wanted() {
    for (const auto& [path, sha256] : records_.checksums.value_or(std::map<std::string, std::string>{}))
      wanted_.insert(path);
    if (records_.dataset) {
      for (std::string& name : dataset::parity_file_names(records_.dataset->shards, records_.dataset->parity))
        wanted_.insert(std::move(name));
      for (std::string& name : dataset::required_pending_files(*records_.dataset))
        wanted_.insert(std::move(name));
    }
    if (!records_.shards) return;
    for (const manifest::ShardRecord& shard : *records_.shards) {
      wanted_.insert(shard.path);
      wanted_.insert(manifest::manifest_path(shard.shard_id));
      record_by_path_.emplace(shard.path, &shard);
    }
  }

  bool is_checkable(const std::string& path) const {
    const bool known = wanted_.empty() || wanted_.contains(path);
    return known && base::size_of_file(records_.path(path)).has_value();
  }

  void add_shards() {
    std::set<std::string> paths = wanted_;
    paths.insert(there_.begin(), there_.end());
    for (const std::string& path : paths) {
      if (!is_in(path, manifest::kShardFolder) || !source::has_shard_name(path) || !is_checkable(path))
        continue;
      ShardCase shard{.shard_id = shard_id_in(path).value_or(0), .shard = path};
      shard.record = record_of(path);
      if (shard.record != nullptr) shard.shard_id = shard.record->shard_id;
      if (is_checkable(manifest::manifest_path(shard.shard_id)))
        shard.manifest = manifest::manifest_path(shard.shard_id);
      files_.bytes += bytes_of(records_.path(path));
      files_.shards.push_back(std::move(shard));
    }
  }

  const manifest::ShardRecord* record_of(const std::string& path) const {
    const auto found = record_by_path_.find(path);
    return found == record_by_path_.end() ? nullptr : found->second;
  }

  void add_others() {
    std::set<std::string> taken;
    for (const ShardCase& shard : files_.shards) taken.insert({shard.shard, shard.manifest});
    for (const std::string& path : wanted_) {
      if (!taken.contains(path) && is_checkable(path)) files_.others.push_back(path);
    }
    // The largest of them comes first.
    std::stable_partition(files_.others.begin(), files_.others.end(),
                          [](const std::string& path) { return path == manifest::kAllSamples; });
  }

  // The file of all samples consists of all manifests one after another. If its size is not their sum, we
  // cannot tell which of them it differs from.
  void place_manifests() {
    std::uint64_t begin = 0;
    for (ShardCase& shard : files_.shards) {
      shard.manifest_begin = begin;
      if (!shard.manifest.empty()) begin += bytes_of(records_.path(shard.manifest));
    }
    const std::string all = records_.path(manifest::kAllSamples);
    const auto bytes = base::size_of_file(all);
    if (bytes == begin) return;
    if (bytes) findings_.add(at(all), "is not the manifests of all shards, one after another");
    for (ShardCase& shard : files_.shards) shard.manifest_begin.reset();
  }

  const dataset::DatasetRecords& records_;
  FindingList& findings_;
  std::set<std::string> there_;
  std::set<std::string> wanted_;
  std::map<std::string, const manifest::ShardRecord*> record_by_path_;
  DatasetFiles files_;
};

}  // namespace

DatasetFiles find_files(const dataset::DatasetRecords& records, FindingList& findings) {
  return FileFinder(records, findings).run();
}

std::map<std::string, std::string> find_strays(const dataset::DatasetRecords& records) {
  FindingList findings;  // of folders that cannot be read
  return FileFinder(records, findings).strays();
}

namespace {

void check_header(const dataset::DatasetRecords& records, const std::string& name, FindingList& findings) {
  const auto found = manifest::read_parity_header(records.path(name));
  if (manifest::parity_file_name(found.group.name, found.parity) != name ||
      found.group.parity_files != records.dataset->parity) {
    findings.add_cause(at(records.path(name)), "its header is that of another parity file");
    return;
  }
  for (const manifest::ParityGroup::File& file : found.group.files) {
    const auto recorded = records.checksums->find(file.path);
    if (recorded != records.checksums->end() && recorded->second == file.sha256) continue;
    findings.add(at(records.path(name)),
                 fmt::format("does not fit: it protects another {} than SHA256SUMS names", file.path));
  }
}

}  // namespace

void check_parity(const dataset::DatasetRecords& records, FindingList& findings) {
  if (!records.dataset || !records.checksums) return;
  std::vector<std::string> names =
      dataset::parity_file_names(records.dataset->shards, records.dataset->parity);
  for (std::uint32_t file = 0; file < records.dataset->parity; ++file)
    names.push_back(dataset::pending_parity_name(file));
  for (const std::string& name : names) {
    if (!base::exists(records.path(name))) continue;  // the check of its checksum reports it
    try {
      check_header(records, name, findings);
    } catch (const manifest::NewerFormat&) {
      throw;
    } catch (const Error& error) {
      findings.add_cause(error);
    }
  }
}

namespace {

/// A folder of its own for scratch files.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = base::scratch_folder() + "/shardmill-verify-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw system_error("cannot make a scratch folder", name);
    path_ = name;
  }
  ~ScratchFolder() {
    try {
      base::remove_tree(path_);
    } catch (const std::exception&) {
      // The check is done. What is left is scratch.
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Passes on only the request to stop: warnings about the indexes were given when they were made.
class SilentReporter final : public base::Reporter {
 public:
  explicit SilentReporter(const base::Reporter& reporter) : reporter_(reporter) {}

  void warn(const Error&) override {}
  void fail(const Error&) override {}
  void phase(std::string_view) override {}
  int stop_signal() const noexcept override { return reporter_.stop_signal(); }

 private:
  const base::Reporter& reporter_;
};

/// Those that the dataset was made with, and those that were added to it since.
dataset::Forms kinds_of(const dataset::DatasetRecords& records, bool is_thorough) {
  dataset::Forms kinds;
  const auto add = [&](const dataset::Forms& some) {
    for (const dataset::LoaderForm* const form : some) {
      if (!dataset::has(kinds, form->name) && (is_thorough || !form->copies_audio)) kinds.push_back(form);
    }
  };
  if (const auto asked = records.known({"index"})) add(asked->indexes);
  if (records.run) add(dataset::added_forms(*records.run));
  return kinds;
}

}  // namespace

void check_indexes(const dataset::DatasetRecords& records, bool is_thorough, pipeline::Workers& workers,
                   base::Reporter& reporter, FindingList& findings) {
  if (!records.shards || !records.checksums) return;
  const dataset::Forms kinds = kinds_of(records, is_thorough);
  if (kinds.empty()) return;
  SilentReporter silent(reporter);
  std::vector<manifest::Checksum> written;
  try {
    const ScratchFolder scratch;
    written = dataset::write_form_files(kinds, dataset::shards_below(records, records.list_root()),
                                        scratch.path(), workers, silent)
                  .files;
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    findings.note(at(records.folder),
                  fmt::format("its indexes could not be compared with the shards: {}", error.what()));
    return;
  }
  for (const manifest::Checksum& file : written) {
    const auto recorded = records.checksums->find(file.path);
    if (recorded == records.checksums->end() || recorded->second == file.sha256) continue;
    findings.add(at(records.path(file.path)),
                 fmt::format("does not fit the shards and manifests; 'shardmill index {} --index {}' "
                             "writes it again",
                             base::shell_quoted(records.folder), dataset::names(kinds)));
  }
}

void check_finished(const std::string& folder, FindingList& findings) {
  const bool finished = base::may_exist(base::inside(folder, manifest::kDataset));
  const auto report = [&](std::string what) {
    findings.add({.severity = finished ? Finding::Severity::note : Finding::Severity::finding,
                  .where = at(folder),
                  .what = std::move(what)});
  };
  if (const auto holder = base::WriterLock::holder(base::inside(folder, manifest::kLockFile))) {
    report(fmt::format("{}: a run is at work: {}",
                       finished ? "another run was begun here" : "the dataset is not finished", *holder));
  } else if (dataset::unfinished_in(folder) != dataset::Unfinished::nothing ||
             (!finished && dataset::has_records_of_dataset(folder))) {
    const Error error = dataset::unfinished_error(folder);
    report(fmt::format("{}; {}", error.problem(), error.advice()));
  } else if (!finished) {
    report("is not a dataset of shardmill: there is no dataset.json");
  }
}

void check_report(const dataset::DatasetRecords& records, FindingList& findings) {
  const std::string path = records.path(manifest::kReport);
  if (!base::exists(path)) return;
  try {
    if (!manifest::check_page_seal(base::read_text(path)))
      findings.note(at(path), "has no checksum, so changes would go unnoticed: run shardmill report again");
  } catch (const Error& error) {
    findings.add(error.within(at(path)));
  }
}

}  // namespace shardmill::check
