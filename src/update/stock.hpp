// Facts: what the manifests of a dataset say, as far as an update must know it. Stock: the samples that an
// update may move, and the files in which they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "dataset/records.hpp"
#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"
#include "shardmill/sample.hpp"
#include "update/arrangement.hpp"
#include "update/request.hpp"

namespace shardmill::update {

struct StockSample {
  std::uint32_t store = 0;
  deal::HeldSample held;         // its dataset by number, and its duration
  base::Xxh128 key;              // as a hash
  std::uint64_t line_begin = 0;  // of its line in the manifest of the store
  std::uint32_t line_bytes = 0;
  std::uint64_t begin = 0;  // of its first header in the plain tar; known once Stock::locate() has run
  std::uint64_t bytes = 0;  // of all its members; the same
  bool has_text = false;    // it has a transcript; the same
  bool is_removed = false;  // it leaves the dataset
};

/// A tar with samples and their manifest.
struct Store {
  std::string tar;  // plain, or compressed
  std::string manifest;
  std::uint32_t shard = kNoShard;  // of the dataset; none: pending or new samples
  bool is_new = false;             // its samples were not in the dataset before
  std::uint32_t first_sample = 0;  // of the stock; set by Stock::add()
};

/// What is taken out of the dataset.
struct Removed {
  std::uint64_t samples = 0;
  deal::Duration duration{};
  std::vector<manifest::Reject> rejects;
};

class Stock {
 public:
  /// `datasets`: the names of all that are known so far.
  explicit Stock(std::vector<std::string> datasets) : datasets_(std::move(datasets)) {}

  /// Reads the manifest. Samples that `removed` takes (null: none) are marked.
  void add(Store store, const Removal* removed);

  const std::vector<StockSample>& samples() const noexcept { return samples_; }
  const std::vector<Store>& stores() const noexcept { return stores_; }
  const std::vector<std::string>& datasets() const noexcept { return datasets_; }
  const Removed& removed() const noexcept { return removed_; }
  /// The numbers of the samples of a shard that stay, in its order. Empty if the stock does not hold it.
  std::vector<std::uint32_t> samples_of_shard(std::uint32_t shard) const;
  bool holds_shard(std::uint32_t shard) const { return store_of_shard_.contains(shard); }

  /// The samples of this shard stay in it: locate() leaves them out.
  void skip(std::uint32_t shard) { skipped_.insert(shard); }
  /// Finds where each other sample lies. Unpacks compressed tars into the folder `scratch`. Throws Error when
  /// a tar does not hold what its manifest says.
  void locate(const std::string& scratch, pipeline::Workers& workers, base::Reporter& reporter);

  struct Read {
    manifest::WholeSampleRecord record;  // as it is in its store
    Bytes packed;
  };
  /// Reads a sample that was located. Throws Error when its audio is not what the manifest says. Thread-safe.
  Read read(const StockSample& sample) const;

 private:
  struct Located {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    bool has_text = false;
  };

  std::uint32_t number_of(const std::string& dataset);
  void remove(const manifest::WholeSampleRecord& record, const Removal& removal);
  std::vector<Located> places_in(std::uint32_t store, std::size_t first, std::size_t end) const;

  std::vector<std::string> datasets_;
  std::vector<Store> stores_;
  std::map<std::uint32_t, std::uint32_t> store_of_shard_;
  std::set<std::uint32_t> skipped_;   // shards
  std::vector<StockSample> samples_;  // in the order of the stores
  Removed removed_;
};

struct Facts {
  std::vector<check::ShardContents> shards;  // without keys
  check::ShardContents pending;              // the same
  std::vector<std::uint32_t> with_removed;   // shards that hold samples to remove, by their numbers
  bool pending_with_removed = false;
  std::shared_ptr<shard::KeySet> keys;  // of all samples that stay
};

/// The sounds of all samples that stay, under their keys; `path`: where their names are kept. Throws Error
/// when a manifest does not tell them.
std::shared_ptr<pipeline::SoundSet> sounds_of(const dataset::DatasetRecords& records, const Removal* removed,
                                              const std::string& path, base::Reporter& reporter);

/// The samples and speakers that stay out because this or an earlier update removed them, from the dataset in
/// `folder` or from another one of its split. A speaker who has samples there again does not stay out.
/// `removal`: null, or what read_facts() has found. `keys_are_shared`: see pipeline::removed_before().
std::shared_ptr<shard::KeySet> withheld_from(const std::string& folder, const Removal* removal,
                                             bool keys_are_shared, base::Reporter& reporter);

/// Where the manifest of a shard is.
std::string manifest_path(const dataset::DatasetRecords& records, std::uint64_t shard);

/// Reads all manifests. `removal` (null: nothing is removed) remembers which of its names were found.
Facts read_facts(const dataset::DatasetRecords& records, Removal* removal, pipeline::Workers& workers,
                 base::Reporter& reporter);

}  // namespace shardmill::update
