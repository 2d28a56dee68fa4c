// HeldStore: keeps the samples that wait for the end of the deal in a scratch file, so that memory does not
// grow with them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "deal/rest.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// The path of the scratch file in a run's work folder.
std::string held_path(const std::string& work_folder);

class HeldStore {
 public:
  struct Entry {
    deal::HeldSample sample;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  // including the checksum
  };

  explicit HeldStore(const std::string& path) : HeldStore(base::File::open_update(path)) {}
  /// Opens what another run wrote, only for reading.
  static HeldStore open_read(const std::string& path) { return HeldStore(base::File::open_read(path)); }

  /// Reserves a place for `bytes` of a serialised utterance, and returns its number. One thread at a time.
  std::size_t reserve(const deal::HeldSample& sample, std::uint64_t bytes);
  /// Writes an utterance to its place, with a checksum. Thread-safe, in any order.
  void write(const Entry& entry, std::span<const std::byte> utterance) const;
  /// Throws Error when the bytes have changed since they were written.
  Utterance read(const Entry& entry) const;

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  void sync() const { file_.sync(); }
  /// Gives the space of everything before `offset` back to the filesystem, if that can free a part of a file.
  void free_before(std::uint64_t offset) const noexcept;
  /// Drops everything after these entries. Throws Error when their bytes have changed since they were
  /// written.
  void restore(std::vector<Entry> entries);

 private:
  explicit HeldStore(base::File file) : file_(std::move(file)) {}

  Bytes read_bytes(const Entry& entry) const;
  std::uint64_t end() const { return entries_.empty() ? 0 : entries_.back().offset + entries_.back().bytes; }

  base::File file_;
  std::vector<Entry> entries_;
};

}  // namespace shardmill::pipeline
