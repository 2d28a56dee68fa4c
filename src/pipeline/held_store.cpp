#include "shardmill/pipeline/held_store.hpp"

#include <utility>

namespace shardmill::pipeline {

std::string held_path(const std::string& work_folder) {
  return work_folder + "/held";
}

std::size_t HeldStore::reserve(const deal::HeldSample& sample, std::uint64_t bytes) {
  entries_.push_back({.sample = sample, .offset = end(), .bytes = bytes});
  return entries_.size() - 1;
}

Utterance HeldStore::read(const Entry& entry) const {
  Bytes bytes(entry.bytes);
  if (file_.read_at(bytes, entry.offset) != bytes.size()) {
    throw Error("ends too early", Where{.path = file_.path(), .offset = entry.offset},
                "start over with --force");
  }
  base::BinaryReader reader(bytes);
  return read_utterance(reader);
}

void HeldStore::restore(std::vector<Entry> entries) {
  entries_ = std::move(entries);
  if (file_.size() < end()) {
    throw Error("is shorter than the journal says", at(file_.path()), "start over with --force");
  }
  file_.truncate(end());
}

}  // namespace shardmill::pipeline
