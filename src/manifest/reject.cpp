#include "manifest/reject.hpp"

#include <algorithm>
#include <type_traits>

#include "base/io/file.hpp"
#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

std::optional<RejectReason> reject_reason(std::string_view name) {
  const auto* const found = std::ranges::find(kReasons, name, &ReasonRow::name);
  if (found == kReasons.end()) return std::nullopt;
  return found->reason;
}

template <base::Either<Reject> Record>
void describe(auto& fields, Record& reject) {
  fields("dataset", reject.dataset);
  fields("source", reject.source);
  fields("key", reject.key);
  fields("speaker", reject.speaker);
  if constexpr (std::is_const_v<Record>) {
    if (reject.audio) fields.xxh3("audio_xxh3", *reject.audio);
  }
  fields("member", reject.member);
  fields.range("file_bytes", reject.file_bytes);
  fields.range("tar_bytes", reject.tar_bytes);
  fields.word("reason", reject.reason, reject_reason);
  fields("problem", reject.problem);
  fields("samples", reject.samples);
  fields.if_any("samples_unknown", reject.samples_unknown);
}

void append_line(std::string& out, const Reject& reject) {
  append_json_line(out, reject);
}

void read_record(const base::JsonValue& json, Reject& reject) {
  read_json_fields(json, reject);
  reject.audio.reset();
  if (json.find("audio_xxh3")) reject.audio = xxh3_field(json, "audio_xxh3");
}

std::string read_reject_lines(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;
  return base::read_text(path, kMostBytes);
}

}  // namespace shardmill::manifest
