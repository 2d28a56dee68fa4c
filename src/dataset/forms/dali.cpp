// NVIDIA DALI: one file for each shard, as wds2idx writes it, version 1.2. "a/x.tar" has "a/x.idx".
#include <fmt/format.h>

#include <iterator>

#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace {

std::string dali_index_name(std::string_view shard_name) {
  return without_tar(shard_name) + ".idx";
}

std::string dali_index(const ShardLayout& layout) {
  std::string out = fmt::format("v1.2 {}\n", layout.samples.size());
  for (const ShardLayout::Sample& sample : layout.samples) {
    for (const ShardLayout::Member& member : sample.members) {
      if (&member != &sample.members.front()) out += ' ';
      fmt::format_to(std::back_inserter(out), "{} {} {} {}", member.extension, member.offset, member.bytes,
                     member.name);
    }
    out += '\n';
  }
  return out;
}

class DaliIndexes final : public HeaderReader {
 public:
  explicit DaliIndexes(const std::string& folder) : folder_(folder) {}

  void write_beside(const ReadShard& shard, std::vector<manifest::Checksum>& files) override {
    files.push_back(write_whole(folder_, dali_index_name(shard.shard.name), dali_index(shard.layout)));
  }
  void finish(const std::vector<CountedShard>&, WrittenIndexes&) override {}

 private:
  std::string folder_;
};

bool is_dalis(std::string_view file) {
  return manifest::is_below(file, manifest::kShardFolder) && file.ends_with(".idx") &&
         !file.ends_with(".tar.idx");
}

}  // namespace

LoaderForm dali_form() {
  return {.name = "dali",
          .help = "X.idx for each X.tar, as NVIDIA DALI's wds2idx writes them",
          .needs_manifests = false,
          .owns = is_dalis,
          .files =
              [](const auto& shards, const auto&) {
                std::vector<std::string> names;
                for (const std::string& shard : shards) names.push_back(dali_index_name(shard));
                return names;
              },
          .read_headers = [](const FormWork& work) -> std::unique_ptr<HeaderReader> {
            return std::make_unique<DaliIndexes>(work.folder);
          }};
}

}  // namespace shardmill::dataset
