#include "repair/inventory.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "check/dataset_check.hpp"
#include "dataset/finished_files.hpp"
#include "dataset/form_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/records.hpp"
#include "manifest/json_fields.hpp"
#include "manifest/layout.hpp"
#include "manifest/parity_header.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/run_record.hpp"

namespace shardmill::repair {

namespace fs = std::filesystem;

namespace {

class InventoryTaker {
 public:
  InventoryTaker(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter)
      : folder_(folder), workers_(workers), reporter_(reporter) {}

  Inventory run() {
    read_checksums();
    read_records();
    read_parity_names();
    if (checksums_are_bad_) find_indexes();
    hash_all();
    find_own_parity();
    drop_doubtful();
    take_word_of_parity();
    drop_word_of_damaged_dataset_record();
    drop_misnamed();
    for (const auto& [name, hashed] : found_) judge(name, hashed);
    if (!unproven_.empty()) prove();
    inventory_.bad.merge(bad_unsummed_files(folder_, reporter_));
    if (checksums_are_bad_) inventory_.bad.insert(std::string(manifest::kChecksums));
    return std::move(inventory_);
  }

 private:
  std::string path(std::string_view name) const { return base::inside(folder_, name); }
  void expect(std::string_view name) { found_.try_emplace(std::string(name)); }
  void expect_by_dataset(const std::string& name) {
    if (found_.try_emplace(name).second) only_by_dataset_.insert(name);
  }

  /// Line by line: one that is damaged does not take the others with it.
  void read_checksums() {
    std::error_code unknown;
    if (!fs::is_regular_file(path(manifest::kChecksums), unknown)) {
      checksums_are_bad_ = true;
      return;
    }
    base::LineReader lines(path(manifest::kChecksums));
    for (std::string_view line; lines.next(line);) {
      constexpr std::size_t kDigits = 64;
      const bool is_good = lines.line_was_ended() && line.size() > kDigits + 2 &&
                           manifest::is_sha256(line.substr(0, kDigits)) && line.substr(kDigits, 2) == "  ";
      if (!is_good || !take_line(std::string(line.substr(kDigits + 2)), std::string(line.substr(0, kDigits))))
        checksums_are_bad_ = true;
    }
    if (!checksums_are_bad_) checksums_are_bad_ = lacks_lines();
  }

  /// True when lines are gone as a whole, as where a file was emptied or cut between two lines.
  bool lacks_lines() const {
    const auto has_no_line = [this](std::string_view name) { return !lines_.contains(std::string(name)); };
    if (has_no_line(manifest::kAllSamples) ||
        std::any_of(dataset::kProtectedRecords.begin(), dataset::kProtectedRecords.end(), has_no_line))
      return true;
    try {
      const auto record = manifest::read_dataset_record(path(manifest::kDataset));
      const auto required = dataset::required_files(
          record, dataset::added_forms(manifest::read_run_record(path(manifest::kRun))));
      return std::any_of(required.begin(), required.end(), has_no_line);
    } catch (const Error&) {
      return false;  // a damaged record is found by its own line
    }
  }

  bool take_line(const std::string& name, const std::string& sha256) {
    try {
      manifest::check_inner_path(name);
    } catch (const Error&) {
      return false;
    }
    expect(name);
    return lines_.emplace(name, sha256).second;
  }

  void read_records() {
    for (const std::string_view name : dataset::kProtectedRecords) expect(name);
    expect(manifest::kAllSamples);
    try {
      manifest::RecordReader reader(path(manifest::kShardRecords));
      std::map<std::string, std::string> shards;
      for (manifest::ShardRecord shard; reader.next(shard);) {
        expect(shard.path);
        expect(manifest::manifest_path(shard.shard_id));
        told_[shard.path].push_back(shard.sha256);
      }
    } catch (const Error&) {
      // A damaged one has another checksum than it should, and so it is found.
    }
    try {
      const auto record = manifest::read_dataset_record(path(manifest::kDataset));
      for (const std::string& name : dataset::required_files(record, added_indexes()))
        expect_by_dataset(name);
      // Without a record of the former ones, as updates write them now.
      for (std::uint32_t i = 0; checksums_are_bad_ && record.pending && i < record.parity; ++i)
        expect_by_dataset(dataset::pending_parity_name(i));
    } catch (const manifest::NewerFormat&) {
      throw;
    } catch (const Error&) {
      // The same.
    }
  }

  /// Only SHA256SUMS and run.json name the indexes that were added to the finished dataset.
  dataset::Forms added_indexes() const {
    if (!checksums_are_bad_) return {};
    try {
      return dataset::added_forms(manifest::read_run_record(path(manifest::kRun)));
    } catch (const Error&) {
      return {};
    }
  }

  void read_parity_names() {
    const std::string parity = path(manifest::kParityFolder);
    if (!base::exists(parity)) return;
    for (const fs::path& entry : base::entries(parity)) {
      const std::string name = std::string(manifest::kParityFolder) + "/" + entry.filename().string();
      if (!manifest::is_parity_file_name(name)) continue;
      expect(name);
      try {
        const auto header = manifest::read_parity_header(entry.string());
        for (const auto& file : header.group.files) {
          if (!found_.contains(file.path) || doubtful_.contains(file.path)) doubtful_[file.path].insert(name);
          expect(file.path);
        }
      } catch (const manifest::NewerFormat&) {
        throw;
      } catch (const Error&) {
        // The same.
      }
    }
  }

  /// Parity files whose word counts: as they were written, and for this dataset. Those of another one, or of
  /// another group, are whole as well, and may have been copied here.
  void find_own_parity() {
    const bool is_any_line_bad = checksums_are_bad_;
    for (const auto& [name, hashed] : found_) {
      if (!hashed.is_sealed || !manifest::is_parity_file_name(name)) continue;
      const auto line = lines_.find(name);
      const bool may_be_misnamed = line == lines_.end() || is_any_line_bad;
      const bool is_as_listed =
          line != lines_.end() && wanted_checksum({line->second}, hashed.sha256) == hashed.sha256;
      if (is_as_listed || (may_be_misnamed && is_made_for_this_dataset(name))) own_parity_.insert(name);
    }
  }

  bool is_made_for_this_dataset(const std::string& name) const {
    const auto header = manifest::read_parity_header(path(name));
    const auto fits = [&](const manifest::ParityGroup::File& file) {
      const std::vector<std::string> told = told_of(file.path);
      return told.empty() || wanted_checksum(told, file.sha256) == file.sha256;
    };
    return manifest::parity_file_name(header.group.name, header.parity) == name &&
           std::ranges::all_of(header.group.files, fits);
  }

  /// A damaged header may name files that never were.
  void drop_doubtful() {
    for (const auto& [file, named_by] : doubtful_) {
      const bool is_sure = std::any_of(named_by.begin(), named_by.end(),
                                       [&](const std::string& name) { return own_parity_.contains(name); });
      if (!is_sure && !base::exists(path(file))) found_.erase(file);
    }
  }

  /// Only SHA256SUMS names them.
  void find_indexes() {
    std::error_code failure;  // what cannot be seen is made again where it is named
    for (auto each = fs::recursive_directory_iterator(folder_, failure);
         !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
      const std::string name = each->path().lexically_relative(folder_).string();
      const dataset::LoaderForm* const form = dataset::form_of(name);
      // A README.md without the description beside it is the user's own.
      const bool is_users = dataset::may_be_users(name) && !base::exists(path(form->sign));
      const bool is_told_otherwise = dataset::depends_on_place(name) || is_users;
      if (form != nullptr && !is_told_otherwise && each->is_regular_file(failure)) expect(name);
    }
  }

  void hash_all() {
    std::vector<std::string> names;
    std::uint64_t bytes = 0;
    for (const auto& [name, hashed] : found_) {
      std::error_code unknown;
      if (!fs::is_regular_file(path(name), unknown)) continue;
      names.push_back(name);
      bytes += fs::file_size(path(name), unknown);
    }
    reporter_.progress().input_bytes_total = bytes;
    // The largest first, so that no long one is left at the end.
    std::vector<HashedFile> hashes(names.size());
    workers_.for_each(
        names.size(),
        [&](std::size_t i) {
          try {
            hashes[i] = hash_file(path(names[i]), reporter_);
          } catch (const base::Interrupted&) {
            throw;
          } catch (const Error&) {
            // A file that cannot be read is as good as lost.
          }
          reporter_.progress().input_bytes += hashes[i].bytes;
        },
        kHashStepBytes);
    for (std::size_t i = 0; i < names.size(); ++i) {
      found_[names[i]] = hashes[i];
      ++inventory_.files;
      inventory_.bytes += hashes[i].bytes;
    }
  }

  /// These parity files name the files that they protect, with their checksums.
  void take_word_of_parity() {
    for (const std::string& name : own_parity_) {
      for (const auto& file : manifest::read_parity_header(path(name)).group.files) {
        auto& told = told_[file.path];
        if (std::find(told.begin(), told.end(), file.sha256) == told.end()) told.push_back(file.sha256);
      }
    }
  }

  /// A dataset.json that is not as it was may require files that never were. Once it is repaired, it tells.
  void drop_word_of_damaged_dataset_record() {
    const std::string name(manifest::kDataset);
    const std::string& found = found_.at(name).sha256;
    const auto wanted = wanted_checksum(told_of(name), found);
    if (!wanted || *wanted == found) return;
    for (const std::string& file : only_by_dataset_) {
      const auto each = found_.find(file);
      if (each != found_.end() && each->second.sha256.empty()) found_.erase(each);
    }
  }

  /// What records say of the checksum of a file, SHA256SUMS first.
  std::vector<std::string> told_of(const std::string& name) const {
    std::vector<std::string> told;
    if (const auto line = lines_.find(name); line != lines_.end()) told.push_back(line->second);
    if (const auto others = told_.find(name); others != told_.end())
      told.insert(told.end(), others->second.begin(), others->second.end());
    return told;
  }

  /// Lines of SHA256SUMS whose name was damaged: the file is there, and has no line.
  void drop_misnamed() {
    std::map<std::string, std::string> without_line;
    for (const auto& [name, hashed] : found_) {
      if (!hashed.sha256.empty() && !lines_.contains(name)) without_line.emplace(hashed.sha256, name);
    }
    for (auto line = lines_.begin(); line != lines_.end();) {
      const bool is_misnamed = found_[line->first].sha256.empty() && without_line.contains(line->second);
      if (is_misnamed) {
        checksums_are_bad_ = true;
        found_.erase(line->first);
      }
      line = is_misnamed ? lines_.erase(line) : std::next(line);
    }
  }

  void judge(const std::string& name, const HashedFile& hashed) {
    std::vector<std::string> told = told_of(name);
    const auto line = lines_.find(name);
    if (own_parity_.contains(name)) told.push_back(hashed.sha256);
    const auto wanted = wanted_checksum(told, hashed.sha256);
    if (!wanted) {
      // What is made of other files is made again sooner than it is checked. Parity without its seal is
      // damaged.
      const bool is_derived = name == manifest::kAllSamples || dataset::form_of(name) != nullptr ||
                              manifest::is_parity_file_name(name);
      if (hashed.sha256.empty() || is_derived) {
        inventory_.bad.insert(name);
      } else {
        unproven_.insert(name);
      }
    } else {
      inventory_.wanted[name] = *wanted;
      if (*wanted != hashed.sha256) inventory_.bad.insert(name);
    }
    if (line == lines_.end() || (wanted && line->second != *wanted)) checksums_are_bad_ = true;
  }

  /// Files without a checksum anywhere are as they should be if nothing contradicts them.
  void prove() {
    FindingList findings;
    check::VerifySummary summary;
    check::verify_dataset(folder_, {.targets = {folder_}, .against = {}}, workers_, reporter_, findings,
                          summary);
    const std::string checksums = path(manifest::kChecksums);
    const auto all = findings.take();
    const bool is_proven = std::all_of(all.begin(), all.end(), [&](const Finding& finding) {
      return finding.severity == Finding::Severity::note || finding.where.path == checksums ||
             dataset::form_of(name_of(finding)) != nullptr ||
             manifest::is_parity_file_name(name_of(finding));  // made again from proven files
    });
    inventory_.knows_all_checksums = is_proven;
    if (!is_proven) return;
    for (const std::string& name : unproven_) inventory_.wanted[name] = found_[name].sha256;
  }

  std::string name_of(const Finding& finding) const {
    return fs::path(finding.where.path).lexically_relative(folder_).string();
  }

  std::string folder_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  std::map<std::string, std::string> lines_;               // of SHA256SUMS
  std::map<std::string, std::set<std::string>> doubtful_;  // named by these parity files only
  std::map<std::string, std::vector<std::string>> told_;   // by shards.jsonl and by parity files
  std::map<std::string, HashedFile> found_;                // all that should be there
  std::set<std::string> own_parity_;                       // the word of these parity files counts
  std::set<std::string> only_by_dataset_;                  // dataset.json requires these, and nothing else
  std::set<std::string> unproven_;                         // no record has their checksum
  bool checksums_are_bad_ = false;
  Inventory inventory_;
};

}  // namespace

Inventory take_inventory(const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter) {
  reporter.phase("checking");
  return InventoryTaker(folder, workers, reporter).run();
}

}  // namespace shardmill::repair
