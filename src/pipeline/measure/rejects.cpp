#include "pipeline/measure/rejects.hpp"

#include <fmt/format.h>

#include <tuple>

#include "base/io/line_reader.hpp"
#include "source/file_name.hpp"

namespace shardmill::pipeline {

using manifest::Reject;
using manifest::RejectReason;

namespace {

/// Usually the number of lost samples is unknown. When they are listed, this reject counts none, because
/// each lost sample gets its own reject.
void set_loss(Reject& reject, bool is_listed) {
  if (is_listed) {
    reject.samples = 0;
  } else {
    reject.samples_unknown = true;
  }
}

/// Why samples are lost to the problem; nullopt when none is.
std::optional<RejectReason> reason_of(ShardProblem problem) {
  switch (problem) {
    // An odd name or a duplicate member shows in the sample itself.
    case ShardProblem::directory:
    case ShardProblem::odd_name:
    case ShardProblem::duplicate_member:
    case ShardProblem::lone_zero_block:
    // The search after a gap or a bad header has ended. The gap or the header was reported already.
    case ShardProblem::resumed:
      return std::nullopt;
    case ShardProblem::no_key:
      return RejectReason::not_a_sample;
    case ShardProblem::link:
    case ShardProblem::special_file:
    case ShardProblem::sparse_file:
      return RejectReason::unsafe_member;
    case ShardProblem::oversized_member:
      return RejectReason::too_large;
    case ShardProblem::truncated:
    case ShardProblem::no_end:
      return RejectReason::truncated_source;
    case ShardProblem::not_a_tar:
    case ShardProblem::bad_header:
    case ShardProblem::bad_extension:
    case ShardProblem::gap:
    case ShardProblem::data_after_end:
    case ShardProblem::zeros_after_end:
      return RejectReason::damaged_source;
  }
  return std::nullopt;
}

/// If the user did not want this sample anyway, gives that as the reason, so that it does not count as an
/// error.
void give_reason_of_filter(Reject& reject, const KeyPatterns& patterns) {
  if (auto why = patterns.find(reject.key.value_or("")))
    std::tie(reject.reason, reject.problem) = std::move(*why);
  if (!manifest::is_error(reject.reason)) reject.samples_unknown = false;
}

}  // namespace

Reject reject_of(const shard::GroupedSample& sample, const Origin& origin, RejectReason reason,
                 std::string problem) {
  Reject reject;
  reject.dataset = origin.dataset_name;
  reject.source = origin.source;
  reject.key = sample.sample.key;
  if (origin.is_tar) {
    const Member& last = sample.sample.members.back();
    reject.tar_bytes = Reject::ByteRange{sample.begin_offset, last.tar_offset + last.bytes.size()};
  }
  reject.reason = reason;
  reject.problem = std::move(problem);
  return reject;
}

Reject reject_of_damaged(const shard::GroupedSample& sample, const Origin& origin) {
  const auto refused = sample.refused ? reason_of(*sample.refused) : std::nullopt;
  Reject reject = reject_of(sample, origin, refused.value_or(RejectReason::damaged_source), sample.damage);
  if (sample.is_refusal_told) reject.samples = 0;
  return reject;
}

std::optional<Reject> reject_of(const ShardFinding& finding, const Origin& origin) {
  const auto reason = reason_of(finding.problem);
  if (!reason) return std::nullopt;
  Reject reject;
  reject.dataset = origin.dataset_name;
  reject.source = origin.source;
  if (!finding.name.empty()) reject.member = finding.name;
  reject.tar_bytes = Reject::ByteRange{finding.offset, finding.offset + finding.bytes};
  reject.reason = *reason;
  reject.problem = finding.text;
  const bool is_one_member = finding.problem == ShardProblem::bad_extension;
  const bool is_archive =
      finding.problem == ShardProblem::oversized_member && source::is_archive_name(finding.name);
  if ((is_damage(finding.problem) && !is_one_member) || is_archive) set_loss(reject, origin.is_listed);
  return reject;
}

Reject reject_of(const Damage& damage, const Origin& origin) {
  const Where& where = damage.error.where();
  Reject reject;
  reject.dataset = origin.dataset_name;
  reject.source = origin.source;
  if (where.offset) reject.file_bytes = Reject::ByteRange{*where.offset, *where.offset + damage.bytes};
  reject.reason = RejectReason::damaged_source;
  reject.problem = damage.error.problem();
  if (where.block) reject.problem = fmt::format("block {}: {}", *where.block, reject.problem);
  set_loss(reject, origin.is_listed && !damage.of_listing);
  return reject;
}

Reject reject_of(Reject&& lost, const Origin& origin, const KeyPatterns& keys) {
  lost.dataset = origin.dataset_name;
  lost.source = origin.source;
  give_reason_of_filter(lost, keys);
  return std::move(lost);
}

Reject reject_of(const Utterance& utterance, RejectReason reason, std::string problem) {
  Reject reject;
  reject.dataset = utterance.record.dataset;
  reject.source = utterance.record.source;
  reject.key = utterance.record.source_key;
  reject.reason = reason;
  reject.problem = std::move(problem);
  return reject;
}

Reject reject_of(const source::Unusable& unusable, const KeyPatterns& keys) {
  Reject reject;
  reject.dataset = unusable.dataset;
  reject.source = unusable.error.where().path;
  if (!unusable.key.empty()) reject.key = unusable.key;
  reject.problem = unusable.error.problem();
  switch (unusable.what) {
    case source::Unusable::What::file:
      reject.reason = RejectReason::unreadable_source;
      reject.samples = unusable.samples;
      reject.samples_unknown = !unusable.samples;
      break;
    case source::Unusable::What::audio:
      reject.reason = RejectReason::missing_audio;
      reject.samples = unusable.samples;
      break;
    case source::Unusable::What::segment:
      reject.reason = RejectReason::bad_segment;
      break;
    case source::Unusable::What::recording:
      reject.reason = RejectReason::no_segments;
      reject.samples_unknown = true;
      break;
    case source::Unusable::What::unlisted:
      reject.reason = RejectReason::unlisted;
      break;
    case source::Unusable::What::text:
      reject.reason = RejectReason::bad_text;
      break;
    case source::Unusable::What::no_subset:
      reject.reason = RejectReason::not_listed;
      break;
  }
  if (unusable.what != source::Unusable::What::file) give_reason_of_filter(reject, keys);
  return reject;
}

namespace {

// Room for numbers that are not known before the sample has its place, and for a key that may still change.
constexpr std::size_t kReservedBytes = 4096;
constexpr std::size_t kMostLineBytes = base::kLongestLine - kReservedBytes;
constexpr std::size_t kMostEscapedBytes = 6;  // \u0001

}  // namespace

std::optional<std::string> find_long_transcript(std::uint64_t bytes) {
  if (bytes <= base::kLongestLine) return std::nullopt;
  return fmt::format("has a transcript of {} bytes, more than the {} a line may have", bytes,
                     base::kLongestLine);
}

std::optional<std::string> find_long_line(const manifest::SampleRecord& record, std::string_view transcript) {
  const std::size_t texts = transcript.size() + record.key.size() + record.audio_filepath.size() +
                            record.dataset.size() + record.source.size() + record.source_key.size();
  if (kMostEscapedBytes * texts + record.facts.size() + kReservedBytes <= kMostLineBytes) return std::nullopt;
  manifest::SampleRecord with_text = record;
  with_text.text = std::string(transcript);
  std::string line;
  append_line(line, with_text);
  if (line.size() <= kMostLineBytes) return std::nullopt;
  return fmt::format("would have a manifest line of {} bytes, more than the {} a line may have", line.size(),
                     kMostLineBytes);
}

Error as_error(const manifest::Reject& reject, Remedy remedy) {
  Where where{.path = reject.source};
  if (reject.member) {
    where.member = *reject.member;
  } else if (reject.key) {
    where.member = *reject.key;
  }
  if (reject.tar_bytes) where.offset = reject.tar_bytes->begin;
  if (reject.file_bytes) where.offset = reject.file_bytes->begin;
  return Error(reject.problem, where, remedy);
}

}  // namespace shardmill::pipeline
