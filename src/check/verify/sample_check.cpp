#include "check/verify/sample_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "audio/containers.hpp"
#include "audio/flac.hpp"
#include "audio/probe.hpp"
#include "audio/sndfile.hpp"
#include "base/text/units.hpp"

namespace shardmill::check {

Finding::Severity severity_of(ShardProblem problem, ShardOf whose) {
  switch (problem) {
    case ShardProblem::resumed:  // the gap or the bad header before it was reported
      return Finding::Severity::note;
    case ShardProblem::directory:
    case ShardProblem::odd_name:
    case ShardProblem::no_key:
      return whose == ShardOf::dataset ? Finding::Severity::finding : Finding::Severity::note;
    case ShardProblem::link:
    case ShardProblem::special_file:
    case ShardProblem::sparse_file:
    case ShardProblem::oversized_member:
    case ShardProblem::duplicate_member:
    case ShardProblem::not_a_tar:
    case ShardProblem::bad_header:
    case ShardProblem::bad_extension:
    case ShardProblem::gap:
    case ShardProblem::truncated:
    case ShardProblem::no_end:
    case ShardProblem::lone_zero_block:
    case ShardProblem::data_after_end:
    case ShardProblem::zeros_after_end:
      break;
  }
  return Finding::Severity::finding;
}

namespace {

using Item = SampleCheck::Item;

constexpr std::uint64_t kBatchBytes = 16 << 20;

/// Why readers of this audio would stop too early, leave some of it out or find nothing; empty when they
/// would not.
std::string hidden_audio(const audio::ProbeResult& probed) {
  if (!probed.usable()) return probed.text;
  if (probed.info.format.starts_with("ogg/")) {
    if (probed.trailing_bytes == 0) return {};
    return fmt::format("has {} after its last Ogg page: libsndfile finds no length",
                       base::format_count(probed.trailing_bytes, "byte"));
  }
  if (probed.hidden_bytes == 0) return {};
  if (probed.verdict == audio::ProbeVerdict::size_unknown)
    return "its header gives 0 bytes of audio: most readers find none";
  return fmt::format("its header leaves out {} of audio, which most readers lose",
                     base::format_count(probed.hidden_bytes, "byte"));
}

void report(const Item& item, Finding::Severity severity, std::string what, FindingList& findings) {
  findings.add({.severity = severity,
                .where = {.path = item.place.shard, .member = item.place.member},
                .tar_offset = item.place.tar_offset,
                .what = std::move(what)});
}

void check_frames(const Item& item, FindingList& findings) {
  if (!item.info.format.starts_with("flac")) return;
  std::string damage = audio::flac_damage(audio::ByteView(item.audio));
  if (!damage.empty()) report(item, Finding::Severity::finding, std::move(damage), findings);
}

/// Reports audio that readers do not see. False when there is some.
bool shows_all(const Item& item, const audio::ProbeResult& probed, FindingList& findings) {
  if (std::string hidden = hidden_audio(probed); !hidden.empty()) {
    report(item, Finding::Severity::finding, std::move(hidden), findings);
    return false;
  }
  if (probed.trailing_bytes > 0) {
    report(item, Finding::Severity::note,
           fmt::format("has {} after the end that its header gives",
                       base::format_count(probed.trailing_bytes, "byte")),
           findings);
  }
  return true;
}

void judge(const Item& item, const audio::DecodedAudio& decoded, FindingList& findings) {
  if (!decoded.damage.empty()) {
    const bool all_there = decoded.frames == item.info.frames;
    report(item, Finding::Severity::finding,
           all_there ? decoded.damage
                     : fmt::format("cannot be decoded after frame {}: {}", decoded.frames, decoded.damage),
           findings);
  } else if (decoded.frames != item.info.frames) {
    const bool is_whole = audio::is_whole(item.info, decoded.frames);
    report(item, is_whole ? Finding::Severity::note : Finding::Severity::finding,
           fmt::format("decodes to {} frames, not {}", decoded.frames, item.info.frames), findings);
  }
  if (decoded.non_finite)
    report(item, Finding::Severity::note, "holds values that are not finite numbers", findings);
  if (decoded.silent && decoded.frames > 0)
    report(item, Finding::Severity::note, "is silent: every value is zero", findings);
}

bool is_flac(const Item& item) {
  return item.info.format.starts_with("flac/");
}

using Items = std::span<const Item>;

void check_flacs(Items items, FindingList& findings) {
  std::vector<const Item*> decodable;
  std::vector<std::span<const std::byte>> flacs;
  for (const Item& item : items) {
    if (!shows_all(item, audio::probe(item.audio), findings)) continue;
    decodable.push_back(&item);
    flacs.emplace_back(item.audio);
  }
  const std::vector<audio::DecodedAudio> decoded = audio::decode_flacs(flacs);
  for (std::size_t i = 0; i < decoded.size(); ++i) judge(*decodable[i], decoded[i], findings);
}

void check_other(const Item& item, FindingList& findings) {
  const audio::ProbeResult probed = audio::probe(item.audio);
  if (!shows_all(item, probed, findings)) return;
  if (const auto decoded = audio::sndfile_decode(probed.decoded ? *probed.decoded : item.audio))
    return judge(item, *decoded, findings);
  report(item, Finding::Severity::finding, "libsndfile cannot read it", findings);
}

/// Divides the work into groups, one group for a thread at a time. FLACs are checked together, but in groups
/// small enough that every thread gets some.
std::vector<Items> groups_of(Items items, unsigned threads) {
  const std::size_t most = items.size() / (std::size_t{2} * threads) + 1;
  std::vector<Items> groups;
  while (!items.empty()) {
    const auto end = std::find_if_not(items.begin(), items.end(), is_flac);
    const auto flacs = static_cast<std::size_t>(end - items.begin());
    const std::size_t count = std::clamp<std::size_t>(flacs, 1, most);
    groups.push_back(items.first(count));
    items = items.subspan(count);
  }
  return groups;
}

}  // namespace

SampleCheck::SampleCheck(AudioDepth depth, pipeline::Workers& workers, FindingList& findings)
    : depth_(depth),
      workers_(workers),
      findings_(findings),
      batch_bytes_(std::min(kBatchBytes, workers.memory_bytes() / 2 / workers.threads())) {}

void SampleCheck::take(AudioPlace place, const manifest::SampleRecord& record, Bytes&& audio) {
  switch (depth_) {
    case AudioDepth::headers:
      return;
    case AudioDepth::frames:
      return check_frames({.place = std::move(place), .audio = std::move(audio), .info = record.audio},
                          findings_);
    case AudioDepth::values:
      bytes_ += audio.size();
      items_.push_back({.place = std::move(place), .audio = std::move(audio), .info = record.audio});
      if (bytes_ >= batch_bytes_) flush();
  }
}

void SampleCheck::flush() {
  const std::vector<Items> groups = groups_of(items_, workers_.threads());
  workers_.for_each(groups.size(), [&](std::size_t index) {
    const Items group = groups[index];
    if (is_flac(group.front())) {
      check_flacs(group, findings_);
    } else {
      check_other(group.front(), findings_);
    }
  });
  items_.clear();
  bytes_ = 0;
}

}  // namespace shardmill::check
