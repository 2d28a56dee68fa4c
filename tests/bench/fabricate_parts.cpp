// Puts the parts of a planned run into the state "all sources read", without reading any: manifests, key logs
// and journals as they would be, spooled tars that hold nothing. For timing what comes after the parts.
//   fabricate_parts DIR SAMPLES
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "deal/dealer.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/placing/admission.hpp"
#include "pipeline/spool_set.hpp"
#include "repack/part_plan.hpp"

namespace {

using namespace shardmill;
using pipeline::Utterance;

constexpr std::uint32_t kSampleRate = 16000;
constexpr std::uint32_t kDatasets = 2;       // as parts_scale plans them: two thirds and one third
constexpr std::uint64_t kMemberBytes = 512;  // stand for a sample that is held back; real ones are larger
constexpr double kAllowance = 0.97;

std::uint32_t dataset_of(std::uint64_t sample) {
  return sample % 3 == 2 ? 1 : 0;
}

Utterance make_utterance(std::uint64_t sample, std::mt19937_64& random) {
  std::lognormal_distribution<double> seconds(1.5, 0.5);
  Utterance utterance;
  utterance.dataset = dataset_of(sample);
  manifest::SampleRecord& record = utterance.record;
  record.key = fmt::format("speaker{:05}_utterance{:09}", sample / 400, sample);
  record.audio_filepath = record.key + ".wav";
  record.text = "as many words as an utterance of a few seconds has, more or less";
  record.dataset = utterance.dataset == 0 ? "large" : "small";
  record.audio = {.format = "wav/pcm16", .sample_rate = kSampleRate, .channels = 1};
  record.audio.frames = static_cast<std::uint64_t>(std::min(seconds(random), 30.0) * kSampleRate) + 1;
  record.duration_seconds = record.audio.seconds();
  record.audio_bytes = 44 + 2 * record.audio.frames;
  record.xxh3 = base::xxh3_128(base::as_bytes(record.key));
  record.source = fmt::format("/corpora/{}/shards/audio_{:09}.tar.bz2", record.dataset, sample / 500);
  record.source_key = record.key;
  utterance.has_text = true;
  utterance.packed.audio_name = record.audio_filepath;
  return utterance;
}

/// What an utterance takes in a tar: two headers, the transcript, the audio.
std::uint64_t bytes_in_tar(const Utterance& utterance) {
  return 3 * 512 + (utterance.record.audio_bytes + 511) / 512 * 512;
}

class Part {
 public:
  Part(const std::string& folder, const deal::ShardRange& shards)
      : folder_(folder),
        shards_(shards),
        dealer_(shards.count, kDatasets, {kAllowance, kAllowance}),
        held_((base::make_folders(folder + "/spool"), folder + "/held")),
        keys_(pipeline::key_log_path(folder)),
        manifests_(shards.count) {
    state_.tallies.resize(shards.count);
    state_.spools.resize(shards.count);
    for (auto& tally : state_.tallies) tally.datasets.resize(kDatasets);
  }

  void add(Utterance&& utterance) {
    const auto duration = pipeline::duration_of(utterance.record.audio);
    keys_.append(std::span<const std::byte>(utterance.record.xxh3.bytes));
    auto& form = admission_.counts.forms[{"wav/pcm16", kSampleRate, 1}];
    form.samples += 1;
    form.duration += duration;
    admission_.counts.taken += 1;
    admission_.counts.audio_bytes += utterance.record.audio_bytes;
    if (const auto shard = dealer_.deal(utterance.dataset, duration)) {
      utterance.record.shard_id = shards_.first + *shard;
      utterance.record.tar_offset = state_.spools[*shard].tar_bytes + 3 * 512;
      state_.spools[*shard].tar_bytes += bytes_in_tar(utterance);
      state_.tallies[*shard].add(utterance.dataset, duration, utterance.has_text);
      append_line(manifests_[*shard], utterance.record);
    } else {
      hold(utterance, duration);
    }
  }

  void progress(std::uint64_t done, std::uint64_t all) {
    for (std::uint32_t dataset = 0; dataset < kDatasets; ++dataset) dealer_.progress(dataset, done, all);
  }

  void finish(const std::string& fingerprint) {
    for (std::uint32_t shard = 0; shard < shards_.count; ++shard) write_spool(shard);
    keys_.sync();
    held_.sync();
    pipeline::AppendLog(pipeline::reject_log_path(folder_)).sync();
    state_.all_read = true;
    state_.positions.resize(kDatasets);
    state_.held = held_.entries();
    state_.dealer = dealer_.state();
    admission_.key_log = keys_.mark();
    base::BinaryWriter out;
    put(out, state_);
    put(out, admission_);
    pipeline::write_journal(pipeline::journal_path(folder_),
                            {.fingerprint = fingerprint, .body = out.take()});
  }

 private:
  void hold(Utterance& utterance, std::chrono::nanoseconds duration) {
    utterance.packed.bytes.resize(kMemberBytes);
    const auto number =
        held_.reserve({.dataset = utterance.dataset, .duration = duration}, serialised_bytes(utterance));
    base::BinaryWriter out;
    put(out, utterance);
    held_.write(held_.entries()[number], out.bytes());
  }

  void write_spool(std::uint32_t shard) {
    const std::string manifest_path = pipeline::spooled_manifest_path(folder_ + "/spool", shard);
    base::File manifest = base::File::open_update(manifest_path);
    manifest.write_at(base::as_bytes(manifests_[shard]), 0);
    manifest.close();
    const std::string tar_path = pipeline::spooled_tar_path(folder_ + "/spool", shard);
    pipeline::SpoolState& spool = state_.spools[shard];
    base::File tar = base::File::open_update(tar_path);
    tar.truncate(spool.tar_bytes);
    tar.close();
    spool.manifest_bytes = manifests_[shard].size();
    spool.manifest_check = base::quick_hash(base::as_bytes(manifests_[shard]));
    spool.tar_hash = base::Sha256().state();
    spool.tar_check = pipeline::hash_of_start(tar_path, spool.tar_bytes).digest();
  }

  std::string folder_;
  deal::ShardRange shards_;
  deal::Dealer dealer_;
  pipeline::HeldStore held_;
  pipeline::AppendLog keys_;
  std::vector<std::string> manifests_;
  pipeline::MillState state_;
  pipeline::AdmissionState admission_;
};

void fabricate(const std::string& out_folder, std::uint64_t samples) {
  const auto plan = repack::read_part_plan(out_folder);
  if (!plan) throw Error("holds no run that was planned in parts", at(out_folder));
  const auto ranges = deal::divide_shards(plan->shards, plan->parts);
  for (std::uint32_t number = 0; number < plan->parts; ++number) {
    std::mt19937_64 random(number);
    Part part(repack::part_folder(out_folder, number), ranges[number]);
    const std::uint64_t first = samples * number / plan->parts;
    const std::uint64_t end = samples * (number + 1) / plan->parts;
    for (std::uint64_t sample = first; sample < end; ++sample) {
      if (sample % 500 == 0) part.progress(sample - first + 1, end - first);
      part.add(make_utterance(sample, random));
    }
    part.finish(repack::part_fingerprint(*plan, number));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: fabricate_parts DIR SAMPLES\n");
    return 2;
  }
  try {
    fabricate(arguments[1], std::strtoull(arguments[2], nullptr, 10));
  } catch (const Error& error) {
    fmt::print(stderr, "fabricate_parts: {}\n", error.what());
    return 1;
  }
  return 0;
}
