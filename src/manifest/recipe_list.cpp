#include "manifest/recipe_list.hpp"

#include <fmt/format.h>

#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

namespace {

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

}  // namespace

std::string speechbrain_entry(const SampleRecord& record, std::string_view shard_name,
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

std::string speechbrain_row(const SampleRecord& record, std::string_view shard_name,
                            std::string_view speaker) {
  return fmt::format("{},{},$data_root/{},{},{},{},{}\n", in_quotes(record.key), record.duration_seconds,
                     shard_name, record.tar_offset, record.audio_bytes, in_quotes(speaker),
                     in_quotes(record.text.value_or("")));
}

std::string amphion_list_name(std::string_view dataset) {
  return fmt::format("{}/{}/train.json", kAmphionFolder, dataset);
}

std::string amphion_test_list_name(std::string_view dataset) {
  return fmt::format("{}/{}/test.json", kAmphionFolder, dataset);
}

std::string amphion_singers_name(std::string_view dataset) {
  return fmt::format("{}/{}/singers.json", kAmphionFolder, dataset);
}

std::string amphion_entry(const SampleRecord& record, std::uint64_t index, std::string_view speaker) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("Dataset", record.dataset);
  json.member("index", index);
  json.member("Singer", speaker);
  json.member("Uid", record.key);
  json.member("Text", record.text.value_or(""));
  json.member("Path", fmt::format("{}/{}", kAmphionAudio, record.audio_filepath));
  json.member("Duration", record.duration_seconds);
  json.end_object();
  return out;
}

}  // namespace shardmill::manifest
