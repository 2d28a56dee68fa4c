#include "manifest/reject.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 31> kReasonNames{
    "no_audio",      "several_audio",   "no_text",        "bad_text",         "empty_audio",
    "bad_audio",     "truncated_audio", "too_short",      "too_long",         "duplicate_key",
    "unsafe_member", "too_large",       "damaged_source", "truncated_source", "unreadable_source",
    "not_a_sample",  "not_listed",      "missing_audio",  "no_segments",      "unlisted",
    "bad_segment",   "not_included",    "excluded",       "removed",          "duplicate_audio",
    "clipped",       "dc_offset",       "silent",         "narrow_band",      "uneven",
    "changed"};
static_assert(kReasonNames.size() == static_cast<std::size_t>(RejectReason::changed) + 1);

}  // namespace

bool is_error(RejectReason reason) {
  switch (reason) {
    case RejectReason::no_text:
    case RejectReason::too_short:
    case RejectReason::too_long:
    case RejectReason::duplicate_key:
    case RejectReason::not_a_sample:
    case RejectReason::not_listed:
    case RejectReason::not_included:
    case RejectReason::excluded:
    case RejectReason::removed:
    case RejectReason::duplicate_audio:
    case RejectReason::clipped:
    case RejectReason::dc_offset:
    case RejectReason::silent:
    case RejectReason::narrow_band:
    case RejectReason::uneven:
    case RejectReason::changed:
      return false;
    default:
      return true;
  }
}

std::string_view name(RejectReason reason) {
  return kReasonNames.at(static_cast<std::size_t>(reason));
}

std::optional<RejectReason> reject_reason(std::string_view name) {
  const auto found = std::find(kReasonNames.begin(), kReasonNames.end(), name);
  if (found == kReasonNames.end()) return std::nullopt;
  return static_cast<RejectReason>(std::distance(kReasonNames.begin(), found));
}

template <base::Either<Reject> Record>
void describe(auto& fields, Record& reject) {
  fields("dataset", reject.dataset);
  fields("source", reject.source);
  fields("key", reject.key);
  fields("speaker", reject.speaker);
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
}

}  // namespace shardmill::manifest
