// Amphion: for each dataset NAME the array amphion/NAME/train.json, an empty array in test.json, which
// Amphion also expects, and amphion/NAME/singers.json, which numbers the speakers. `Path` is relative to the
// folder where the user will unpack the shards.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/text/json_writer.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kAmphionFolder = "amphion";

std::string amphion_name(std::string_view dataset, std::string_view file) {
  return fmt::format("{}/{}/{}", kAmphionFolder, dataset, file);
}

std::string amphion_entry(const manifest::SampleRecord& record, std::uint64_t index,
                          std::string_view singer) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("Dataset", record.dataset);
  json.member("index", index);
  json.member("Singer", singer);
  json.member("Uid", record.key);
  json.member("Text", record.text.value_or(""));
  json.member("Path", fmt::format("{}/{}", kUnpackedAudio, record.audio_filepath));
  json.member("Duration", record.duration_seconds);
  json.end_object();
  return out;
}

std::string numbered_singers(const std::string& dataset, const std::set<std::string>& singers) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object();
  std::uint64_t number = 0;
  for (const std::string& singer : singers) json.member(dataset + "_" + singer, number++);
  json.end_object();
  return text + '\n';
}

struct AmphionCorpus {
  AmphionCorpus(const std::string& folder, std::string name) : list(folder, std::move(name), "[]") {}

  GrowingList list;
  std::set<std::string> singers{};
};

void write_amphion(const FormWork& work, WrittenIndexes& written) {
  std::map<std::string, AmphionCorpus> corpora;
  const auto add = [&](const manifest::SampleRecord& record, const base::JsonValue& line) {
    const auto found =
        corpora.try_emplace(record.dataset, work.folder, amphion_name(record.dataset, "train.json")).first;
    AmphionCorpus& corpus = found->second;
    const std::string speaker = shard::speaker_of(line);
    const std::string& singer = speaker.empty() ? record.dataset : speaker;
    corpus.singers.insert(singer);
    corpus.list.add(amphion_entry(record, corpus.list.entries(), singer));
  };
  for (const ShardToIndex& shard : work.shards) for_each_sample(shard.manifest, work.reporter, add);
  for (auto& [dataset, corpus] : corpora) {
    written.files.push_back(corpus.list.commit());
    written.files.push_back(write_whole(work.folder, amphion_name(dataset, "test.json"), "[]\n"));
    written.files.push_back(write_whole(work.folder, amphion_name(dataset, "singers.json"),
                                        numbered_singers(dataset, corpus.singers)));
  }
}

std::vector<std::string> amphion_names(const std::vector<std::string>&,
                                       const std::vector<std::string>& datasets) {
  std::vector<std::string> names;
  for (const std::string& dataset : datasets) {
    for (const std::string_view file : {"train.json", "test.json", "singers.json"})
      names.push_back(amphion_name(dataset, file));
  }
  return names;
}

}  // namespace

LoaderForm amphion_form() {
  return {.name = "amphion",
          .help =
              "amphion/NAME/train.json, singers.json and an empty test.json of each dataset, for\n"
              "its preprocessing",
          .needs_plain_tar = false,
          .lists_texts = true,
          .folder = kAmphionFolder,
          .owns = [](std::string_view file) { return manifest::is_below(file, kAmphionFolder); },
          .files = amphion_names,
          .write = write_amphion};
}

}  // namespace shardmill::dataset
