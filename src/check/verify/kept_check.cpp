#include "check/verify/kept_check.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "manifest/layout.hpp"

namespace shardmill::check {

namespace {

/// True for the records that other checks read in any case: reading them once more costs next to nothing.
bool is_read_anyway(const std::string& name) {
  return name == manifest::kDataset || name == manifest::kShardRecords || name == manifest::kRejects;
}

base::KeptSums kept_of(const std::string& path) {
  const auto kept = base::remote_sums(path);
  if (!kept) throw Error("is in no bucket", at(path));
  return *kept;
}

/// The bytes that `hex` says, in base 64; empty if it is no SHA-256.
std::string sum_text(const std::string& hex) {
  std::array<std::byte, 32> digest{};
  return base::from_hex(hex, digest) ? base::to_base64(digest) : "";
}

const std::string* find(const std::map<std::string, std::string>& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? nullptr : &found->second;
}

}  // namespace

bool has_kept_sums(const dataset::DatasetRecords& records) {
  try {
    return base::remote_sums(records.path(manifest::kDataset)).has_value();
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error&) {
    return true;  // which is found again
  }
}

KeptCheck::KeptCheck(const dataset::DatasetRecords& records, pipeline::Workers& workers,
                     base::Reporter& reporter, FindingList& findings)
    : records_(records), workers_(workers), reporter_(reporter), findings_(findings) {
  if (!records.run) return;
  sums_.insert(records.run->sent_crc64.begin(), records.run->sent_crc64.end());
  tags_.insert(records.run->sent_tags.begin(), records.run->sent_tags.end());
  has_sent_checksums_ = records.checksums && proves(std::string(manifest::kChecksums));
}

void KeptCheck::count(std::uint64_t KeptCounts::*member) {
  const std::lock_guard lock(mutex_);
  ++(counts_.*member);
}

/// Checksums of all bytes come first, a SHA-256 before the CRC. A tag stays the same only for the object that
/// was sent.
KeptCheck::Proof KeptCheck::proof_of(const std::string& inner_path, const base::KeptSums& kept) const {
  const std::string* const sha256 = records_.checksums ? find(*records_.checksums, inner_path) : nullptr;
  if (sha256 != nullptr && !kept.sha256.empty())
    return kept.sha256 == sum_text(*sha256) ? Proof::sum : Proof::other;
  const std::string* const sum = find(sums_, inner_path);
  if (sum != nullptr && !kept.crc64.empty()) return kept.crc64 == *sum ? Proof::sum : Proof::other;
  const std::string* const tag = find(tags_, inner_path);
  if (tag != nullptr && !kept.tag.empty())
    return base::trimmed(kept.tag, "\"") == *tag ? Proof::tag : Proof::other;
  return Proof::none;
}

/// Returns false if nothing is proven. Where a checksum or a tag is another one, as after a copy to another
/// bucket, the bytes decide.
bool KeptCheck::settle(const std::string& inner_path, Proof proof) {
  switch (proof) {
    case Proof::sum:
      count(&KeptCounts::by_sum);
      return true;
    case Proof::tag:
      count(&KeptCounts::by_tag);
      return true;
    case Proof::other:
      count(&KeptCounts::read);
      check::check_file(records_, inner_path, reporter_, findings_);
      return true;
    case Proof::none:
      break;
  }
  return false;
}

void KeptCheck::check_file(const std::string& inner_path) {
  const bool is_read = !has_sent_checksums_ || is_read_anyway(inner_path);
  const Proof proof = is_read ? Proof::other : proof_of(inner_path, kept_of(records_.path(inner_path)));
  if (!settle(inner_path, proof)) settle(inner_path, Proof::other);
}

ShardContents KeptCheck::check_shard(ShardCase shard) {
  const std::string path = records_.path(shard.shard);
  const base::KeptSums kept = kept_of(path);
  if (shard.record != nullptr && shard.record->bytes != kept.bytes) {
    findings_.add_cause(
        at(path), fmt::format("has {} bytes, and shards.jsonl says {}", kept.bytes, shard.record->bytes));
  } else if (!settle(shard.shard, proof_of(shard.shard, kept))) {
    count(&KeptCounts::by_size);
  }
  shard.manifest_begin.reset();  // the file of all samples is checked like any other
  count(&KeptCounts::read);
  return check::check_shard(shard, records_, {.reads_tar = false}, workers_, reporter_, findings_);
}

bool KeptCheck::proves(const std::string& inner_path) const {
  const Proof proof = proof_of(inner_path, kept_of(records_.path(inner_path)));
  return proof == Proof::sum || proof == Proof::tag;
}

KeptCounts KeptCheck::counts() const {
  const std::lock_guard lock(mutex_);
  if (counts_.by_size != 0) {
    findings_.note(
        at(records_.folder),
        fmt::format("of {}, only the sizes were compared: no record has the checksums or tags that the "
                    "server keeps; decoding all audio reads them",
                    base::format_count(counts_.by_size, "shard")));
  }
  return counts_;
}

}  // namespace shardmill::check
