#include "pipeline/placing/admission.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "deal/dataset_deal.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/measure/rejects.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"
#include "source/split.hpp"

namespace shardmill::pipeline {

std::string key_log_path(const std::string& work_folder) {
  return work_folder + "/keys";
}

std::string sound_log_path(const std::string& work_folder) {
  return work_folder + "/sounds";
}

std::string reject_log_path(const std::string& work_folder) {
  return work_folder + "/rejects.jsonl";
}

Admission::Admission(const MillPlan& plan, base::Reporter& reporter)
    : plan_(plan),
      options_(plan.intake),
      reporter_(reporter),
      key_log_(key_log_path(plan.work_folder)),
      reject_log_(reject_log_path(plan.work_folder)) {
  if (options_.on_duplicate_audio != OnDuplicateAudio::off) sounds_.emplace(sound_log_path(plan.work_folder));
}

void Admission::admit(Measured&& measured, std::vector<Utterance>& admitted, const FileNumber& file) {
  if (full()) return;
  if (auto* reject = std::get_if<manifest::Reject>(&measured.outcome)) {
    const std::string dataset = reject->dataset;
    const std::string source = reject->source;
    leave_out(std::move(*reject));
    if (measured.doubtful) {
      const auto& [begin, end] = *measured.doubtful;
      const std::uint64_t samples = unchecked_.doubt(file, begin, end, counts_.doubtful.size());
      counts_.doubtful.push_back(
          {.dataset = dataset, .source = source, .begin = begin, .end = end, .samples = samples});
    }
    return;
  }
  const std::uint64_t taken_before = counts_.taken;
  const std::uint64_t end_offset = measured.end_offset;
  admit_copies(std::move(measured), admitted);
  const std::uint64_t taken = counts_.taken - taken_before;
  // The last sample before damage comes after it, because only the next member shows that it is complete.
  if (const auto doubt = unchecked_.add(file, end_offset, taken)) counts_.doubtful[*doubt].samples += taken;
}

void Admission::end_batch(const FileProgress& file) {
  if (file.unchecked_from) unchecked_.end_piece(file.number, *file.unchecked_from);
  if (file.is_read) unchecked_.end_file(file.number);
}

void Admission::admit_copies(Measured&& measured, std::vector<Utterance>& admitted) {
  auto& utterance = std::get<Utterance>(measured.outcome);
  for (const std::string_view warning : measured.warnings) ++counts_.warnings[std::string(warning)];
  counts_.left_members.add(measured.left_members);
  counts_.clipped_samples += measured.clipped != 0 ? 1 : 0;
  counts_.clipped_values += measured.clipped;
  const double weight = plan_.inputs.datasets[utterance.dataset].weight;
  const std::uint64_t copies = deal::copies(weight, plan_.seed, utterance.record.source_key);
  if (copies == 0) ++counts_.left_out["by_weight"];
  for (std::uint64_t copy = 1; copy <= copies && !full(); ++copy) {
    Utterance one = copy == copies ? std::move(utterance) : utterance;
    if (copy > 1) {
      one.record.key = shard::copy_key(one.record.key, copy);
      rename(one);
    }
    // Where a sample is left out, so are its copies.
    const std::uint64_t lost = copy == 1 ? copies : 1;
    if (!admit_utterance(std::move(one), copy > 1, lost, admitted) && copy == 1) return;
  }
}

/// Returns false if it is left out, and with its copies is `lost` samples.
bool Admission::admit_utterance(Utterance&& utterance, bool is_copy, std::uint64_t lost,
                                std::vector<Utterance>& admitted) {
  auto reject = find_key_conflict(utterance);
  if (!reject && !is_copy) reject = find_same_sound(utterance);
  if (reject) {
    if (lost != 1) reject->samples = lost;
    leave_out(std::move(*reject));
    return false;
  }
  claim_key(utterance);
  if (options_.require_uniform) check_uniform(utterance.record);
  if (utterance.is_published) check_split(utterance);
  const auto duration = duration_of(utterance.record.audio);
  count(counts_, utterance);
  full_ = options_.limit != 0 && counts_.taken >= options_.limit;
  reporter_.progress().samples += 1;
  reporter_.progress().audio_milliseconds += static_cast<std::uint64_t>(duration.count() / 1'000'000);
  admitted.push_back(std::move(utterance));
  return true;
}

/// What one trains on and what one judges by is mixed only where the user asks for it.
void Admission::check_split(const Utterance& utterance) {
  if (utterance.subset.empty() || !options_.tree.subsets.empty()) return;
  const source::Split split = source::split_of(utterance.subset);
  const auto known = counts_.splits.find(std::string(name(split)));
  if (known != counts_.splits.end()) return;
  const std::string named = fmt::format("'{}' of {} in {}", printable(utterance.record.source_key),
                                        printable(utterance.record.dataset), printable(utterance.subset));
  counts_.splits.emplace(name(split), named);
  if (counts_.splits.size() > 1) throw mixed_splits(counts_.splits, utterance.record.source);
}

void Admission::check_uniform(const manifest::SampleRecord& record) {
  const auto named = [](const manifest::SampleRecord& one) {
    return fmt::format("'{}' of {}, which has {} Hz and {} of {}", one.source_key, one.dataset,
                       one.audio.sample_rate, base::format_count(one.audio.channels, "channel"),
                       one.audio.format);
  };
  if (counts_.taken == 0) {
    first_taken_ = named(record);
    return;
  }
  const AudioForm& form = counts_.forms.begin()->first;
  const bool is_same = form.sample_rate == record.audio.sample_rate && form.channels == record.audio.channels;
  if (is_same && std::none_of(counts_.forms.begin(), counts_.forms.end(), [&](const auto& known) {
        return manifest::has_other_values(known.first.format, record.audio.format);
      }))
    return;
  throw Error(fmt::format("the audio is not uniform: {}, comes after {}", named(record), first_taken_),
              {.path = record.source, .member = record.source_key}, Remedy::one_audio_form);
}

// Keys never become free again, so the search for the next sample with this key goes on where this search
// ends. After a resume it starts over, and finds the same keys.
std::string Admission::free_key(const std::string& wanted) {
  std::uint64_t& number = next_numbers_.try_emplace(base::xxh3_128(base::as_bytes(wanted)), 2).first->second;
  for (;;) {
    std::string key = shard::safe_key(fmt::format("{}_{}", wanted, number++));
    if (!is_taken(key)) return key;
  }
}

bool Admission::is_taken(const std::string& key) const {
  return keys_.contains(key) || (plan_.taken != nullptr && plan_.taken->contains(key));
}

std::optional<manifest::Reject> Admission::find_key_conflict(const Utterance& utterance) const {
  using manifest::RejectReason;
  const std::string& wanted = utterance.record.key;
  if (plan_.claims != nullptr &&
      plan_.claims->has_earlier(base::xxh3_128(base::as_bytes(wanted)), utterance.given))
    return reject_of(utterance, RejectReason::duplicate_key,
                     fmt::format("a source that was given before has the key '{}'", wanted));
  const bool is_admitted = !is_taken(wanted) || options_.on_duplicate == OnDuplicate::rename;
  if (is_admitted && is_withheld(utterance.record)) {
    manifest::Reject reject = reject_of(utterance, RejectReason::removed,
                                        "was removed from the dataset before, and is not added again");
    reject.audio = source_audio(utterance.record);
    return reject;
  }
  if (is_admitted) return std::nullopt;
  if (keys_.contains(wanted))
    return reject_of(utterance, RejectReason::duplicate_key,
                     fmt::format("another sample has the key '{}' already", wanted));
  if (plan_.taken->contains(known_sample(utterance.record)))
    return reject_of(utterance, RejectReason::duplicate_key,
                     fmt::format("the dataset has this sample already, '{}'", wanted));
  return reject_of(
      utterance, RejectReason::changed,
      fmt::format("the dataset has a sample '{}' with other audio or another transcript", wanted));
}

bool Admission::is_withheld(const manifest::SampleRecord& record) const {
  if (plan_.withheld == nullptr) return false;
  if (plan_.withheld->contains(withheld_key(record.dataset, record.source_key)) ||
      plan_.withheld->contains(withheld_anywhere(record.source_key, std::nullopt)) ||
      plan_.withheld->contains(withheld_anywhere(record.source_key, source_audio(record))))
    return true;
  const std::string speaker = shard::speaker_in(record.facts);
  return !speaker.empty() && plan_.withheld->contains(withheld_speaker(record.dataset, speaker));
}

std::optional<manifest::Reject> Admission::find_same_sound(const Utterance& utterance) {
  if (!sounds_ || !utterance.record.sound_xxh3) return std::nullopt;
  auto first = sounds_->find(*utterance.record.sound_xxh3);
  if (!first && plan_.heard != nullptr) first = plan_.heard->find(*utterance.record.sound_xxh3);
  if (!first) return std::nullopt;
  return reject_of(utterance, manifest::RejectReason::duplicate_audio,
                   fmt::format("has the same audio as '{}'", *first));
}

void Admission::claim_key(Utterance& utterance) {
  const std::string wanted = utterance.record.key;
  if (is_taken(wanted)) {
    utterance.record.key = free_key(wanted);
    rename(utterance);
    ++counts_.warnings["renamed_duplicate"];
  }
  take_key(utterance.record.key);
  if (sounds_ && utterance.record.sound_xxh3)
    sounds_->insert(*utterance.record.sound_xxh3, utterance.record.key);
}

void Admission::take_key(const std::string& key) {
  const base::Xxh128 hash = base::xxh3_128(base::as_bytes(key));
  keys_.insert(hash);
  key_log_.append(std::span<const std::byte>(hash.bytes));
}

void Admission::adopt(const Utterance& utterance) {
  take_key(utterance.record.key);
  count(counts_, utterance);
}

void Admission::admit_copy(Utterance& utterance) {
  const std::string wanted = utterance.record.key;
  std::string key;
  for (std::uint64_t copy = 2; key.empty() || is_taken(key); ++copy) key = shard::copy_key(wanted, copy);
  utterance.record.key = std::move(key);
  rename(utterance);
  take_key(utterance.record.key);
  count(counts_, utterance);
  Evened& evened = counts_.evened;
  ++evened.repeated;
  evened.repeated_duration += duration_of(utterance.record.audio);
  evened.repeated_keys[utterance.record.dataset].push_back(utterance.record.source_key);
}

void Admission::leave_uneven(const Utterance& utterance) {
  IntakeCounts one;
  count(one, utterance);
  subtract(counts_, one);
  ++counts_.evened.left_out;
  counts_.evened.left_out_duration += duration_of(utterance.record.audio);
  leave_out(reject_of(utterance, manifest::RejectReason::uneven,
                      "left out so that all shards hold the same number of samples"));
}

void Admission::leave_out(manifest::Reject&& reject) {
  const bool is_changed = reject.reason == manifest::RejectReason::changed;
  const bool is_duplicate = is_changed || reject.reason == manifest::RejectReason::duplicate_key;
  if (is_duplicate && options_.on_duplicate == OnDuplicate::stop) {
    if (is_changed) throw as_error(reject, Remedy::replace_changed);
    const Error error = as_error(reject, Remedy::choose_duplicate);
    const bool is_one_dataset = plan_.inputs.datasets.size() == 1;
    throw Error(error.problem(), error.where(),
                is_one_dataset || options_.prefixes_keys ? kPrefixIsNoHelp : "", error.remedy());
  }
  if (reject.reason == manifest::RejectReason::duplicate_audio &&
      options_.on_duplicate_audio == OnDuplicateAudio::stop) {
    const Error error = as_error(reject, Remedy::none);
    throw Error(error.problem(), error.where(), "take out one of the two, or let the later one be left out");
  }
  const bool error = is_error(reject.reason);
  if (error && options_.on_error == OnError::stop) {
    throw as_error(reject, Remedy::skip_bad_samples);
  }
  if (error) ++counts_.errors;
  ++counts_.left_out[std::string(name(reject.reason))];
  std::string line;
  append_line(line, reject);
  reject_log_.append(line);
}

void Admission::sync() {
  key_log_.sync();
  reject_log_.sync();
  if (sounds_) sounds_->sync();
}

AdmissionState Admission::state() const {
  return {.key_log = key_log_.mark(),
          .reject_log = reject_log_.mark(),
          .sound_log = sounds_ ? sounds_->mark() : FileMark{},
          .first_taken = first_taken_,
          .unchecked = unchecked_.state(),
          .counts = counts_};
}

void Admission::restore(AdmissionState&& saved) {
  key_log_.restore(saved.key_log);
  reject_log_.restore(saved.reject_log);
  if (sounds_) sounds_->restore(saved.sound_log);
  first_taken_ = std::move(saved.first_taken);
  unchecked_ = UncheckedSamples(std::move(saved.unchecked));
  counts_ = std::move(saved.counts);
  full_ = options_.limit != 0 && counts_.taken >= options_.limit;
  read_keys();
}

void Admission::read_keys() {
  base::File file = base::File::open_read(key_log_path(plan_.work_folder));
  std::vector<base::Xxh128> chunk(4096);
  for (;;) {
    const std::size_t got = file.read(std::as_writable_bytes(std::span(chunk))) / sizeof(base::Xxh128);
    for (std::size_t i = 0; i < got; ++i) keys_.insert(chunk[i]);
    if (got < chunk.size()) return;
  }
}

}  // namespace shardmill::pipeline
