// SampleAccount: which samples the sources hold, the dataset and its rejects; settled when all are known.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// A hash of all that must arrive unchanged: the audio, the transcript and the further members, given by
/// their hashes in their order. Never kNoContent.
std::uint64_t content_hash(const base::Xxh128& audio, std::string_view transcript,
                           std::span<const base::Xxh128> extras);

/// Of a member behind the audio: its extension and its bytes. `name`: as it stands in the dataset.
base::Xxh128 extra_hash(std::string_view name, std::span<const std::byte> bytes);

/// Of something in a source that cannot be a sample of the dataset.
inline constexpr std::uint64_t kNoContent = 0;

/// A key as records hold it: JSON has no bytes that are not UTF-8.
std::string recorded_key(std::string_view source_key);

/// Hashes of what else the records say of a sample; 0: it is not known, or not to be compared.
struct SampleFields {
  std::uint32_t facts = 0;
  std::uint32_t dataset = 0;
  std::uint32_t source = 0;
  std::uint32_t audio = 0;  // as it is now, where content_hash() has that of the source

  bool operator==(const SampleFields&) const = default;
};

/// Never 0.
std::uint32_t field_hash(std::string_view text);
/// Of the members of a manifest line, given as JSON without braces, in any order.
std::uint32_t facts_hash(const std::string& facts);

/// Keeps 48 bytes and the key of each sample, on either side. add functions: from any thread.
class SampleAccount {
 public:
  /// A sample, or with kNoContent something that must be a reject. `key` is empty where there is none.
  void add_source(std::uint32_t file, std::string_view key, std::uint64_t content, std::uint64_t copies,
                  const SampleFields& fields = {});
  void add_output(std::uint32_t shard, std::string_view key, std::uint64_t content,
                  const SampleFields& fields = {});
  /// A line of rejects.jsonl.
  void add_reject(std::string_view key);

  struct Names {
    std::vector<std::string> source_files{};
    std::vector<std::string> shards{};
    std::string rejects;  // the file
  };
  /// Every copy of every source sample must be in the dataset or among the rejects, and nothing else may be.
  /// `is_limited`: a part of the sources was not wanted; then samples may be missing.
  void settle(const Names& names, bool is_limited, FindingList& findings);

  std::uint64_t source_samples() const noexcept { return source_samples_; }

 private:
  struct Entry {
    std::uint64_t key = 0;  // hashes
    std::uint64_t content = 0;
    std::uint64_t name = 0;  // where the key lies in Side::names
    std::uint32_t file = 0;
    std::uint32_t copies = 0;
    SampleFields fields{};
  };
  struct Side {
    std::mutex mutex;
    std::vector<Entry> entries;
    std::string names;  // the keys, each with a zero byte behind it

    void add(std::uint32_t file, std::string_view key, std::uint64_t content, std::uint64_t copies,
             const SampleFields& fields);
    void sort();
    std::span<Entry> group(std::uint64_t key);
    std::string name(const Entry& entry) const { return names.data() + entry.name; }
  };
  class Settlement;

  Side sources_;
  Side outputs_;
  Side rejects_;
  std::uint64_t source_samples_ = 0;
};

}  // namespace shardmill::check
