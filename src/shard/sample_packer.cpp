#include "shard/sample_packer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "archive/tar_header.hpp"
#include "archive/tar_parser.hpp"
#include "shard/keys.hpp"

namespace shardmill::shard {
namespace {

constexpr std::string_view kTranscriptExtension = "txt";

struct Part {
  std::string name;
  std::span<const std::byte> bytes;
};

class Names {
 public:
  explicit Names(std::string_view key) : key_(key) {}

  /// Different extensions may become equal as safe extensions.
  std::string unique(std::string_view extension) {
    std::string safe = safe_extension(extension);
    while (std::find(taken_.begin(), taken_.end(), safe) != taken_.end()) safe += '_';
    taken_.push_back(safe);
    return std::string(key_) + "." + safe;
  }

 private:
  std::string_view key_;
  std::vector<std::string> taken_;
};

std::vector<Part> in_order(const SampleParts& sample) {
  Names names(sample.key);
  std::vector<Part> parts;
  if (sample.transcript) parts.push_back({names.unique(kTranscriptExtension), *sample.transcript});
  parts.push_back({names.unique(sample.audio_extension), sample.audio});
  std::vector<const Member*> extras;
  for (const Member& extra : sample.extras) extras.push_back(&extra);
  std::stable_sort(extras.begin(), extras.end(),
                   [](const Member* a, const Member* b) { return a->extension < b->extension; });
  for (const Member* extra : extras) parts.push_back({names.unique(extra->extension), extra->bytes});
  return parts;
}

class MemberCollector final : public archive::TarSink {
 public:
  void on_member(archive::TarMember&& member) override { members.push_back(std::move(member)); }
  void on_finding(ShardFinding&&) override {}  // there are no end blocks

  std::vector<archive::TarMember> members;
};

PackedSample write_parts(const std::vector<Part>& parts, std::size_t audio_index) {
  PackedSample packed;
  std::size_t total = 0;
  for (const Part& part : parts) {
    total += archive::kTarBlockBytes + part.bytes.size() + archive::padding_bytes(part.bytes.size());
  }
  packed.bytes.reserve(total);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    archive::append_header(packed.bytes, parts[i].name, parts[i].bytes.size());
    if (i == audio_index) {
      packed.audio_name = parts[i].name;
      packed.audio_offset = packed.bytes.size();
    }
    packed.bytes.insert(packed.bytes.end(), parts[i].bytes.begin(), parts[i].bytes.end());
    archive::append_padding(packed.bytes, parts[i].bytes.size());
  }
  return packed;
}

}  // namespace

PackedSample pack(const SampleParts& sample) {
  return write_parts(in_order(sample), sample.transcript ? 1 : 0);
}

PackedSample repack(const PackedSample& packed, std::string_view key) {
  MemberCollector collector;
  archive::TarParser parser(collector, packed.bytes.size());
  parser.feed(packed.bytes);
  std::vector<Part> parts;
  std::size_t audio_index = 0;
  for (const archive::TarMember& member : collector.members) {
    if (member.name == packed.audio_name) audio_index = parts.size();
    // A safe key has no dots, so the first dot ends it.
    parts.push_back({std::string(key) + member.name.substr(member.name.find('.')), member.bytes});
  }
  return write_parts(parts, audio_index);
}

double seconds(std::chrono::nanoseconds duration) {
  return static_cast<double>(duration.count()) / 1e9;
}

manifest::DatasetRecord::Balance balance_of(const std::vector<ShardTally>& tallies) {
  manifest::DatasetRecord::Balance balance;
  std::chrono::nanoseconds sum{};
  std::chrono::nanoseconds shortest = tallies.front().duration();
  std::chrono::nanoseconds longest{};
  balance.min_samples = tallies.front().samples();
  for (const ShardTally& tally : tallies) {
    const auto duration = tally.duration();
    sum += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
    balance.min_samples = std::min(balance.min_samples, tally.samples());
    balance.max_samples = std::max(balance.max_samples, tally.samples());
  }
  balance.min_seconds = seconds(shortest);
  balance.mean_seconds = seconds(sum) / static_cast<double>(tallies.size());
  balance.max_seconds = seconds(longest);
  return balance;
}

}  // namespace shardmill::shard
