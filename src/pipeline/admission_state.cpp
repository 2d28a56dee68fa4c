#include "pipeline/admission_state.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "source/split.hpp"

// The fields in the order in which a journal holds them.

namespace shardmill {

template <base::Either<TextCount> Record>
void describe(auto& fields, Record& texts) {
  fields(texts.samples, texts.with_text);
}

}  // namespace shardmill

namespace shardmill::manifest {

template <base::Either<DatasetRecord::Doubt> Record>
void describe(auto& fields, Record& doubt) {
  fields(doubt.dataset, doubt.source, doubt.begin, doubt.end, doubt.samples);
}

}  // namespace shardmill::manifest

namespace shardmill::pipeline {

template <base::Either<FileNumber> Record>
void describe(auto& fields, Record& number) {
  fields(number.stream, number.file);
}

template <base::Either<Unchecked> Record>
void describe(auto& fields, Record& unchecked) {
  fields(unchecked.from, unchecked.samples, unchecked.doubtful_begin, unchecked.doubtful_end,
         unchecked.doubt);
}

template <base::Either<FileMark> Record>
void describe(auto& fields, Record& mark) {
  fields(mark.bytes, mark.hash);
}

template <base::Either<AudioForm> Record>
void describe(auto& fields, Record& form) {
  fields(form.format, form.sample_rate, form.channels);
}

template <base::Either<AudioAmount> Record>
void describe(auto& fields, Record& amount) {
  fields(amount.samples, amount.duration);
}

template <base::Either<Textless> Record>
void describe(auto& fields, Record& textless) {
  fields(textless.samples, textless.first, textless.source);
}

template <base::Either<Factless> Record>
void describe(auto& fields, Record& factless) {
  fields(factless.samples, factless.first, factless.source, factless.fact, factless.teller);
}

template <base::Either<LeftMembers> Record>
void describe(auto& fields, Record& left) {
  fields(left.samples, left.extensions);
}

template <base::Either<Evened> Record>
void describe(auto& fields, Record& evened) {
  fields(evened.left_out, evened.left_out_duration, evened.repeated, evened.repeated_duration,
         evened.repeated_keys);
}

template <base::Either<IntakeCounts> Record>
void describe(auto& fields, Record& counts) {
  fields(counts.taken, counts.errors, counts.texts, counts.texts_cleaned, counts.left_out, counts.warnings,
         counts.audio_bytes, counts.reencoded, counts.clipped_samples, counts.clipped_values, counts.forms,
         counts.textless, counts.factless, counts.subsets, counts.splits, counts.left_members, counts.evened,
         counts.doubtful);
}

template <base::Either<AdmissionState> Record>
void describe(auto& fields, Record& state) {
  fields(state.key_log, state.reject_log, state.sound_log, state.first_taken, state.unchecked, state.counts);
}

void put(base::BinaryWriter& out, const AdmissionState& state) {
  base::put_fields(out, state);
}

AdmissionState read_admission_state(base::BinaryReader& in) {
  return base::read_fields<AdmissionState>(in);
}

/// Some sources have another extension in each sample: the first few are enough.
void LeftMembers::add(const std::vector<std::string>& of_sample) {
  constexpr std::size_t kMostExtensions = 16;
  samples += of_sample.empty() ? 0 : 1;
  for (const std::string& extension : of_sample) {
    if (extensions.size() < kMostExtensions || extensions.contains(extension)) ++extensions[extension];
  }
}

IntakeCounts sum(const std::vector<IntakeCounts>& parts) {
  IntakeCounts total;
  for (const IntakeCounts& part : parts) {
    total.taken += part.taken;
    total.errors += part.errors;
    for (const auto& [dataset, texts] : part.texts) total.texts[dataset].add(texts);
    for (const auto& [dataset, textless] : part.textless) {
      const auto [known, is_new] = total.textless.try_emplace(dataset, textless);
      if (!is_new) known->second.samples += textless.samples;
    }
    for (const auto& [dataset, factless] : part.factless) {
      const auto [known, is_new] = total.factless.try_emplace(dataset, factless);
      if (!is_new) known->second.samples += factless.samples;
    }
    for (const auto& [dataset, subsets] : part.subsets) {
      for (const auto& [subset, amount] : subsets) {
        total.subsets[dataset][subset].samples += amount.samples;
        total.subsets[dataset][subset].duration += amount.duration;
      }
    }
    total.splits.insert(part.splits.begin(), part.splits.end());
    total.texts_cleaned += part.texts_cleaned;
    total.audio_bytes += part.audio_bytes;
    total.reencoded += part.reencoded;
    total.clipped_samples += part.clipped_samples;
    total.clipped_values += part.clipped_values;
    for (const auto& [reason, count] : part.left_out) total.left_out[reason] += count;
    for (const auto& [kind, count] : part.warnings) total.warnings[kind] += count;
    total.left_members.samples += part.left_members.samples;
    for (const auto& [extension, count] : part.left_members.extensions)
      total.left_members.extensions[extension] += count;
    total.doubtful.insert(total.doubtful.end(), part.doubtful.begin(), part.doubtful.end());
    for (const auto& [form, amount] : part.forms) {
      total.forms[form].samples += amount.samples;
      total.forms[form].duration += amount.duration;
    }
  }
  return total;
}

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
