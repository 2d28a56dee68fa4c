#include "dataset/index_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "manifest/loader_index.hpp"
#include "manifest/recipe_list.hpp"
#include "shard/layout.hpp"

namespace shardmill::dataset {

namespace {

using manifest::IndexKind;

bool has(const IndexKinds& kinds, IndexKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// A file that is being written; commit() gives it its name.
class IndexFile {
 public:
  IndexFile(const std::string& folder, std::string name) : name_(std::move(name)) {
    const std::string path = folder + "/" + name_;
    base::make_folders(std::filesystem::path(path).parent_path());
    file_.emplace(path);
  }

  void write(std::string_view text) {
    hash_.update(base::as_bytes(text));
    file_->write(text);
  }

  manifest::Checksum commit() {
    file_->commit();
    return {.sha256 = base::to_hex(hash_.digest()), .path = name_};
  }

 private:
  std::string name_;
  std::optional<base::AtomicFile> file_;
  base::Sha256 hash_;
};

manifest::Checksum write_whole(const std::string& folder, std::string name, std::string_view text) {
  IndexFile file(folder, std::move(name));
  file.write(text);
  return file.commit();
}

/// A JSON object or array that grows by one entry at a time, each in a line.
class GrowingList {
 public:
  GrowingList(const std::string& folder, std::string name, std::string_view brackets)
      : file_(folder, std::move(name)), end_(brackets.substr(1)) {
    file_.write(brackets.substr(0, 1));
  }

  void add(std::string_view entry) {
    file_.write(entries_++ == 0 ? "\n" : ",\n");
    file_.write(entry);
  }

  manifest::Checksum commit() {
    file_.write("\n");
    file_.write(end_);
    file_.write("\n");
    return file_.commit();
  }

  std::uint64_t entries() const { return entries_; }

 private:
  IndexFile file_;
  std::string_view end_;
  std::uint64_t entries_ = 0;
};

/// The speaker according to the source; empty when it does not say.
std::string speaker_in(const base::JsonValue& line) {
  const auto speaker = line.find("speaker");
  return speaker ? std::string(speaker->text()) : std::string();
}

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
      lists.add(record, shard.name, speaker_in(json));
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }
}

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

/// Writes the indexes of one shard. Returns how many samples it has and how large it is.
manifest::IndexedShard write_beside(const IndexKinds& kinds, const ShardToIndex& shard,
                                    const std::string& folder, std::vector<manifest::Checksum>& files) {
  const base::File tar = base::File::open_read(shard.path);
  const ShardLayout layout = shard::layout_of(tar);
  if (layout.samples.empty())
    throw Error("has no samples, and some loaders stop at such a shard", at(shard.path), "leave it out");
  if (has(kinds, IndexKind::wids)) manifest::check_for_wids(layout, shard.path);
  if (has(kinds, IndexKind::dali))
    files.push_back(write_whole(folder, manifest::dali_index_name(shard.name), manifest::dali_index(layout)));
  if (has(kinds, IndexKind::energon))
    files.push_back(
        write_whole(folder, manifest::energon_index_name(shard.name), manifest::energon_index(layout)));
  return {.name = shard.name, .samples = layout.samples.size(), .bytes = tar.size()};
}

void write_loader_indexes(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                          const std::string& folder, pipeline::Workers& workers, base::Reporter& reporter,
                          WrittenIndexes& written) {
  std::vector<manifest::IndexedShard> indexed(shards.size());
  std::mutex mutex;
  workers.for_each(shards.size(), [&](std::size_t i) {
    reporter.check_stop();
    std::vector<manifest::Checksum> files;
    indexed[i] = write_beside(kinds, shards[i], folder, files);
    const std::lock_guard lock(mutex);
    written.files.insert(written.files.end(), files.begin(), files.end());
  });
  const auto put = [&](std::string_view name, const std::string& text) {
    written.files.push_back(write_whole(folder, std::string(name), text));
  };
  if (has(kinds, IndexKind::wids)) put(manifest::kWidsIndex, manifest::wids_index(indexed));
  if (has(kinds, IndexKind::energon)) {
    put(manifest::kEnergonSplit, manifest::energon_split(indexed));
    put(manifest::kEnergonDataset, manifest::energon_dataset());
    put(manifest::kEnergonInfo, manifest::energon_info(indexed));  // this file makes it an Energon dataset
  }
  for (const manifest::IndexedShard& shard : indexed) written.samples += shard.samples;
}

bool is_loader_index(IndexKind kind) {
  return !needs_manifests(kind);
}

}  // namespace

void check_codec(const IndexKinds& kinds, codec::Codec codec) {
  if (codec == codec::Codec::none) return;
  const auto found = std::find_if(kinds.begin(), kinds.end(), manifest::needs_plain_tar);
  if (found == kinds.end()) return;
  throw UsageError(
      fmt::format("the {} index says where samples lie in a plain tar; in {} shards it is of no use",
                  name(*found), codec::name(codec)),
      {}, "--codec none, or leave that index out");
}

std::vector<std::string> index_file_names(const IndexKinds& kinds,
                                          const std::vector<std::string>& shard_names,
                                          const std::vector<std::string>& datasets) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) { names.emplace_back(name); };
  for (const std::string& shard : shard_names) {
    if (has(kinds, IndexKind::dali)) add(manifest::dali_index_name(shard));
    if (has(kinds, IndexKind::energon)) add(manifest::energon_index_name(shard));
  }
  if (has(kinds, IndexKind::wids)) add(manifest::kWidsIndex);
  if (has(kinds, IndexKind::energon)) {
    add(manifest::kEnergonInfo);
    add(manifest::kEnergonSplit);
    add(manifest::kEnergonDataset);
  }
  if (has(kinds, IndexKind::speechbrain)) {
    add(manifest::kSpeechBrainList);
    add(manifest::kSpeechBrainTable);
  }
  if (has(kinds, IndexKind::amphion)) {
    for (const std::string& dataset : datasets) {
      add(manifest::amphion_list_name(dataset));
      add(manifest::amphion_test_list_name(dataset));
      add(manifest::amphion_singers_name(dataset));
    }
  }
  return names;
}

WrittenIndexes write_index_files(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                                 const std::string& folder, pipeline::Workers& workers,
                                 base::Reporter& reporter) {
  WrittenIndexes written;
  if (std::any_of(kinds.begin(), kinds.end(), is_loader_index))
    write_loader_indexes(kinds, shards, folder, workers, reporter, written);
  if (std::any_of(kinds.begin(), kinds.end(), manifest::needs_manifests))
    write_recipe_lists(kinds, shards, folder, reporter, written);
  std::sort(written.files.begin(), written.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return written;
}

}  // namespace shardmill::dataset
