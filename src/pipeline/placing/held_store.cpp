#include "pipeline/placing/held_store.hpp"

#include <fcntl.h>

#include <utility>

#include "base/hash/hash.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::size_t kChecksumBytes = 8;

}  // namespace

std::string held_path(const std::string& work_folder) {
  return work_folder + "/held";
}

std::size_t HeldStore::reserve(const deal::HeldSample& sample, std::uint64_t bytes) {
  entries_.push_back({.sample = sample, .offset = end(), .bytes = bytes + kChecksumBytes});
  return entries_.size() - 1;
}

void HeldStore::write(const Entry& entry, std::span<const std::byte> utterance) const {
  base::BinaryWriter checksum;
  checksum.put(base::quick_hash(utterance));
  file_.write_at(utterance, entry.offset);
  file_.write_at(checksum.bytes(), entry.offset + utterance.size());
}

Bytes HeldStore::read_bytes(const Entry& entry) const {
  Bytes bytes(entry.bytes);
  if (file_.read_at(bytes, entry.offset) != bytes.size()) {
    throw Error("ends too early", Where{.path = file_.path(), .offset = entry.offset}, Remedy::start_over);
  }
  const auto utterance = std::span<const std::byte>(bytes).first(bytes.size() - kChecksumBytes);
  const std::uint64_t checksum =
      base::BinaryReader(std::span<const std::byte>(bytes).last(kChecksumBytes)).number();
  if (base::quick_hash(utterance) != checksum) throw scratch_damage(file_.path());
  bytes.resize(utterance.size());
  return bytes;
}

Utterance HeldStore::read(const Entry& entry) const {
  const Bytes bytes = read_bytes(entry);
  base::BinaryReader reader(bytes);
  return read_utterance(reader);
}

void HeldStore::free_before(std::uint64_t offset) const noexcept {
  // It is only about space, so a filesystem that cannot do it is no problem.
  ::fallocate(file_.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(offset));
}

void HeldStore::restore(std::vector<Entry> entries) {
  entries_ = std::move(entries);
  if (file_.size() < end()) {
    throw Error("is shorter than the journal says", at(file_.path()), Remedy::start_over);
  }
  for (const Entry& entry : entries_) read_bytes(entry);
  file_.truncate(end());
}

}  // namespace shardmill::pipeline
