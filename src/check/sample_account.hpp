// SampleAccount: counts the samples of the sources, the dataset and its rejects, and compares them at the
// end. SourceReads says how often each source file was read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "manifest/run_record.hpp"
#include "model/audio_info.hpp"
#include "model/finding.hpp"

namespace shardmill::check {

/// A hash of everything that must not change: the audio, the transcript, and the other members, given as
/// their hashes in their order. Never kNoContent.
std::uint64_t content_hash(const base::Xxh128& audio, std::string_view transcript,
                           std::span<const base::Xxh128> extras);

/// A hash of the extension and the bytes of a member after the audio. `name` is its name in the dataset.
base::Xxh128 extra_hash(std::string_view name, std::span<const std::byte> bytes);

/// Stands for something in a source that cannot become a sample of the dataset.
inline constexpr std::uint64_t kNoContent = 0;

/// A key as records hold it: JSON cannot hold bytes that are not UTF-8.
std::string recorded_key(std::string_view source_key);

/// Hashes of the other things that records say about a sample. 0: not known, or not to be compared.
struct SampleFields {
  std::uint32_t facts = 0;
  std::uint32_t dataset = 0;
  std::uint32_t source = 0;
  std::uint32_t audio = 0;   // as it is now, when content_hash() has the audio of the source
  std::uint32_t length = 0;  // and form

  bool operator==(const SampleFields&) const = default;
};

/// A hash of `text`. Never 0.
std::uint32_t field_hash(std::string_view text);
/// A hash of the number of frames and their form.
std::uint32_t length_hash(const AudioInfo& audio);
/// A hash of the members of a manifest line, in any order. `facts` is JSON without braces.
std::uint32_t facts_hash(const std::string& facts);

/// What a line of rejects.jsonl says of the samples of its key.
enum class RejectKind : std::uint8_t {
  left_out,
  removed,   // one was there
  duplicate  // another one is there
};

struct Reads {
  std::uint32_t sure = 1;    // how often the file was read as it is now
  std::uint32_t unsure = 0;  // how often more while it was another one, which may not have had each sample

  bool operator==(const Reads&) const = default;
};

class SourceReads {
 public:
  /// Adds the sources of a dataset, and of its updates. Call it for each of several datasets that were
  /// made of the same sources together.
  void add(const std::vector<manifest::RunRecord::Input>& inputs);

  struct File {
    std::string path;
    std::uint64_t bytes = 0;         // as it is now
    std::int64_t mtime_ns = 0;       // the same
    std::string dataset{};           // that it was read for; empty: for any
    bool is_told_elsewhere = false;  // another file says which samples it has
    std::string read_with{};  // a dataset's record that was read as often: its other shards may have had them
  };
  /// Whether any file was read more than once.
  bool has_repeats() const { return has_repeats_; }

  /// Of a file that no record names: it was read once.
  Reads of(const File& file) const;

 private:
  /// A file as it was, and how often it was read.
  struct Seen {
    std::string dataset;
    std::uint64_t bytes = 0;
    std::int64_t mtime_ns = 0;
    std::uint32_t times = 0;

    bool is_same(const Seen& other) const {
      return dataset == other.dataset && bytes == other.bytes && mtime_ns == other.mtime_ns;
    }
  };

  bool has_repeats_ = false;
  std::map<std::string, std::vector<Seen>> files_;  // by absolute path
};

/// Keeps 56 bytes and the key of each sample of the sources and of the dataset. The add functions are
/// thread-safe.
class SampleAccount {
 public:
  /// Adds a sample, or with kNoContent something that must be a reject. `key` is empty for a sample without
  /// one.
  void add_source(std::uint32_t file, std::string_view key, std::uint64_t content, std::uint64_t copies,
                  const SampleFields& fields = {});
  void add_output(std::uint32_t shard, std::string_view key, std::uint64_t content,
                  const SampleFields& fields = {});
  /// Adds a line of rejects.jsonl, in their order. `copies`: how many samples were left out.
  void add_reject(std::string_view key, RejectKind kind = RejectKind::left_out, std::uint64_t copies = 1);
  /// Adds a sample that is in the dataset once more than the sources have it.
  void add_repeat(std::string_view key);

  struct Names {
    std::vector<std::string> source_files{};
    std::vector<Reads> reads{};  // of each source file; empty: each was read once
    std::vector<std::string> shards{};
    std::string rejects;   // path of rejects.jsonl
    std::string record{};  // path of the record that names the repeated samples
    /// Whether a sample with this key in this source file, or one that got the same key as it, is in the
    /// dataset.
    std::function<bool(std::uint32_t, std::string_view)> is_key_there{};
  };
  /// Checks that every copy of every source sample is in the dataset or among the rejects, and nothing else
  /// is. A file gives its samples each time that it is read: so they were added with as many copies as it
  /// was surely read. `is_limited`: a part of the sources was not wanted, so samples may be missing.
  void settle(const Names& names, bool is_limited, FindingList& findings);

  std::uint64_t source_samples() const noexcept { return source_samples_; }

 private:
  struct Entry {
    std::uint64_t key = 0;  // a hash, like the next member
    std::uint64_t content = 0;
    std::uint64_t name = 0;  // where the key is in Side::names
    std::uint32_t file = 0;
    std::uint32_t copies = 0;
    SampleFields fields{};
  };
  struct Side {
    std::mutex mutex;
    std::vector<Entry> entries;
    std::string names;  // the keys, each followed by a zero byte

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
  Side repeats_;
  std::uint64_t source_samples_ = 0;
};

}  // namespace shardmill::check
