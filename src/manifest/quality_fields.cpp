#include "manifest/quality_fields.hpp"

#include "base/error.hpp"

namespace shardmill::manifest {

void write_quality(base::JsonWriter& json, const AudioQuality& quality) {
  json.begin_object()
      .member("clipped", quality.clipped)
      .member("dc_offset", quality.dc_offset)
      .member("digital_silence", quality.digital_silence);
  if (quality.all_zero) json.member("all_zero", true);
  if (quality.above_4khz_db) json.member("above_4khz_db", *quality.above_4khz_db);
  if (quality.narrow_band) json.member("narrow_band", true);
  json.end_object();
}

std::optional<AudioQuality> read_quality(const base::JsonValue& json) {
  if (!json.is_object()) return std::nullopt;
  const auto is_true = [&](std::string_view name) {
    const auto found = json.find(name);
    return found && found->line() == "true";
  };
  try {
    AudioQuality quality{.clipped = json["clipped"].number(),
                         .dc_offset = json["dc_offset"].number(),
                         .digital_silence = json["digital_silence"].number(),
                         .all_zero = is_true("all_zero")};
    if (const auto above = json.find("above_4khz_db")) quality.above_4khz_db = above->number();
    quality.narrow_band = is_true("narrow_band");
    return quality;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace shardmill::manifest
