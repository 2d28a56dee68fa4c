#include "pipeline/checkpoint/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::size_t kBytesAtOnce = 1 << 20;

}  // namespace

base::RunningHash hash_of_start(const std::string& path, std::uint64_t bytes,
                                const std::function<void()>& between_steps) {
  base::RunningHash hash;
  if (bytes == 0) return hash;
  base::File file = base::File::open_read(path);
  Bytes step(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kBytesAtOnce)));
  for (std::uint64_t left = bytes; left > 0;) {
    if (between_steps) between_steps();
    const auto wanted =
        std::span(step).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, step.size())));
    const std::size_t got = file.read(wanted);
    if (got < wanted.size()) {
      throw Error(fmt::format("is shorter than the {} bytes the journal knows of", bytes), at(path),
                  Remedy::start_over);
    }
    hash.update(wanted);
    left -= got;
  }
  return hash;
}

base::RunningHash check_file(const std::string& path, const FileMark& mark,
                             const std::function<void()>& between_steps) {
  base::RunningHash hash = hash_of_start(path, mark.bytes, between_steps);
  if (hash.digest() != mark.hash) throw scratch_damage(path);
  return hash;
}

Error scratch_damage(const std::string& path) {
  return Error("was changed or damaged since it was written: check the disk", at(path), Remedy::start_over);
}

void AppendLog::flush() {
  file_.write_at(base::as_bytes(buffer_), written_bytes_);
  written_bytes_ += buffer_.size();
  hash_.update(buffer_);
  buffer_.clear();
}

void AppendLog::read(std::span<std::byte> out, std::uint64_t offset) {
  if (offset + out.size() > written_bytes_) flush();
  if (file_.read_at(out, offset) != out.size()) throw Error("ends too early", at(file_.path()));
}

void AppendLog::restore(const FileMark& mark) {
  hash_ = check_file(file_.path(), mark);
  file_.truncate(mark.bytes);
  written_bytes_ = mark.bytes;
  buffer_.clear();
}

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
