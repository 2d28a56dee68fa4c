#include "pipeline/broken_promises.hpp"

#include <map>
#include <span>
#include <string_view>

#include "base/io/file.hpp"
#include "deal/shares.hpp"
#include "manifest/record_reader.hpp"
#include "pipeline/measure/rejects.hpp"
#include "pipeline/placing/admission.hpp"
#include "shard/keys.hpp"
#include "source/unusable.hpp"

namespace shardmill::pipeline {

namespace {

void read_keys(const std::string& log, shard::KeySet& keys) {
  base::File file = base::File::open_read(log);
  std::vector<base::Xxh128> chunk(4096);
  for (;;) {
    const std::size_t got = file.read(std::as_writable_bytes(std::span(chunk))) / sizeof(base::Xxh128);
    for (std::size_t i = 0; i < got; ++i) keys.insert(chunk[i]);
    if (got < chunk.size()) return;
  }
}

void meet_rejects(const std::string& work_folder, source::Promises& promises) {
  manifest::RecordReader reader(reject_log_path(work_folder));
  for (manifest::Reject reject; reader.next(reject);) {
    if (reject.key) promises.meet(*reject.key);
  }
}

std::vector<manifest::Reject> rejects_of(const source::Promises& promises, const Promised& what,
                                         const KeyPatterns& keys, const shard::KeySet& taken) {
  std::map<std::string_view, double> weights;
  for (const DatasetInput& dataset : what.datasets) weights[dataset.name] = dataset.weight;
  std::vector<manifest::Reject> rejects;
  promises.for_each_broken([&](const source::Unusable& one) {
    const auto weight = weights.find(one.dataset);
    if (weight != weights.end() && deal::copies(weight->second, what.seed, one.key) == 0) return;
    if (!taken.contains(shard::safe_key(one.key))) rejects.push_back(reject_of(one, keys));
  });
  return rejects;
}

}  // namespace

std::vector<manifest::Reject> broken_promises(const Promised& what, const KeyPatterns& keys,
                                              const shard::KeySet& taken, const std::string& work_folder) {
  source::Promises promises(what.promises);
  meet_rejects(work_folder, promises);
  return rejects_of(promises, what, keys, taken);
}

std::vector<manifest::Reject> broken_promises(const Promised& what, const KeyPatterns& keys,
                                              const std::vector<std::string>& work_folders) {
  source::Promises promises(what.promises);
  shard::KeySet taken;
  for (const std::string& folder : work_folders) {
    meet_rejects(folder, promises);
    read_keys(key_log_path(folder), taken);
  }
  return rejects_of(promises, what, keys, taken);
}

}  // namespace shardmill::pipeline
