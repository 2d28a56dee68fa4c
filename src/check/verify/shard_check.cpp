#include "check/verify/shard_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/io/file.hpp"
#include "check/verify/sample_check.hpp"
#include "codec/codec.hpp"
#include "codec/file_facts.hpp"
#include "manifest/layout.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/source_parser.hpp"

namespace shardmill::check {

namespace {

constexpr std::size_t kStepBytes = 256 << 10;  // small enough to stay in the cache between two uses

template <typename Use>
void read_through(base::File& file, base::Reporter& reporter, Use use) {
  Bytes step(kStepBytes);
  for (std::size_t got = step.size(); got == step.size();) {
    reporter.check_stop();
    got = file.read(step);
    use(std::span<const std::byte>(step).first(got));
  }
}

template <typename Recorded, typename Found>
void expect(FindingList& findings, const std::string& path, std::string_view what, const Recorded& recorded,
            const Found& found) {
  if (recorded == found) return;
  findings.add(at(path), fmt::format("has {} {}, and shards.jsonl says {}", what, found, recorded));
}

/// Does all checks of one shard.
class ShardCheck {
 public:
  ShardCheck(const ShardCase& shard, const dataset::DatasetRecords& records, const ShardCheckOptions& options,
             pipeline::Workers& workers, base::Reporter& reporter, FindingList& findings)
      : case_(shard),
        records_(records),
        workers_(workers),
        reporter_(reporter),
        findings_(findings),
        path_(records.path(shard.shard)),
        samples_(options.decode ? AudioDepth::values : AudioDepth::frames, workers, findings),
        reads_tar_(options.reads_tar),
        is_proven_(options.is_proven),
        members_(subject(), findings, audio_sink(), options.on_sample),
        parser_(members_, pipeline::kMemberLimitBytes) {}

  ShardContents run() {
    check_manifest();
    if (!reads_tar_) {
      members_.take_word_of_manifest();
      if (case_.record != nullptr) check_record_of_manifest();
      return members_.contents();
    }
    base::File file = base::File::open_read(path_);
    const codec::Codec codec = codec::codec_of(file);
    file_bytes_ = file.size();
    const std::string sha256 = codec == codec::Codec::none ? read_plain(file) : read_compressed(file);
    parser_.finish();
    members_.finish();
    samples_.flush();
    if (!sha256.empty())
      check_checksum(records_, case_.shard, sha256, case_.record == nullptr ? "" : case_.record->sha256,
                     findings_);
    if (case_.record != nullptr) check_record(codec::name(codec));
    return members_.contents();
  }

 private:
  MemberCheck::Subject subject() const {
    const auto asked = records_.known({"text"});
    return {.shard = path_,
            .manifest = case_.manifest.empty() ? "" : records_.path(case_.manifest),
            .shard_id = case_.shard_id,
            .text = asked ? std::optional(asked->intake.text) : std::nullopt,
            .exact_text = records_.dataset.has_value()};
  }

  MemberCheck::AudioSink audio_sink() {
    return [this](const manifest::SampleRecord& record, archive::TarMember&& member) {
      samples_.take({.shard = path_, .member = std::move(member.name), .tar_offset = member.tar_offset},
                    record, std::move(member.bytes));
    };
  }

  void check_manifest();
  /// Both return the SHA-256; empty if the bytes are proven already.
  std::string read_plain(base::File& file);
  std::string read_compressed(base::File& file);
  void check_record(std::string_view codec);
  void check_record_of_manifest();

  const ShardCase& case_;
  const dataset::DatasetRecords& records_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  FindingList& findings_;
  std::string path_;
  std::uint64_t file_bytes_ = 0;
  SampleCheck samples_;
  bool reads_tar_;
  bool is_proven_;
  MemberCheck members_;
  archive::TarParser parser_;
};

// Checks the checksum of the manifest, and its copy in the file of all samples.
void ShardCheck::check_manifest() {
  if (case_.manifest.empty()) return;
  base::File file = base::File::open_read(records_.path(case_.manifest));
  const std::string all_path = records_.path(manifest::kAllSamples);
  base::File all;
  if (case_.manifest_begin) all = base::File::open_read(all_path);
  std::uint64_t at_byte = case_.manifest_begin.value_or(0);
  bool same = true;
  base::Sha256 hash;
  Bytes copy(kStepBytes);
  read_through(file, reporter_, [&](std::span<const std::byte> bytes) {
    hash.update(bytes);
    if (!all.is_open()) return;
    const auto got = std::span(copy).first(all.read_at(std::span(copy).first(bytes.size()), at_byte));
    same = same && std::equal(got.begin(), got.end(), bytes.begin(), bytes.end());
    at_byte += bytes.size();
  });
  if (!same) findings_.add(at(all_path), fmt::format("differs from {}", case_.manifest));
  check_checksum(records_, case_.manifest, base::to_hex(hash.digest()), "", findings_);
}

std::string ShardCheck::read_plain(base::File& file) {
  base::Sha256 hash;
  read_through(file, reporter_, [&](std::span<const std::byte> bytes) {
    hash.update(bytes);
    parser_.feed(bytes);
    reporter_.progress().input_bytes += bytes.size();
  });
  return base::to_hex(hash.digest());
}

std::string ShardCheck::read_compressed(base::File& file) {
  base::Sha256 hash;
  if (!is_proven_)
    read_through(file, reporter_, [&](std::span<const std::byte> bytes) { hash.update(bytes); });
  try {
    base::File again = is_proven_ ? std::move(file) : base::File::open_read(path_);
    pipeline::decode(again, workers_, reporter_, [&](std::span<const std::byte> bytes) {
      parser_.feed(bytes);
      return true;
    });
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& damage) {
    findings_.add_cause(damage.within(at(path_)));
  }
  return is_proven_ ? "" : base::to_hex(hash.digest());
}

void ShardCheck::check_record(std::string_view codec) {
  const manifest::ShardRecord& record = *case_.record;
  expect(findings_, path_, "bytes:", record.bytes, file_bytes_);
  expect(findings_, path_, "bytes of tar:", record.tar_bytes, parser_.offset());
  expect(findings_, path_, "the codec", record.codec, codec);
  check_record_of_manifest();
}

void ShardCheck::check_record_of_manifest() {
  if (case_.manifest.empty()) return;
  const manifest::ShardRecord& record = *case_.record;
  const ShardContents& contents = members_.contents();
  const shard::ShardTally tally = contents.tally();
  const std::string manifest = records_.path(case_.manifest);
  expect(findings_, manifest, "samples:", record.samples, tally.samples());
  if (contents.knows_texts)
    expect(findings_, manifest, "samples with text:", record.with_text, tally.with_text);
  expect(findings_, manifest, "seconds:", record.seconds, shard::seconds(tally.duration()));
  expect(findings_, manifest, "seconds in its shortest sample:", record.min_seconds,
         tally.samples() == 0 ? 0 : shard::seconds(tally.shortest));
  expect(findings_, manifest, "seconds in its longest sample:", record.max_seconds,
         shard::seconds(tally.longest));
  std::uint64_t shared = 0;
  for (const auto& share : record.shares) {
    const auto found = contents.datasets.find(share.dataset);
    const auto counted = found == contents.datasets.end() ? shard::ShardTally::Share{} : found->second;
    expect(findings_, manifest, "samples of " + share.dataset + ":", share.samples, counted.samples);
    expect(findings_, manifest, "seconds of " + share.dataset + ":", share.seconds,
           shard::seconds(counted.duration));
    shared += counted.samples;
  }
  expect(findings_, manifest, "samples of all datasets together:", shared, tally.samples());
}

}  // namespace

void check_checksum(const dataset::DatasetRecords& records, const std::string& inner_path,
                    const std::string& sha256, const std::string& fallback, FindingList& findings) {
  std::string wanted = fallback;
  if (records.checksums) {
    const auto found = records.checksums->find(inner_path);
    if (found != records.checksums->end()) wanted = found->second;
  }
  if (wanted.empty() || wanted == sha256) return;
  findings.add_cause(at(records.path(inner_path)),
                     "its SHA-256 is not the recorded one: the file was changed, cut or damaged");
}

void check_file(const dataset::DatasetRecords& records, const std::string& inner_path,
                base::Reporter& reporter, FindingList& findings) {
  base::File file = base::File::open_read(records.path(inner_path));
  base::Sha256 hash;
  read_through(file, reporter, [&](std::span<const std::byte> bytes) { hash.update(bytes); });
  check_checksum(records, inner_path, base::to_hex(hash.digest()), "", findings);
}

ShardContents check_shard(const ShardCase& shard, const dataset::DatasetRecords& records,
                          const ShardCheckOptions& options, pipeline::Workers& workers,
                          base::Reporter& reporter, FindingList& findings) {
  return ShardCheck(shard, records, options, workers, reporter, findings).run();
}

}  // namespace shardmill::check
