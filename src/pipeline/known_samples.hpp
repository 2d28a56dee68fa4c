// The samples that a run must recognise: those that were removed from a dataset, which only come back when
// the user asks for them; sounds that were taken already; and the keys of the finished datasets among the
// sources.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/reporter.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// Names a sample by its key, the audio in its source, and its transcript, if the manifests have it. A KeySet
/// may hold such names beside keys.
std::string known_sample(const manifest::SampleRecord& record);

/// The hash of the audio of a sample in its source.
const base::Xxh128& source_audio(const manifest::SampleRecord& record);

/// Names a sample by its dataset and by its key in the source.
std::string withheld_key(std::string_view dataset, std::string_view source_key);

/// Names a sample of any dataset by its key in the source and its audio there. Without `audio`: whatever its
/// audio is.
std::string withheld_anywhere(std::string_view source_key, const std::optional<base::Xxh128>& audio);

/// Whether a key means the same sample in all sources. If keys get prefixes or numbers, different samples may
/// have the same key in their sources.
bool are_keys_shared(const IntakeOptions& options);

/// Names all samples of a speaker of a dataset.
std::string withheld_speaker(std::string_view dataset, std::string_view speaker);

/// What updates have removed from a dataset.
struct RemovedBefore {
  std::vector<std::string> samples;  // by withheld_key(), and for other datasets by withheld_anywhere()
  std::set<std::string> speakers;    // by withheld_speaker()
};
/// Reads it from rejects.jsonl. With `keys_are_shared`, a key stays out of all datasets; otherwise it stays
/// out of another dataset if the audio is the same or is not recorded. Throws Error when the file cannot be
/// read.
RemovedBefore removed_before(const std::string& rejects_path, bool keys_are_shared);

/// Which sounds were taken already, and under which names. It holds 16 bytes a sound in memory, with room for
/// more: 10 million take 270 MB. The names are in a scratch file.
/// One thread at a time.
class SoundSet {
 public:
  /// The names are written to the file `path`.
  explicit SoundSet(const std::string& path);

  /// The name under which the sound was taken; nullopt when it was not.
  std::optional<std::string> find(const base::Xxh128& sound);
  /// Keeps the first name when the sound is there already.
  void insert(const base::Xxh128& sound, std::string_view name);
  std::size_t size() const noexcept { return size_; }

  void sync() { log_.sync(); }
  FileMark mark() const { return log_.mark(); }
  /// Goes on from there. Throws Error when the file has changed.
  void restore(const FileMark& mark);

 private:
  struct Slot {
    std::uint64_t sound = 0;  // the first bytes of the hash
    std::uint64_t place = 0;  // of the entry in the file, from 1; 0: free
  };

  struct Entry {
    base::Xxh128 sound;
    std::string name;
  };

  Entry entry_at(std::uint64_t place);
  void put(Slot slot);
  void grow();

  AppendLog log_;
  std::string path_;
  std::uint64_t end_ = 0;  // of the file, including bytes that are not written yet
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

/// The keys of the finished datasets among the sources. Their manifests tell them before any shard is read.
/// So when several samples have the same key, the one whose source was given first can be kept.
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
/// finished dataset among the sources, or when the first sample of a key is not kept.
std::shared_ptr<const KeyClaims> claims_of(const Inputs& inputs, const IntakeOptions& options,
                                           std::uint64_t seed, Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::pipeline
