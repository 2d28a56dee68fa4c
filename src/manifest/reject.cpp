#include "manifest/reject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

namespace {

using ByteRange = Reject::ByteRange;

// In the order of the enumerators.
constexpr std::array<std::string_view, 30> kReasonNames{
    "no_audio",      "several_audio",   "no_text",        "bad_text",         "empty_audio",
    "bad_audio",     "truncated_audio", "too_short",      "too_long",         "duplicate_key",
    "unsafe_member", "too_large",       "damaged_source", "truncated_source", "unreadable_source",
    "not_a_sample",  "not_listed",      "missing_audio",  "no_segments",      "unlisted",
    "bad_segment",   "not_included",    "excluded",       "removed",          "duplicate_audio",
    "clipped",       "dc_offset",       "silent",         "narrow_band",      "uneven"};
static_assert(kReasonNames.size() == static_cast<std::size_t>(RejectReason::uneven) + 1);

void write_range(base::JsonWriter& json, std::string_view name, const std::optional<ByteRange>& range) {
  if (range) json.key(name).begin_array().value(range->begin).value(range->end).end_array();
}

std::optional<std::string> optional_text(const base::JsonValue& json, std::string_view name) {
  const auto found = json.find(name);
  return found ? std::optional(std::string(found->text())) : std::nullopt;
}

std::optional<ByteRange> read_range(const base::JsonValue& json, std::string_view name) {
  const auto found = json.find(name);
  if (!found) return std::nullopt;
  const auto ends = found->elements();
  if (ends.size() != 2) throw Error(fmt::format("'{}' is not a pair", name));
  const ByteRange range{ends[0].unsigned_integer(), ends[1].unsigned_integer()};
  if (range.begin > range.end) throw Error(fmt::format("'{}' ends before it begins", name));
  return range;
}

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

void append_line(std::string& out, const Reject& reject) {
  base::JsonWriter json(out);
  json.begin_object().member("dataset", reject.dataset).member("source", reject.source);
  if (reject.key) json.member("key", *reject.key);
  if (reject.speaker) json.member("speaker", *reject.speaker);
  if (reject.member) json.member("member", *reject.member);
  write_range(json, "file_bytes", reject.file_bytes);
  write_range(json, "tar_bytes", reject.tar_bytes);
  json.member("reason", name(reject.reason)).member("problem", reject.problem);
  if (reject.samples) json.member("samples", *reject.samples);
  if (reject.samples_unknown) json.member("samples_unknown", true);
  json.end_object();
  out += '\n';
}

void read_record(const base::JsonValue& json, Reject& reject) {
  reject.dataset = json["dataset"].text();
  reject.source = json["source"].text();
  reject.key = optional_text(json, "key");
  reject.speaker = optional_text(json, "speaker");
  reject.member = optional_text(json, "member");
  reject.file_bytes = read_range(json, "file_bytes");
  reject.tar_bytes = read_range(json, "tar_bytes");
  const auto reason = reject_reason(json["reason"].text());
  if (!reason)
    throw Error(fmt::format("'reason' is '{}', which is no known reason", printable(json["reason"].text())));
  reject.reason = *reason;
  reject.problem = json["problem"].text();
  const auto samples = json.find("samples");
  reject.samples = samples ? std::optional(samples->unsigned_integer()) : std::nullopt;
  const auto unknown = json.find("samples_unknown");
  reject.samples_unknown = unknown && unknown->line() == "true";
}

}  // namespace shardmill::manifest
