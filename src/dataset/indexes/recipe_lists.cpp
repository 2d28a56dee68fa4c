#include "dataset/indexes/recipe_lists.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "dataset/indexes/index_file.hpp"
#include "manifest/recipe_list.hpp"
#include "manifest/sample_record.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::dataset {

using manifest::IndexKind;

namespace {

/// Fills the lists for SpeechBrain and Amphion, one sample after another.
class RecipeLists {
 public:
  RecipeLists(const IndexKinds& kinds, const std::string& folder)
      : folder_(folder), amphion_(has(kinds, IndexKind::amphion)) {
    if (!has(kinds, IndexKind::speechbrain)) return;
    speechbrain_.emplace(folder, std::string(manifest::kSpeechBrainList), "{}");
    speechbrain_table_.emplace(folder, std::string(manifest::kSpeechBrainTable));
    speechbrain_table_->write(manifest::kSpeechBrainColumns);
  }

  void add(const manifest::SampleRecord& record, const std::string& shard_name, const std::string& speaker) {
    if (speechbrain_) {
      speechbrain_->add(manifest::speechbrain_entry(record, shard_name, speaker));
      speechbrain_table_->write(manifest::speechbrain_row(record, shard_name, speaker));
    }
    if (!amphion_) return;
    auto [found, is_new] = corpora_.try_emplace(record.dataset);
    Corpus& corpus = found->second;
    if (is_new)
      corpus.list = std::make_unique<GrowingList>(folder_, manifest::amphion_list_name(record.dataset), "[]");
    const std::string& singer = speaker.empty() ? record.dataset : speaker;
    corpus.singers.insert(singer);
    corpus.list->add(manifest::amphion_entry(record, corpus.list->entries(), singer));
  }

  void commit(std::vector<manifest::Checksum>& files) {
    if (speechbrain_) {
      files.push_back(speechbrain_->commit());
      files.push_back(speechbrain_table_->commit());
    }
    for (const auto& [dataset, corpus] : corpora_) {
      files.push_back(corpus.list->commit());
      files.push_back(write_whole(folder_, manifest::amphion_test_list_name(dataset), "[]\n"));
      files.push_back(
          write_whole(folder_, manifest::amphion_singers_name(dataset), numbered(dataset, corpus.singers)));
    }
  }

 private:
  struct Corpus {
    std::unique_ptr<GrowingList> list;
    std::set<std::string> singers;
  };

  static std::string numbered(const std::string& dataset, const std::set<std::string>& singers) {
    std::string text;
    base::JsonWriter json(text, base::JsonWriter::Layout::indented);
    json.begin_object();
    std::uint64_t number = 0;
    for (const std::string& singer : singers) json.member(dataset + "_" + singer, number++);
    json.end_object();
    return text + '\n';
  }

  std::string folder_;
  bool amphion_;
  std::optional<GrowingList> speechbrain_;
  std::optional<IndexFile> speechbrain_table_;  // written together with the JSON list
  std::map<std::string, Corpus> corpora_;
};

void add_manifest(RecipeLists& lists, const ShardToIndex& shard, base::JsonParser& parser) {
  base::LineReader lines(shard.manifest);
  manifest::SampleRecord record;
  for (std::string_view line; lines.next(line);) {
    try {
      const base::JsonValue json = parser.parse(line);
      read_record(json, record);
      lists.add(record, shard.name, shard::speaker_of(json));
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }
}

}  // namespace

void write_recipe_lists(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                        const std::string& folder, base::Reporter& reporter, WrittenIndexes& written) {
  RecipeLists lists(kinds, folder);
  base::JsonParser parser;
  for (const ShardToIndex& shard : shards) {
    reporter.check_stop();
    add_manifest(lists, shard, parser);
  }
  lists.commit(written.files);
}

}  // namespace shardmill::dataset
