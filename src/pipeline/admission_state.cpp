#include "pipeline/admission_state.hpp"

#include <utility>
#include <vector>

namespace shardmill::pipeline {

namespace {

void put_counts(base::BinaryWriter& out, const std::map<std::string, std::uint64_t>& counts) {
  out.put(counts.size());
  for (const auto& [name, count] : counts) {
    out.put(name);
    out.put(count);
  }
}

std::map<std::string, std::uint64_t> read_counts(base::BinaryReader& in) {
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t left = in.number(); left > 0; --left) {
    std::string name = in.text();
    counts[std::move(name)] = in.number();
  }
  return counts;
}

}  // namespace

void put(base::BinaryWriter& out, const AdmissionState& state) {
  const deal::DealerState& dealer = state.dealer;
  out.put(dealer.datasets.size());
  for (const auto& dataset : dealer.datasets) {
    out.put(dataset.shards.size());
    for (const auto& shard : dataset.shards) {
      out.put(shard.samples);
      out.put_signed(shard.duration.count());
    }
    out.put(dataset.seen.samples);
    out.put_signed(dataset.seen.duration.count());
    out.put_signed(dataset.seen.deviation.count());
    out.put(dataset.held);
    out.put(dataset.consumed_bytes);
    out.put(dataset.total_bytes);
  }
  out.put(state.key_log.bytes);
  out.put(state.key_log.hash);
  out.put(state.reject_log.bytes);
  out.put(state.reject_log.hash);
  out.put(state.counts.taken);
  out.put(state.counts.errors);
  out.put(state.counts.texts.size());
  for (const auto& [dataset, texts] : state.counts.texts) {
    out.put(dataset);
    out.put(texts.samples);
    out.put(texts.with_text);
  }
  out.put(state.counts.texts_cleaned);
  put_counts(out, state.counts.left_out);
  put_counts(out, state.counts.warnings);
  out.put(state.counts.audio_bytes);
  out.put(state.counts.reencoded);
  out.put(state.counts.clipped_samples);
  out.put(state.counts.clipped_values);
  out.put(state.first_taken);
  out.put(state.counts.forms.size());
  for (const auto& [form, amount] : state.counts.forms) {
    out.put(form.format);
    out.put(form.sample_rate);
    out.put(form.channels);
    out.put(amount.samples);
    out.put_signed(amount.duration.count());
  }
}

AdmissionState read_admission_state(base::BinaryReader& in) {
  AdmissionState saved;
  saved.dealer.datasets.resize(in.number());
  for (auto& dataset : saved.dealer.datasets) {
    dataset.shards.resize(in.number());
    for (auto& shard : dataset.shards) {
      shard.samples = in.number();
      shard.duration = std::chrono::nanoseconds(in.signed_number());
    }
    dataset.seen.samples = in.number();
    dataset.seen.duration = std::chrono::nanoseconds(in.signed_number());
    dataset.seen.deviation = std::chrono::nanoseconds(in.signed_number());
    dataset.held = in.number();
    dataset.consumed_bytes = in.number();
    dataset.total_bytes = in.number();
  }
  saved.key_log.bytes = in.number();
  saved.key_log.hash = in.number();
  saved.reject_log.bytes = in.number();
  saved.reject_log.hash = in.number();
  IntakeCounts& counts = saved.counts;
  counts.taken = in.number();
  counts.errors = in.number();
  for (std::uint64_t left = in.number(); left > 0; --left) {
    TextCount& texts = counts.texts[in.text()];
    texts.samples = in.number();
    texts.with_text = in.number();
  }
  counts.texts_cleaned = in.number();
  counts.left_out = read_counts(in);
  counts.warnings = read_counts(in);
  counts.audio_bytes = in.number();
  counts.reencoded = in.number();
  counts.clipped_samples = in.number();
  counts.clipped_values = in.number();
  saved.first_taken = in.text();
  for (std::uint64_t left = in.number(); left > 0; --left) {
    AudioForm form{.format = in.text()};
    form.sample_rate = static_cast<std::uint32_t>(in.number());
    form.channels = static_cast<std::uint32_t>(in.number());
    AudioAmount& amount = counts.forms[form];
    amount.samples = in.number();
    amount.duration = std::chrono::nanoseconds(in.signed_number());
  }
  return saved;
}

IntakeCounts sum(const std::vector<IntakeCounts>& parts) {
  IntakeCounts total;
  for (const IntakeCounts& part : parts) {
    total.taken += part.taken;
    total.errors += part.errors;
    for (const auto& [dataset, texts] : part.texts) total.texts[dataset].add(texts);
    total.texts_cleaned += part.texts_cleaned;
    total.audio_bytes += part.audio_bytes;
    total.reencoded += part.reencoded;
    total.clipped_samples += part.clipped_samples;
    total.clipped_values += part.clipped_values;
    for (const auto& [reason, count] : part.left_out) total.left_out[reason] += count;
    for (const auto& [kind, count] : part.warnings) total.warnings[kind] += count;
    for (const auto& [form, amount] : part.forms) {
      total.forms[form].samples += amount.samples;
      total.forms[form].duration += amount.duration;
    }
  }
  return total;
}

}  // namespace shardmill::pipeline
