// Megatron-Energon: one file for each shard ("a/x.tar" has "a/x.tar.idx") with the places where its samples
// begin and where the last one ends, and files for all in their own folder. All shards are in the train
// split, and are read as crude samples. The database finds single samples by their keys; the UUID changes
// with it.
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/energon_database.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kEnergonFolder = ".nv-meta";
constexpr std::string_view kEnergonInfo = ".nv-meta/.info.json";
constexpr std::string_view kEnergonSplit = ".nv-meta/split.yaml";
constexpr std::string_view kEnergonDataset = ".nv-meta/dataset.yaml";

std::string energon_info(const std::vector<CountedShard>& shards) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object().key("shard_counts").begin_object();
  for (const CountedShard& shard : shards) json.member(shard.name, shard.samples);
  json.end_object().end_object();
  return out + '\n';
}

/// Throws Error for a shard name that Energon would read as a pattern.
std::string energon_split(const std::vector<CountedShard>& shards) {
  std::string out = "split_parts:\n  train:\n";
  for (const CountedShard& shard : shards) {
    if (shard.name.find_first_of("{}\\") != std::string::npos)
      throw Error("Energon reads the braces or the backslash in its name as a pattern", at(shard.name),
                  "rename the shard");
    out += "  - ";
    base::append_json_string(out, shard.name);  // YAML reads this, too
    out += '\n';
  }
  return out + "exclude: []\n";
}

class EnergonFiles final : public HeaderReader {
 public:
  explicit EnergonFiles(const FormWork& work) : work_(work), database_(work.folder) {}

  void write_beside(const ReadShard& shard, std::vector<manifest::Checksum>& files) override {
    files.push_back(write_whole(work_.folder, tar_index_name(shard.shard.name),
                                sample_places(shard.layout, shard.layout.end_offset)));
  }

  bool takes_all_in_order() const override { return true; }

  void add(const ReadShard& shard) override {
    database_.add(shard.layout, shard.shard.path, shard.shard.name, shard.shard.sha256);
    if (!shard.shard.manifest.empty()) database_.add_media(shard.shard.manifest, work_.reporter);
  }

  void finish(const std::vector<CountedShard>& shards, WrittenIndexes& written) override {
    const auto put = [&](std::string_view name, const std::string& text) {
      written.files.push_back(write_whole(work_.folder, std::string(name), text));
    };
    put(kEnergonSplit, energon_split(shards));
    put(kEnergonDataset, "__module__: megatron.energon\n__class__: CrudeWebdataset\n");
    if (database_.obstacle()) {
      work_.reporter.warn(*database_.obstacle());
    } else {
      for (manifest::Checksum& file : database_.commit()) written.files.push_back(std::move(file));
    }
    put(kEnergonInfo, energon_info(shards));  // this file makes it an Energon dataset
  }

 private:
  FormWork work_;
  EnergonDatabase database_;
};

std::vector<std::string> energon_names(const std::vector<std::string>& shards,
                                       const std::vector<std::string>&) {
  std::vector<std::string> names;
  for (const std::string& shard : shards) names.push_back(tar_index_name(shard));
  for (const std::string_view name :
       {kEnergonInfo, kEnergonSplit, kEnergonDataset, kEnergonDatabase, kEnergonUuid})
    names.emplace_back(name);
  return names;
}

bool is_energons(std::string_view file) {
  return manifest::is_below(file, kEnergonFolder) ||
         (manifest::is_below(file, manifest::kShardFolder) && file.ends_with(".tar.idx"));
}

}  // namespace

LoaderForm energon_form() {
  return {.name = "energon",
          .help = "X.tar.idx for each X.tar, and .nv-meta/, as Megatron-Energon prepares a dataset",
          .needs_manifests = false,
          .folder = kEnergonFolder,
          .sign = kEnergonInfo,
          .companion = "lhotse",
          .optional = {kEnergonDatabase, kEnergonUuid},
          .owns = is_energons,
          .files = energon_names,
          .read_headers = [](const FormWork& work) -> std::unique_ptr<HeaderReader> {
            return std::make_unique<EnergonFiles>(work);
          }};
}

}  // namespace shardmill::dataset
