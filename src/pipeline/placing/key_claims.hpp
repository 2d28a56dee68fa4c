// KeyClaims: the keys of the finished datasets among the sources. Their manifests tell them before any shard
// is read. So when several samples have the same key, the one whose source was given first can be kept.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "base/hash/hash.hpp"
#include "base/reporter.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

class KeyClaims {
 public:
  void add(const base::Xxh128& key, std::uint32_t given);
  /// True when a source that was given before source `given` has the key.
  bool has_earlier(const base::Xxh128& key, std::uint32_t given) const;

 private:
  struct FirstBytes {
    std::size_t operator()(const base::Xxh128& key) const {
      std::size_t first = 0;
      std::memcpy(&first, key.bytes.data(), sizeof(first));
      return first;
    }
  };

  std::unordered_map<base::Xxh128, std::uint32_t, FirstBytes> first_given_;
};

/// Reads the manifests. Samples that filters and weights leave out claim no key. Null when there is no
/// finished dataset among the sources.
std::shared_ptr<const KeyClaims> claims_of(const Inputs& inputs, const IntakeOptions& options,
                                           std::uint64_t seed, Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::pipeline
