#include "dataset/form_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "dataset/forms/samples.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::dataset {

namespace {

/// True if the lines of the manifests have no text at all: the transcripts are only members of the shards.
bool lack_texts(const std::vector<ShardToIndex>& shards) {
  for (const ShardToIndex& shard : shards) {
    if (shard.manifest.empty()) continue;
    manifest::RecordReader reader(shard.manifest);
    if (manifest::SampleRecord first; reader.next(first)) return !first.text;
  }
  return false;
}

void warn_of_missing_texts(const FormWork& work) {
  std::vector<std::string_view> textless;
  for (const LoaderForm* const form : work.forms) {
    if (form->lists_texts) textless.push_back(form->name);
  }
  if (textless.empty() || !lack_texts(work.shards)) return;
  work.reporter.warn(
      Error(fmt::format("the transcripts of this dataset are only in its shards, not in its manifests: "
                        "these indexes will have none: {}",
                        fmt::join(textless, ", ")),
            {}, "make a dataset that has them in its manifests, too"));
}

bool lists_all(const DatasetRecords& records, const LoaderForm& form) {
  std::vector<std::string> shards;
  std::vector<std::string> datasets;
  for (const manifest::ShardRecord& shard : *records.shards) shards.push_back(shard.path);
  for (const auto& part : records.dataset->datasets) {
    if (part.samples != 0) datasets.push_back(part.dataset);
  }
  const auto names = form.files(shards, datasets);
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return depends_on_place(name) || may_be_left_out(name) || records.checksums->contains(name);
  });
}

/// A file with the place of the dataset, beside the text that it should have.
class PlacedComparison {
 public:
  explicit PlacedComparison(const std::string& path) : path_(path), lines_(path) {}

  const std::string& path() const { return path_; }

  /// `wanted`: the next lines, each with its end.
  void compare(std::string_view wanted) {
    while (!wanted.empty()) {
      const std::size_t end = wanted.find('\n');
      std::string_view line;
      const bool is_same = lines_.next(line) && line == wanted.substr(0, end) && lines_.line_was_ended();
      wanted.remove_prefix(end + 1);
      ++wanted_lines_;
      if (!is_same && first_wrong_ == 0) first_wrong_ = wanted_lines_;
    }
  }

  void report(FindingList& findings) {
    std::string_view line;
    if (first_wrong_ == 0 && lines_.next(line)) first_wrong_ = wanted_lines_ + 1;
    if (first_wrong_ == 0) return;
    findings.add_cause(
        at(path_),
        fmt::format("line {} is not what the manifests, shards.jsonl and data.list say", first_wrong_));
  }

 private:
  std::string path_;
  base::LineReader lines_;
  std::uint64_t wanted_lines_ = 0;
  std::uint64_t first_wrong_ = 0;
};

/// nullptr for a file that is missing or cannot be opened, which is a finding.
std::unique_ptr<PlacedComparison> comparison_with(const std::string& path, FindingList& findings) {
  if (!base::exists(path)) {
    findings.add_cause(at(path), "is missing");
    return nullptr;
  }
  try {
    return std::make_unique<PlacedComparison>(path);
  } catch (const Error& error) {
    findings.add_cause(error);
    return nullptr;
  }
}

void check_placed(const LoaderForm& form, const DatasetRecords& records, base::Reporter& reporter,
                  FindingList& findings) {
  std::vector<std::unique_ptr<PlacedComparison>> files;
  for (const std::string_view name : form.placed)
    files.push_back(comparison_with(records.path(name), findings));
  const auto is_open = [](const auto& file) { return file != nullptr; };
  if (std::none_of(files.begin(), files.end(), is_open)) return;
  try {
    const auto root = root_in_list(records);
    if (!root) return;
    form.placed_text(shards_below(records, *root), reporter, [&](std::size_t file, std::string_view text) {
      if (files[file]) files[file]->compare(text);
    });
    for (const auto& file : files) {
      if (file) file->report(findings);
    }
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    const bool is_of_these = std::any_of(files.begin(), files.end(), [&](const auto& file) {
      return file && file->path() == error.where().path;
    });
    if (is_of_these) findings.add_cause(error);  // errors of other files are reported elsewhere
  }
}

void write_placed(const LoaderForm& form, const DatasetRecords& records, const std::string& root,
                  base::Reporter& reporter) {
  std::vector<std::unique_ptr<base::AtomicFile>> files;
  for (const std::string_view name : form.placed)
    files.push_back(std::make_unique<base::AtomicFile>(records.path(name)));
  form.placed_text(shards_below(records, root), reporter,
                   [&](std::size_t file, std::string_view text) { files[file]->write(text); });
  for (const auto& file : files) file->commit();
}

}  // namespace

WrittenIndexes write_form_files(const Forms& forms, const std::vector<ShardToIndex>& shards,
                                const std::string& folder, pipeline::Workers& workers,
                                base::Reporter& reporter) {
  const FormWork work{forms, shards, folder, workers, reporter};
  WrittenIndexes written;
  warn_of_missing_texts(work);
  write_from_headers(work, written);
  for (const LoaderForm* const form : forms) {
    if (form->write != nullptr) form->write(work, written);
  }
  std::sort(written.files.begin(), written.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return written;
}

Forms forms_of(const DatasetRecords& records) {
  Forms forms;
  const auto add = [&](const Forms& more) {
    for (const LoaderForm* const form : more) {
      if (!has(forms, form->name)) forms.push_back(form);
    }
  };
  if (const auto asked = records.dataset ? records.known({"index"}) : std::nullopt) add(asked->indexes);
  if (records.run) add(added_forms(*records.run));
  if (records.dataset && records.shards && records.checksums) {
    for (const LoaderForm& form : all_forms()) {
      if (!has(forms, form.name) && lists_all(records, form)) forms.push_back(&form);
    }
  }
  std::sort(forms.begin(), forms.end());
  return forms;
}

Forms added_forms(const manifest::RunRecord& run) {
  return forms_named(run.indexes).value_or(Forms());
}

bool is_in(const LoaderForm& form, const DatasetRecords& records) {
  return !form.sign.empty() && records.checksums && records.checksums->contains(std::string(form.sign));
}

std::optional<std::string> root_in_list(const DatasetRecords& records) {
  const std::string end = "/" + records.shards->front().path;
  base::LineReader lines(records.path(manifest::kShardList));
  std::string_view line;
  if (!lines.next(line) || !line.ends_with(end)) return std::nullopt;
  line.remove_suffix(end.size());
  return std::string(line);
}

std::vector<ShardToIndex> shards_below(const DatasetRecords& records, const std::string& root) {
  std::vector<ShardToIndex> shards;
  for (const manifest::ShardRecord& shard : *records.shards) {
    shards.push_back({.path = records.path(shard.path),
                      .name = shard.path,
                      .manifest = records.path(manifest::manifest_path(shard.shard_id)),
                      .listed = manifest::listed_path(root, shard.path),
                      .sha256 = shard.sha256});
  }
  return shards;
}

void check_placed_files(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings) {
  if (!records.shards || records.shards->empty()) return;
  for (const LoaderForm& form : all_forms()) {
    if (!is_in(form, records)) continue;
    if (form.placed_text != nullptr) check_placed(form, records, reporter, findings);
    if (form.check_placed != nullptr) form.check_placed(records, reporter, findings);
  }
}

std::vector<std::string> write_placed_files(const DatasetRecords& records, const std::string& root,
                                            base::Reporter& reporter) {
  std::vector<std::string> written;
  for (const LoaderForm& form : all_forms()) {
    if (!is_in(form, records)) continue;
    if (form.placed_text != nullptr) write_placed(form, records, root, reporter);
    written.insert(written.end(), form.placed.begin(), form.placed.end());
    if (form.write_placed == nullptr) continue;
    for (std::string& name : form.write_placed(records, root)) written.push_back(std::move(name));
  }
  return written;
}

std::vector<std::string> placed_files_with(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> placed;
  for (const LoaderForm& form : all_forms()) {
    if (std::find(names.begin(), names.end(), form.sign) != names.end())
      placed.insert(placed.end(), form.placed.begin(), form.placed.end());
    if (form.find_placed == nullptr) continue;
    for (std::string& name : form.find_placed(folder, names)) placed.push_back(std::move(name));
  }
  return placed;
}

void refresh_form_files(const DatasetRecords& records) {
  if (!records.shards || records.shards->empty()) return;
  for (const LoaderForm& form : all_forms()) {
    if (form.refresh != nullptr && is_in(form, records)) form.refresh(records);
  }
}

}  // namespace shardmill::dataset
