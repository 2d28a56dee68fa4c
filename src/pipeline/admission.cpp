#include "shardmill/pipeline/admission.hpp"

#include <fmt/format.h>

#include "shardmill/deal/weight.hpp"
#include "shardmill/shard/safe_key.hpp"

namespace shardmill::pipeline {

namespace {

Error as_error(const manifest::Reject& reject, const std::string& advice) {
  Where where{.path = reject.source};
  if (reject.member) {
    where.member = *reject.member;
  } else if (reject.key) {
    where.member = *reject.key;
  }
  if (reject.tar_bytes) where.offset = reject.tar_bytes->begin;
  if (reject.file_bytes) where.offset = reject.file_bytes->begin;
  return Error(reject.problem, where, advice);
}

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

std::string key_log_path(const std::string& work_folder) {
  return work_folder + "/keys";
}

std::string reject_log_path(const std::string& work_folder) {
  return work_folder + "/rejects.jsonl";
}

Admission::Admission(const std::vector<DatasetInput>& datasets, const IntakeOptions& options,
                     std::uint64_t seed, std::uint32_t shards, const std::string& folder,
                     base::Reporter& reporter)
    : datasets_(datasets),
      options_(options),
      seed_(seed),
      reporter_(reporter),
      dealer_(shards, static_cast<std::uint32_t>(datasets.size())),
      key_log_(key_log_path(folder)),
      reject_log_(reject_log_path(folder)),
      key_log_path_(key_log_path(folder)) {}

void Admission::progress(std::uint32_t dataset, std::uint64_t consumed_bytes) {
  dealer_.progress(dataset, consumed_bytes, datasets_[dataset].bytes());
}

void Admission::admit(Measured&& measured, std::vector<Decision>& decisions) {
  if (full()) return;
  if (auto* reject = std::get_if<manifest::Reject>(&measured.outcome)) {
    leave_out(std::move(*reject));
    return;
  }
  auto& utterance = std::get<Utterance>(measured.outcome);
  if (!measured.warning.empty()) ++counts_.warnings[measured.warning];
  counts_.clipped_samples += measured.clipped != 0 ? 1 : 0;
  counts_.clipped_values += measured.clipped;
  const double weight = datasets_[utterance.dataset].weight;
  const std::uint64_t copies = deal::copies(weight, seed_, utterance.record.source_key);
  if (copies == 0) ++counts_.left_out["by_weight"];
  for (std::uint64_t copy = 1; copy <= copies && !full(); ++copy) {
    Utterance one = copy == copies ? std::move(utterance) : utterance;
    if (copy > 1) {
      one.record.key = shard::safe_key(fmt::format("{}_x{}", one.record.key, copy));
      rename(one);
    }
    admit_utterance(std::move(one), decisions);
  }
}

void Admission::admit_utterance(Utterance&& utterance, std::vector<Decision>& decisions) {
  if (!claim_key(utterance)) return;
  if (options_.require_uniform) check_uniform(utterance.record);
  const auto duration = duration_of(utterance.record.audio);
  ++counts_.taken;
  full_ = options_.limit != 0 && counts_.taken >= options_.limit;
  const AudioInfo& audio = utterance.record.audio;
  AudioAmount& amount = counts_.forms[{audio.format, audio.sample_rate, audio.channels}];
  ++amount.samples;
  amount.duration += duration;
  counts_.audio_bytes += utterance.record.audio_bytes;
  if (!utterance.has_text) ++counts_.without_text;
  if (utterance.record.source_xxh3) ++counts_.reencoded;
  reporter_.progress().samples += 1;
  reporter_.progress().audio_milliseconds += static_cast<std::uint64_t>(duration.count() / 1'000'000);
  // A limit makes the rest of the input unknown; few samples are taken then, so all may wait for the end.
  const auto shard = options_.limit != 0 ? std::nullopt : dealer_.deal(utterance.dataset, duration);
  decisions.push_back({.utterance = std::move(utterance), .shard = shard});
}

void Admission::check_uniform(const manifest::SampleRecord& record) {
  const auto named = [](const manifest::SampleRecord& one) {
    return fmt::format("'{}' of {}, which has {} Hz and {} channel{}", one.source_key, one.dataset,
                       one.audio.sample_rate, one.audio.channels, one.audio.channels == 1 ? "" : "s");
  };
  if (counts_.taken == 0) {
    first_taken_ = named(record);
    return;
  }
  const AudioForm& form = counts_.forms.begin()->first;
  if (form.sample_rate == record.audio.sample_rate && form.channels == record.audio.channels) return;
  throw Error(fmt::format("the audio is not uniform: {}, comes after {}", named(record), first_taken_),
              {.path = record.source, .member = record.source_key},
              "--sample-rate and --channels mono bring all of it to one form");
}

bool Admission::claim_key(Utterance& utterance) {
  const std::string wanted = utterance.record.key;
  if (keys_.contains(wanted)) {
    if (options_.on_duplicate != OnDuplicate::rename) {
      leave_out(reject_of(utterance, manifest::RejectReason::duplicate_key,
                          fmt::format("another sample has the key '{}' already", wanted)));
      return false;
    }
    for (std::uint64_t number = 2; keys_.contains(utterance.record.key); ++number) {
      utterance.record.key = shard::safe_key(fmt::format("{}_{}", wanted, number));
    }
    rename(utterance);
    ++counts_.warnings["renamed_duplicate"];
  }
  const base::Xxh128 hash = base::xxh3_128(base::as_bytes(utterance.record.key));
  keys_.insert(hash);
  key_log_.append(std::span<const std::byte>(hash.bytes));
  return true;
}

void Admission::leave_out(manifest::Reject&& reject) {
  const bool duplicate = reject.reason == manifest::RejectReason::duplicate_key;
  if (duplicate && options_.on_duplicate == OnDuplicate::stop) {
    throw as_error(reject, "choose with --on-duplicate first or rename");
  }
  const bool error = is_error(reject.reason);
  if (error && options_.on_error == OnError::stop) {
    throw as_error(reject, "--on-error skip leaves out what is bad and goes on");
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
}

void Admission::save(base::BinaryWriter& out) const {
  const deal::DealerState dealer = dealer_.state();
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
  out.put(key_log_.size());
  out.put(reject_log_.size());
  out.put(counts_.taken);
  out.put(counts_.errors);
  out.put(counts_.without_text);
  put_counts(out, counts_.left_out);
  put_counts(out, counts_.warnings);
  out.put(counts_.audio_bytes);
  out.put(counts_.reencoded);
  out.put(counts_.clipped_samples);
  out.put(counts_.clipped_values);
  out.put(first_taken_);
  out.put(counts_.forms.size());
  for (const auto& [form, amount] : counts_.forms) {
    out.put(form.format);
    out.put(form.sample_rate);
    out.put(form.channels);
    out.put(amount.samples);
    out.put_signed(amount.duration.count());
  }
}

void Admission::restore(base::BinaryReader& in) {
  deal::DealerState dealer;
  dealer.datasets.resize(datasets_.size());
  for (auto& dataset : dealer.datasets) {
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
  dealer_ = deal::Dealer(dealer);
  key_log_.restore(in.number());
  reject_log_.restore(in.number());
  counts_.taken = in.number();
  full_ = options_.limit != 0 && counts_.taken >= options_.limit;
  counts_.errors = in.number();
  counts_.without_text = in.number();
  counts_.left_out = read_counts(in);
  counts_.warnings = read_counts(in);
  counts_.audio_bytes = in.number();
  counts_.reencoded = in.number();
  counts_.clipped_samples = in.number();
  counts_.clipped_values = in.number();
  first_taken_ = in.text();
  for (std::uint64_t left = in.number(); left > 0; --left) {
    AudioForm form{.format = in.text()};
    form.sample_rate = static_cast<std::uint32_t>(in.number());
    form.channels = static_cast<std::uint32_t>(in.number());
    AudioAmount& amount = counts_.forms[form];
    amount.samples = in.number();
    amount.duration = std::chrono::nanoseconds(in.signed_number());
  }
  read_keys();
}

void Admission::read_keys() {
  base::File file = base::File::open_read(key_log_path_);
  std::vector<base::Xxh128> chunk(4096);
  for (;;) {
    const std::size_t got = file.read(std::as_writable_bytes(std::span(chunk))) / sizeof(base::Xxh128);
    for (std::size_t i = 0; i < got; ++i) keys_.insert(chunk[i]);
    if (got < chunk.size()) return;
  }
}

}  // namespace shardmill::pipeline
