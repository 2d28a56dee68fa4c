#include "pipeline/placing/counting.hpp"

#include <string>
#include <string_view>

#include "source/split.hpp"

namespace shardmill::pipeline {

namespace {

void subtract(AudioAmount& amount, const AudioAmount& part) {
  amount.samples -= part.samples;
  amount.duration -= part.duration;
}

template <typename Key>
void subtract(std::map<Key, AudioAmount>& amounts, const std::map<Key, AudioAmount>& parts) {
  for (const auto& [key, part] : parts) {
    const auto found = amounts.find(key);
    if (found == amounts.end()) continue;
    subtract(found->second, part);
    if (found->second.samples == 0) amounts.erase(found);
  }
}

}  // namespace

void count(IntakeCounts& counts, const Utterance& utterance) {
  const manifest::SampleRecord& record = utterance.record;
  const auto duration = duration_of(record.audio);
  const auto add = [duration](AudioAmount& amount) {
    ++amount.samples;
    amount.duration += duration;
  };
  ++counts.taken;
  add(counts.forms[{record.audio.format, record.audio.sample_rate, record.audio.channels}]);
  counts.audio_bytes += record.audio_bytes;
  counts.texts[record.dataset].add(utterance.has_text);
  if (utterance.is_text_told_late && !utterance.has_text) {
    Textless& textless = counts.textless[record.dataset];
    if (textless.samples++ == 0) {
      textless.first = record.source_key;
      textless.source = record.source;
    }
  }
  if (const auto& teller = utterance.teller;
      !teller.fact.empty() && !source::has_fact(record.facts, teller.fact)) {
    Factless& factless = counts.factless[record.dataset];
    if (factless.samples++ == 0) {
      factless.first = record.source_key;
      factless.source = record.source;
      factless.fact = teller.fact;
      factless.teller = teller.file;
    }
  }
  for (const std::string_view subset : source::subset_names(source::subset_in(record.facts)))
    add(counts.subsets[record.dataset][std::string(subset)]);
  if (utterance.text_cleaned) ++counts.texts_cleaned;
  if (utterance.reencoded) ++counts.reencoded;
}

void subtract(IntakeCounts& counts, const IntakeCounts& part) {
  counts.taken -= part.taken;
  counts.audio_bytes -= part.audio_bytes;
  counts.texts_cleaned -= part.texts_cleaned;
  counts.reencoded -= part.reencoded;
  subtract(counts.forms, part.forms);
  for (const auto& [dataset, texts] : part.texts) {
    TextCount& all = counts.texts[dataset];
    all.samples -= texts.samples;
    all.with_text -= texts.with_text;
  }
  for (const auto& [dataset, subsets] : part.subsets) {
    const auto found = counts.subsets.find(dataset);
    if (found == counts.subsets.end()) continue;
    subtract(found->second, subsets);
    if (found->second.empty()) counts.subsets.erase(found);
  }
}

std::optional<std::uint64_t> UncheckedSamples::add(const FileNumber& file, std::uint64_t end_offset,
                                                   std::uint64_t samples) {
  if (end_offset == 0 || samples == 0) return std::nullopt;
  of_piece_.push_back({.end_offset = end_offset, .samples = samples});
  const auto found = files_.find(file);
  if (found == files_.end()) return std::nullopt;
  const Unchecked& known = found->second;
  if (end_offset <= known.doubtful_begin || end_offset > known.doubtful_end) return std::nullopt;
  return known.doubt;
}

/// The samples that end after `begin`.
std::uint64_t UncheckedSamples::count(const Unchecked& before, std::uint64_t begin) const {
  // Those before the piece belong to another stream when `begin` is in the piece.
  std::uint64_t samples = before.from >= begin ? before.samples : 0;
  for (const Added& added : of_piece_) samples += added.end_offset > begin ? added.samples : 0;
  return samples;
}

std::uint64_t UncheckedSamples::doubt(const FileNumber& file, std::uint64_t begin, std::uint64_t end,
                                      std::uint64_t number) {
  Unchecked& known = files_[file];
  known.doubtful_begin = begin;
  known.doubtful_end = end;
  known.doubt = number;
  return count(known, begin);
}

void UncheckedSamples::end_piece(const FileNumber& file, std::uint64_t unchecked_from) {
  Unchecked& known = files_[file];
  known.samples = count(known, unchecked_from);
  known.from = unchecked_from;
  if (known.samples == 0 && known.doubtful_end == 0) files_.erase(file);
  of_piece_.clear();
}

}  // namespace shardmill::pipeline
