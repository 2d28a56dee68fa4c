// SpeechBrain: one JSON object with all samples by key, for DynamicItemDataset.from_json(path, {"data_root":
// DIR}), and the same as a table for from_csv(). `wav` is the shard; the audio is `wav_bytes` bytes of it at
// `wav_offset`. SpeechBrain reads `$` before a letter or digit in the table as a variable, and has no way to
// escape it, so such texts can only be read from the JSON.
#include <fmt/format.h>

#include "base/text/json_writer.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kSpeechBrainList = "speechbrain.json";
constexpr std::string_view kSpeechBrainTable = "speechbrain.csv";

/// Doubles the braces, because SpeechBrain gives all texts to Python's str.format().
std::string without_fields(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

/// A field of CSV, always in quotes: without them, blanks at the beginning would be lost.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

std::string speechbrain_entry(const manifest::SampleRecord& record, std::string_view shard_name,
                              std::string_view speaker) {
  std::string out;
  base::append_json_string(out, record.key);
  out += ": ";
  base::JsonWriter json(out);
  json.begin_object();
  json.member("duration", record.duration_seconds);
  json.member("wav", fmt::format("{{data_root}}/{}", shard_name));
  json.member("wav_offset", record.tar_offset);
  json.member("wav_bytes", record.audio_bytes);
  json.member("spk_id", without_fields(speaker));
  json.member("wrd", without_fields(record.text.value_or("")));
  json.end_object();
  return out;
}

std::string speechbrain_row(const manifest::SampleRecord& record, std::string_view shard_name,
                            std::string_view speaker) {
  return fmt::format("{},{},$data_root/{},{},{},{},{}\n", in_quotes(record.key), record.duration_seconds,
                     shard_name, record.tar_offset, record.audio_bytes, in_quotes(speaker),
                     in_quotes(record.text.value_or("")));
}

void write_speechbrain(const FormWork& work, WrittenIndexes& written) {
  GrowingList list(work.folder, std::string(kSpeechBrainList), "{}");
  SummedFile table(work.folder, std::string(kSpeechBrainTable));
  table.write("ID,duration,wav,wav_offset,wav_bytes,spk_id,wrd\n");
  for (const ShardToIndex& shard : work.shards) {
    for_each_sample(shard.manifest, work.reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue& line) {
                      const std::string speaker = shard::speaker_of(line);
                      list.add(speechbrain_entry(record, shard.name, speaker));
                      table.write(speechbrain_row(record, shard.name, speaker));
                    });
  }
  written.files.push_back(list.commit());
  written.files.push_back(table.commit());
}

}  // namespace

LoaderForm speechbrain_form() {
  return {.name = "speechbrain",
          .help = "speechbrain.json and .csv, for DynamicItemDataset.from_json and .from_csv",
          .lists_texts = true,
          .sign = kSpeechBrainList,
          .owns = [](std::string_view file) { return file == kSpeechBrainList || file == kSpeechBrainTable; },
          .files =
              [](const auto&, const auto&) {
                return std::vector{std::string(kSpeechBrainList), std::string(kSpeechBrainTable)};
              },
          .write = write_speechbrain};
}

}  // namespace shardmill::dataset
