#include "dataset/indexes/manifest_lines.hpp"

#include "base/error.hpp"
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

}  // namespace shardmill::dataset
