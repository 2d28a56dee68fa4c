#include "dataset/forms/samples.hpp"

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/line_reader.hpp"

namespace shardmill::dataset {

void for_each_sample(const std::string& manifest, base::Reporter& reporter, const UseSample& use) {
  base::LineReader lines(manifest);
  base::JsonParser parser;
  manifest::SampleRecord record;
  for (std::string_view line; lines.next(line);) {
    reporter.check_stop();
    try {
      const base::JsonValue json = parser.parse(line);
      read_record(json, record);
      use(record, json);
    } catch (const Error& error) {
      if (!error.where().path.empty()) throw;
      throw lines.here(error);
    }
  }
}

std::string fact_text(const base::JsonValue& line, std::string_view fact) {
  const auto value = line.find(fact);
  if (!value || value->is_null() || value->is_array() || value->is_object()) return {};
  std::string text = value->line();
  return text.starts_with('"') ? std::string(value->text()) : text;
}

SampleAudio::SampleAudio(const std::string& shard) : tar_(base::File::open_read(shard)) {}

std::span<const std::byte> SampleAudio::read(const manifest::SampleRecord& record) {
  audio_.resize(record.audio_bytes);
  const std::size_t got = tar_.read_at(audio_, record.tar_offset);
  if (got == audio_.size() && base::xxh3_128(audio_) == record.xxh3) return audio_;
  throw Error("is not the audio that the manifest describes",
              Where{.path = tar_.path(), .member = record.audio_filepath, .offset = record.tar_offset},
              "shardmill verify shows the damage");
}

}  // namespace shardmill::dataset
