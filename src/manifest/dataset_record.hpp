// DatasetRecord: dataset.json, which describes the dataset and its sources. Every run that makes the same
// dataset writes the same record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"

namespace shardmill::manifest {

struct DatasetRecord {
  struct Balance {
    std::uint64_t min_samples = 0;  // over all shards
    std::uint64_t max_samples = 0;
    double min_seconds = 0;
    double mean_seconds = 0;
    double max_seconds = 0;
  };
  /// How much audio of one kind there is.
  struct AudioKind {
    std::string format;
    std::uint32_t sample_rate = 0;
    std::uint32_t channels = 0;
    std::uint64_t samples = 0;
    double seconds = 0;
  };
  /// How much audio was converted to another form than its source has.
  struct Reencoded {
    std::uint64_t samples = 0;
    std::uint64_t clipped_samples = 0;  // samples with values beyond full scale when they were converted
    std::uint64_t clipped_values = 0;
  };
  struct Amount {
    std::uint64_t samples = 0;
    double seconds = 0;
  };
  struct Part {
    std::string dataset;
    double weight = 1;
    std::uint64_t samples = 0;
    double seconds = 0;
    std::uint64_t with_text = 0;
    /// Of its corpora, as publishers name them; some samples belong to several.
    std::map<std::string, Amount> subsets{};
  };
  struct Source {
    std::string dataset;
    std::string path;  // as the user gave it
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };
  /// What was done so that all shards hold the same number of samples.
  struct Evened {
    Amount left_out{};
    Amount repeated{};
    std::map<std::string, std::vector<std::string>> repeated_keys{};  // in the sources, by dataset
  };
  /// Samples that belong to the dataset, but are in no shard: they do not fill one.
  struct Pending {
    std::uint64_t samples = 0;
    double seconds = 0;
    std::uint64_t bytes = 0;  // of the tar that holds them
  };
  /// Samples that may be wrong, though they were taken: damage showed only after them, in the same compressed
  /// stream.
  struct Doubt {
    std::string dataset;
    std::string source;       // the file
    std::uint64_t begin = 0;  // of the stretch in the uncompressed tar
    std::uint64_t end = 0;
    std::uint64_t samples = 0;
  };
  /// What one `update` did.
  struct Update {
    base::Xxh128 id;           // of the request: its sources, keys and options
    std::uint64_t before = 0;  // the number of samples before it, with those that waited
    std::uint64_t added = 0;   // samples
    double added_seconds = 0;
    std::uint64_t removed = 0;
    double removed_seconds = 0;
    std::uint64_t new_shards = 0;        // that were not there before
    std::uint64_t rewritten_shards = 0;  // that were there, and hold other samples now
    std::uint64_t pending = 0;           // samples that were left waiting
    std::uint64_t lost = 0;              // samples of the sources, left out for an error
    std::uint64_t lost_files = 0;        // of the sources, that could not be read whole
    std::vector<std::string> sources;    // [NAME=]SOURCE, as they were given
  };

  std::uint64_t shards = 0;
  std::string shard_files;  // in brace notation
  std::uint64_t samples = 0;
  double seconds = 0;
  std::uint64_t bytes = 0;        // of all shard files
  std::uint64_t tar_bytes = 0;    // of all shards, uncompressed
  std::uint64_t audio_bytes = 0;  // of all audio members
  std::uint64_t rejects = 0;
  std::map<std::string, std::uint64_t> left_out;  // the number of samples, by reason
  std::uint64_t with_text = 0;                    // samples that have a transcript
  std::uint64_t texts_cleaned = 0;  // transcripts from which a byte order mark, CRs or blanks were removed
  std::uint32_t parity = 0;         // parity files of each group of shards, see dataset/parity.hpp
  Balance balance;
  std::vector<AudioKind> audio;
  Reencoded reencoded;
  std::vector<Part> datasets;
  std::vector<std::pair<std::string, std::string>>
      options;  // those that shape the output, with their defaults
  std::vector<Source> sources;
  std::optional<Evened> evened;    // none: nothing was asked for
  std::optional<Pending> pending;  // none: no sample waits
  std::vector<Doubt> doubtful;     // in the order in which the damage was met
  std::vector<Update> updates;     // in their order
  base::Xxh128 inputs_xxh3;        // over the names and sizes of all source files
};

/// How many samples that is in all.
std::uint64_t doubtful_samples(const DatasetRecord& record);

/// True when all audio has one sample rate and one number of channels.
bool is_uniform(const DatasetRecord& record);
/// True for two formats whose values are kept without loss, but in unlike sample formats, such as wav/pcm16
/// and flac/pcm24. Lossy audio has no sample format of its own.
bool has_other_values(std::string_view format, std::string_view other);

/// True when the numbers of samples in the shards differ by one at most, and their audio times by 10 ms or
/// 1e-5 of the mean at most.
bool is_even(const DatasetRecord::Balance& balance);

/// The text of the whole file: indented JSON.
std::string to_json(const DatasetRecord& record);
/// The file was made by a later version of the program, so none of its fields can be trusted to mean the
/// same.
class NewerFormat : public Error {
 public:
  using Error::Error;
};

/// Throws Error, with the file, when it cannot be read or a field is missing or impossible; NewerFormat when
/// it was made by a later version of the program.
DatasetRecord read_dataset_record(const std::string& path);

}  // namespace shardmill::manifest
