#include "pipeline/admission_state.hpp"

#include <vector>

#include "base/io/binary_fields.hpp"

// The fields in the order in which a journal holds them.

namespace shardmill {

template <base::Either<TextCount> Record>
void describe(auto& fields, Record& texts) {
  fields(texts.samples, texts.with_text);
}

}  // namespace shardmill

namespace shardmill::deal {

template <base::Either<Holding> Record>
void describe(auto& fields, Record& shard) {
  fields(shard.samples, shard.duration);
}

template <base::Either<DatasetDeal::Seen> Record>
void describe(auto& fields, Record& seen) {
  fields(seen.samples, seen.duration, seen.deviation);
}

template <base::Either<DealerState::Dataset> Record>
void describe(auto& fields, Record& dataset) {
  fields(dataset.shards, dataset.seen, dataset.held, dataset.consumed_bytes, dataset.total_bytes);
}

}  // namespace shardmill::deal

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

template <base::Either<Evened> Record>
void describe(auto& fields, Record& evened) {
  fields(evened.left_out, evened.left_out_duration, evened.repeated, evened.repeated_duration,
         evened.repeated_keys);
}

template <base::Either<IntakeCounts> Record>
void describe(auto& fields, Record& counts) {
  fields(counts.taken, counts.errors, counts.texts, counts.texts_cleaned, counts.left_out, counts.warnings,
         counts.audio_bytes, counts.reencoded, counts.clipped_samples, counts.clipped_values, counts.forms,
         counts.textless, counts.factless, counts.subsets, counts.splits, counts.evened, counts.doubtful);
}

template <base::Either<AdmissionState> Record>
void describe(auto& fields, Record& state) {
  fields(state.dealer.datasets, state.key_log, state.reject_log, state.sound_log, state.first_taken,
         state.unchecked, state.counts);
}

void put(base::BinaryWriter& out, const AdmissionState& state) {
  base::put_fields(out, state);
}

AdmissionState read_admission_state(base::BinaryReader& in) {
  return base::read_fields<AdmissionState>(in);
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
    total.doubtful.insert(total.doubtful.end(), part.doubtful.begin(), part.doubtful.end());
    for (const auto& [form, amount] : part.forms) {
      total.forms[form].samples += amount.samples;
      total.forms[form].duration += amount.duration;
    }
  }
  return total;
}

}  // namespace shardmill::pipeline
