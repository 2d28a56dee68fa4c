#include "pipeline/placing/key_claims.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "deal/shares.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::pipeline {

namespace {

/// False for a sample that the filters leave out, as far as the manifest shows. Such a sample must not claim
/// its key.
bool is_wanted(const manifest::SampleRecord& record, const IntakeOptions& options) {
  if (!options.keys.wants(record.key)) return false;
  const double seconds = record.audio.seconds();
  if (seconds < options.min_seconds || seconds > options.max_seconds) return false;
  return !options.require_text || !record.text || !shard::clean_transcript(*record.text).empty();
}

/// The keys that the samples in one manifest claim.
std::vector<base::Xxh128> keys_in(const source::DatasetShard& shard, const IntakeOptions& options,
                                  std::uint64_t seed, const std::map<std::string, double>& weights) {
  std::vector<base::Xxh128> keys;
  try {
    manifest::RecordReader reader(shard.manifest);
    for (manifest::SampleRecord record; reader.next(record);) {
      const auto weight = weights.find(shard.dataset.empty() ? record.dataset : shard.dataset);
      const bool is_taken =
          weight == weights.end() || deal::copies(weight->second, seed, record.source_key) > 0;
      if (is_taken && is_wanted(record, options))
        keys.push_back(base::xxh3_128(base::as_bytes(shard::safe_key(record.key))));
    }
  } catch (const Error&) {
    // This will be reported when the shard is read.
  }
  return keys;
}

}  // namespace

void KeyClaims::add(const base::Xxh128& key, std::uint32_t given) {
  const auto [known, is_new] = first_given_.try_emplace(key, given);
  if (!is_new) known->second = std::min(known->second, given);
}

bool KeyClaims::has_earlier(const base::Xxh128& key, std::uint32_t given) const {
  const auto found = first_given_.find(key);
  return found != first_given_.end() && found->second < given;
}

std::shared_ptr<const KeyClaims> claims_of(const Inputs& inputs, const IntakeOptions& options,
                                           std::uint64_t seed, Workers& workers, base::Reporter& reporter) {
  std::vector<const source::SourceFile*> files;
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.listing) files.push_back(&file);
    }
  }
  if (files.empty()) return nullptr;
  std::map<std::string, double> weights;
  for (const DatasetInput& dataset : inputs.datasets) weights.emplace(dataset.name, dataset.weight);
  const auto claims = std::make_shared<KeyClaims>();
  std::mutex mutex;
  workers.for_each(files.size(), [&](std::size_t index) {
    reporter.check_stop();
    const auto keys = keys_in(*files[index]->listing, options, seed, weights);
    const std::lock_guard lock(mutex);
    for (const base::Xxh128& key : keys) claims->add(key, files[index]->given);
  });
  return claims;
}

}  // namespace shardmill::pipeline
