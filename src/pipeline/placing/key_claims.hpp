// KeyClaims: the keys of the finished datasets among the sources, known before anything is read, so that of
// several samples with one key the one from the source given first can be kept.
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
  /// True when a source given before `given` has the key.
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

/// Reads the manifests. Leaves out samples that filters and weights leave out. Null when there is no finished
/// dataset among the sources.
std::shared_ptr<const KeyClaims> claims_of(const Inputs& inputs, const IntakeOptions& options,
                                           std::uint64_t seed, Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::pipeline
