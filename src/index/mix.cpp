#include "index/mix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"

namespace shardmill::index {

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
