// WebDataset's wids: one file for all shards, "wids-shard-index-v1". Names in it are relative to the file.
#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kWidsIndex = "shardindex.json";

/// Throws Error for a shard in which wids, which reads tars in its own way, would find other samples.
void check_for_wids(const ShardLayout& layout, const std::string& path) {
  constexpr std::string_view kAdvice =
      "leave wids out, or repack: shardmill gives all members short names of their own";
  std::unordered_set<std::string_view> names;
  for (const ShardLayout::Sample& sample : layout.samples) {
    for (const ShardLayout::Member& member : sample.members) {
      const Where where{.path = path, .member = member.name};
      if (!member.is_name_in_header)
        throw Error("wids knows only names of up to 100 bytes in the member's own header", where,
                    std::string(kAdvice));
      if (!names.insert(member.name).second)
        throw Error("wids finds members by their names, and this one is there twice", where,
                    std::string(kAdvice));
    }
  }
}

class WidsIndex final : public HeaderReader {
 public:
  explicit WidsIndex(const std::string& folder) : folder_(folder) {}

  void write_beside(const ReadShard& shard, std::vector<manifest::Checksum>&) override {
    check_for_wids(shard.layout, shard.shard.path);
  }

  void finish(const std::vector<CountedShard>& all, WrittenIndexes& written) override {
    std::vector<CountedShard> shards = all;
    std::sort(shards.begin(), shards.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    std::string text;
    base::JsonWriter json(text, base::JsonWriter::Layout::indented);
    json.begin_object().member("__kind__", "wids-shard-index-v1").member("wids_version", 1);
    json.key("shardlist").begin_array();
    for (const CountedShard& shard : shards) {
      json.begin_object().member("url", shard.name).member("nsamples", shard.samples);
      json.member("filesize", shard.bytes).end_object();
    }
    json.end_array().end_object();
    written.files.push_back(write_whole(folder_, std::string(kWidsIndex), text + '\n'));
  }

 private:
  std::string folder_;
};

}  // namespace

LoaderForm wids_form() {
  return {.name = "wids",
          .help = "shardindex.json, for WebDataset's ShardListDataset",
          .needs_manifests = false,
          .sign = kWidsIndex,
          .owns = [](std::string_view file) { return file == kWidsIndex; },
          .files = [](const auto&, const auto&) { return std::vector{std::string(kWidsIndex)}; },
          .read_headers = [](const FormWork& work) -> std::unique_ptr<HeaderReader> {
            return std::make_unique<WidsIndex>(work.folder);
          }};
}

}  // namespace shardmill::dataset
