#include "index/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "check/dataset_check.hpp"
#include "check/verification.hpp"
#include "codec/codec.hpp"
#include "codec/file_facts.hpp"
#include "dataset/form_files.hpp"
#include "dataset/hold.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/publish.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "source/source_set.hpp"

namespace shardmill::index {

namespace fs = std::filesystem;

namespace {

/// The deepest folder that contains all of them.
fs::path common_folder(const std::vector<std::string>& paths) {
  fs::path common = fs::path(paths.front()).parent_path();
  for (const std::string& path : paths) {
    const auto inside = [&] {
      const fs::path relative = fs::path(path).lexically_relative(common);
      return !relative.empty() && *relative.begin() != "..";
    };
    while (!inside()) common = common.parent_path();
  }
  return common;
}

/// Names the folder, too.
void check_shard_codec(const IndexOptions& options, codec::Codec codec, const std::string& folder) {
  try {
    dataset::check_codec(options.kinds, codec);
  } catch (const UsageError& error) {
    throw UsageError(error.problem(), at(folder), error.advice(), error.remedy());
  }
}

}  // namespace

Target dataset_target(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                      base::Reporter& reporter) {
  Target target{.folder = folder};
  const check::SoundDataset sound = check::sound_dataset(folder, workers, reporter);
  const std::string root = sound.records.list_root();
  dataset::check_root(options.kinds, root);
  for (const check::SoundShard& shard : sound.shards) {
    check_shard_codec(options, shard.codec, folder);
    target.samples += shard.record.samples;
    target.shards.push_back({.path = shard.path,
                             .name = shard.path.substr(folder.size() + 1),
                             .manifest = base::inside(folder, manifest::manifest_path(target.shards.size())),
                             .listed = manifest::listed_path(root, shard.record.path),
                             .sha256 = shard.record.sha256});
  }
  return target;
}

Target shard_target(const IndexOptions& options) {
  for (const dataset::LoaderForm* const form : options.kinds) {
    if (form->needs_manifests)
      throw UsageError(
          fmt::format("the {} list is made from manifests, which these shards do not have", form->name),
          at(options.targets.front()), "shardmill repack writes them");
  }
  const source::SourceSet found = source::find_sources(
      options.targets, {.on_unusable = source::OnUnusable::stop, .corpora = false, .allow_commands = false});
  std::vector<std::string> paths;
  for (const source::SourceDataset& dataset : found.datasets) {
    for (const source::SourceFile& file : dataset.files) paths.push_back(base::canonical(file.path));
  }
  std::error_code unreadable;  // ignored: an unreadable file would not have been found
  const bool is_folder = options.targets.size() == 1 && fs::is_directory(options.targets.front(), unreadable);
  Target target{.folder =
                    is_folder ? base::canonical(options.targets.front()) : common_folder(paths).string()};
  for (const std::string& path : paths) {
    if (const codec::Codec codec = codec::codec_of(base::File::open_read(path)); codec != codec::Codec::none)
      throw Error(fmt::format("is compressed with {}: an index says where samples lie in a plain tar",
                              codec::name(codec)),
                  at(path), "shardmill convert --codec none makes it plain");
    target.shards.push_back(
        {.path = path, .name = fs::path(path).lexically_relative(target.folder).string(), .manifest = {}});
  }
  return target;
}

namespace {

/// Adds the new files to SHA256SUMS.
void record_checksums(const std::string& folder, const std::vector<manifest::Checksum>& files) {
  const std::string path = base::inside(folder, manifest::kChecksums);
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
  const std::string path = base::inside(folder, manifest::kRun);
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
        throw Error("is an index of an earlier state of the dataset, and cannot be made for these shards",
                    at(path), "remove it");
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

/// Indexes shards that shardmill did not make. The indexes go next to files that are not ours.
IndexSummary index_shards(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  const Target target = shard_target(options);
  dataset::check_not_in_dataset(target.folder);
  dataset::check_work_folder_is_ours(target.folder);
  const auto lock =
      base::WriterLock::acquire(base::inside(target.folder, manifest::kLockFile), options.command);
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

/// Indexes the shards of a finished dataset, and adds the indexes to SHA256SUMS.
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

/// Rewrites the lists of paths of a dataset that was moved, then the indexes if any are wanted.
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

}  // namespace

IndexSummary run_index(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  if (options.targets.size() != 1 || !check::is_dataset_folder(options.targets.front())) {
    if (!options.list_root.empty())
      throw UsageError("is not a dataset that shardmill made: it has no lists to move",
                       at(options.targets.front()));
    return index_shards(options, workers, reporter);
  }
  const std::string folder = base::without_end_slashes(options.targets.front());
  return options.list_root.empty() ? index_dataset(folder, options, workers, reporter)
                                   : relist_dataset(folder, options, workers, reporter);
}

namespace {

/// A finished dataset, and where its loader finds it.
struct Mixed {
  manifest::DatasetRecord record;
  std::string root;
};

Mixed look_up(const std::string& folder, MixKind kind) {
  dataset::check_is_finished(folder);
  const dataset::DatasetRecords records = dataset::sound_records(folder);
  Mixed mixed{.record = *records.dataset, .root = records.list_root()};
  if (mixed.record.samples == 0 || mixed.record.seconds <= 0)
    throw Error("holds no audio in shards", at(folder));
  if (!mixed.record.shard_files.ends_with(".tar"))
    throw Error("has compressed shards, which this loader does not read", at(folder),
                "make it again with plain shards");
  const std::string_view energon = dataset::form_named("energon")->folder;
  if (kind == MixKind::energon && !base::may_exist(base::inside(folder, energon)))
    throw Error(fmt::format("has no {}, without which Energon does not read it", energon), at(folder),
                "shardmill index writes it");
  return mixed;
}

/// How NeMo writes a range, for braces mean something else in its configurations.
std::string in_nemo_notation(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '{') {
      text += "_OP_";
    } else if (c == '}') {
      text += "_CL_";
    } else {
      text += c;
    }
  }
  return text;
}

std::string manifests_of(const Mixed& mixed) {
  const std::uint64_t last = mixed.record.shards - 1;
  const std::string all = last == 0 ? manifest::manifest_file_name(0)
                                    : fmt::format("manifest__OP_{:09}..{:09}_CL_.json", 0, last);
  return fmt::format("{}/{}/{}", mixed.root, manifest::kManifestFolder, all);
}

std::string comment(const Mix::Part& part) {
  return fmt::format("# {}: {}, {:.2f}% of the audio that is read\n", printable(part.folder),
                     base::format_audio(part.seconds), 100 * part.share);
}

std::string nemo_yaml(const std::vector<Mixed>& datasets, const Mix& mix) {
  std::string yaml;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const Mixed& mixed = datasets[i];
    yaml += comment(mix.parts[i]);
    yaml += "- type: nemo_tarred\n";
    yaml += fmt::format("  manifest_filepath: {}\n", base::json_string(manifests_of(mixed)));
    yaml += fmt::format("  tarred_audio_filepaths: {}\n",
                        base::json_string(mixed.root + "/" + in_nemo_notation(mixed.record.shard_files)));
    yaml += fmt::format("  weight: {:.9f}\n", mix.parts[i].weight);
  }
  return yaml;
}

std::string energon_yaml(const std::vector<Mixed>& datasets, const Mix& mix) {
  std::string yaml =
      "__module__: megatron.energon\n__class__: MetadatasetV2\nsplits:\n  train:\n    blend:\n";
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    yaml += "      " + comment(mix.parts[i]);
    yaml += fmt::format("      - weight: {:.9f}\n        path: {}\n", mix.parts[i].weight,
                        base::json_string(datasets[i].root));
  }
  return yaml;
}

}  // namespace

Mix mix_datasets(const MixOptions& options) {
  std::vector<Mixed> datasets;
  std::set<std::string> seen;
  Mix mix;
  for (const std::string& given : options.folders) {
    const std::string folder = base::without_end_slashes(given);
    if (!seen.insert(base::canonical(folder)).second) throw UsageError("is given twice", at(folder));
    datasets.push_back(look_up(folder, options.kind));
    mix.parts.push_back({.folder = folder, .seconds = datasets.back().record.seconds});
  }
  double all_shares = 0;
  double all_weights = 0;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const manifest::DatasetRecord& record = datasets[i].record;
    Mix::Part& part = mix.parts[i];
    part.share = std::pow(part.seconds, options.temperature);
    // These loaders draw samples, and a share is one of time: the longer the samples, the fewer are drawn.
    part.weight = part.share * static_cast<double>(record.samples) / part.seconds;
    all_shares += part.share;
    all_weights += part.weight;
  }
  for (Mix::Part& part : mix.parts) {
    part.share /= all_shares;
    part.weight /= all_weights;
  }
  mix.yaml = options.kind == MixKind::nemo ? nemo_yaml(datasets, mix) : energon_yaml(datasets, mix);
  return mix;
}

}  // namespace shardmill::index
