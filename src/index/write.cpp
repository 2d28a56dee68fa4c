#include "index/write.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "dataset/form_files.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/publish.hpp"
#include "dataset/records.hpp"
#include "dataset/relist.hpp"
#include "index/target.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"
#include "manifest/run_record.hpp"

namespace shardmill::index {

namespace {

/// Adds the new files to SHA256SUMS.
void record_checksums(const std::string& folder, const std::vector<manifest::Checksum>& files) {
  const std::string path = folder + "/" + std::string(manifest::kChecksums);
  std::map<std::string, manifest::Checksum> all;
  for (manifest::Checksum& checksum : manifest::read_checksums(path)) all[checksum.path] = checksum;
  for (const manifest::Checksum& checksum : files) {
    if (!dataset::depends_on_place(checksum.path)) all[checksum.path] = checksum;
  }
  std::string text;
  for (const auto& [name, checksum] : all) append_line(text, checksum);
  base::AtomicFile file(path);
  file.write(std::string_view(text));
  file.commit();
}

/// So that they are missed where SHA256SUMS is lost, too.
void record_kinds(const std::string& folder, const dataset::Forms& added) {
  const std::string path = folder + "/" + std::string(manifest::kRun);
  manifest::RunRecord run = manifest::read_run_record(path);
  dataset::Forms forms = dataset::added_forms(run);
  const std::size_t before = forms.size();
  for (const dataset::LoaderForm* const form : added) {
    if (!dataset::has(forms, form->name)) forms.push_back(form);
  }
  if (forms.size() == before) return;
  run.indexes = dataset::names(forms);
  base::AtomicFile file(path);
  file.write(std::string_view(to_json(run)));
  file.commit();
}

/// A database of an earlier state of the shards must not stay beside the new indexes.
void check_nothing_is_stale(const dataset::Forms& kinds, const std::string& folder,
                            const dataset::WrittenIndexes& written) {
  for (const dataset::LoaderForm* const form : kinds) {
    for (const std::string_view name : form->optional) {
      const bool is_new = std::any_of(written.files.begin(), written.files.end(),
                                      [&](const manifest::Checksum& file) { return file.path == name; });
      const std::string path = base::inside(folder, name);
      if (!is_new && base::may_exist(path))
        throw Error("is of an earlier state, and cannot be made for these shards", at(path), "remove it");
    }
  }
}

/// What is in the way cannot be replaced by options: this command has none for it.
void publish(dataset::StagedFiles& stage, const dataset::WrittenIndexes& written,
             const dataset::FileNames& owned) {
  try {
    stage.publish(written.files, owned);
  } catch (const Error& error) {
    if (error.remedy() == Remedy::none) throw;
    throw Error(error.problem(), error.where(), error.advice());
  }
}

IndexSummary summary_of(const Target& target, const dataset::WrittenIndexes& written) {
  IndexSummary summary{
      .folder = target.folder, .shards = target.shards.size(), .samples = target.samples, .files = {}};
  if (summary.samples == 0) summary.samples = written.samples;
  for (const manifest::Checksum& file : written.files) summary.files.push_back(file.path);
  return summary;
}

}  // namespace

IndexSummary index_shards(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  const Target target = shard_target(options);
  dataset::check_not_in_dataset(target.folder);
  dataset::check_work_folder_is_ours(target.folder);
  const auto lock =
      base::WriterLock::acquire(target.folder + "/" + std::string(manifest::kLockFile), options.command);
  dataset::StagedFiles stage(target.folder);
  dataset::Forms present;
  for (const dataset::LoaderForm& form : dataset::all_forms()) {
    if (!form.sign.empty() && base::may_exist(base::inside(target.folder, form.sign)))
      present.push_back(&form);
  }
  const dataset::Forms kinds = dataset::with_companions(options.kinds, present);
  const dataset::WrittenIndexes written =
      dataset::write_form_files(kinds, target.shards, stage.path(), workers, reporter);
  check_nothing_is_stale(kinds, target.folder, written);
  publish(stage, written, {});
  return summary_of(target, written);
}

IndexSummary index_dataset(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter) {
  dataset::check_is_finished(folder);
  const dataset::DatasetHold hold = dataset::DatasetHold::to_write(folder, options.command, reporter);
  const Target target = dataset_target(folder, options, workers, reporter);
  const dataset::Forms kinds =
      dataset::with_companions(options.kinds, dataset::forms_of(dataset::sound_records(folder)));
  dataset::StagedFiles stage(folder);
  const dataset::WrittenIndexes written =
      dataset::write_form_files(kinds, target.shards, stage.path(), workers, reporter);
  hold.check_same();
  check_nothing_is_stale(kinds, folder, written);
  publish(stage, written, dataset::dataset_file_names(folder));
  record_checksums(folder, written.files);
  record_kinds(folder, kinds);
  return summary_of(target, written);
}

IndexSummary relist_dataset(const std::string& folder, const IndexOptions& options,
                            pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<std::string> lists;
  {
    const dataset::DatasetHold hold = dataset::DatasetHold::to_write(folder, options.command, reporter);
    lists = dataset::relist(folder, options.list_root, workers, reporter);
  }
  IndexSummary summary{.folder = folder, .files = {}};
  if (!options.kinds.empty()) summary = index_dataset(folder, options, workers, reporter);
  summary.lists = std::move(lists);
  return summary;
}

}  // namespace shardmill::index
