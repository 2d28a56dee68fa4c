#include "pipeline/utterance.hpp"

#include <string>

namespace shardmill::pipeline {

std::chrono::nanoseconds duration_of(const AudioInfo& audio) {
  constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
  const std::uint64_t rate = audio.sample_rate;
  // Whole seconds are computed separately, so that the product cannot overflow for recordings of any length.
  const std::uint64_t whole = audio.frames / rate * kNanosecondsPerSecond;
  return std::chrono::nanoseconds(whole + audio.frames % rate * kNanosecondsPerSecond / rate);
}

void rename(Utterance& utterance) {
  utterance.packed = shard::repack(utterance.packed, utterance.record.key);
  utterance.record.audio_filepath = utterance.packed.audio_name;
}

namespace {

constexpr std::uint64_t kHasText = 1;
constexpr std::uint64_t kTextCleaned = 2;
constexpr std::uint64_t kReencoded = 4;

std::uint64_t flags_of(const Utterance& utterance) {
  return (utterance.has_text ? kHasText : 0) | (utterance.text_cleaned ? kTextCleaned : 0) |
         (utterance.reencoded ? kReencoded : 0);
}

void put_head(base::BinaryWriter& out, const Utterance& utterance) {
  std::string line;
  append_line(line, utterance.record);
  out.put(utterance.dataset);
  out.put(line);
  out.put(utterance.record.facts);
  out.put(flags_of(utterance));
  out.put(utterance.packed.audio_name);
  out.put(utterance.packed.audio_offset);
}

}  // namespace

std::uint64_t serialised_bytes(const Utterance& utterance) {
  base::BinaryWriter head;
  put_head(head, utterance);
  return head.bytes().size() + sizeof(std::uint64_t) + utterance.packed.bytes.size();
}

void put(base::BinaryWriter& out, const Utterance& utterance) {
  put_head(out, utterance);
  out.put(std::span<const std::byte>(utterance.packed.bytes));
}

Utterance read_utterance(base::BinaryReader& in) {
  Utterance utterance;
  utterance.dataset = static_cast<std::uint32_t>(in.number());
  const std::string line = in.text();
  base::JsonParser parser;
  read_record(parser.parse(line), utterance.record);
  utterance.record.facts = in.text();
  const std::uint64_t flags = in.number();
  utterance.has_text = (flags & kHasText) != 0;
  utterance.text_cleaned = (flags & kTextCleaned) != 0;
  utterance.reencoded = (flags & kReencoded) != 0;
  utterance.packed.audio_name = in.text();
  utterance.packed.audio_offset = in.number();
  const auto packed = in.bytes();
  utterance.packed.bytes.assign(packed.begin(), packed.end());
  return utterance;
}

}  // namespace shardmill::pipeline
