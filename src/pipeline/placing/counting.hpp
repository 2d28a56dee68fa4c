// Counts of the samples that are taken: what each adds to the counts of a dataset, and how it is taken out of
// them again; and how many were taken before a checksum confirmed them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/admission_state.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// Counts a sample that is taken.
void count(IntakeCounts& counts, const Utterance& utterance);

/// Takes out the counts of taken samples: `part` is the result of count() for them. The counts of samples
/// that were left out, and warnings, stay.
void subtract(IntakeCounts& counts, const IntakeCounts& part);

/// Counts the samples of each open file that were taken before the checksum of their stream was seen.
/// The pieces of several files come in turns, each with its samples: those of one piece come together.
class UncheckedSamples {
 public:
  UncheckedSamples() = default;
  explicit UncheckedSamples(std::map<FileNumber, Unchecked>&& state) : files_(std::move(state)) {}

  /// Samples that end at `end_offset` were taken; 0: their end is unknown. Returns the number of the
  /// doubt, when they are in one.
  std::optional<std::uint64_t> add(const FileNumber& file, std::uint64_t end_offset, std::uint64_t samples);
  /// What lies there may be wrong. Returns how many samples that is so far; those that come later belong to
  /// the doubt of this number.
  std::uint64_t doubt(const FileNumber& file, std::uint64_t begin, std::uint64_t end, std::uint64_t number);

  /// A piece was read to its end. What lies before `unchecked_from` has been confirmed.
  void end_piece(const FileNumber& file, std::uint64_t unchecked_from);
  void end_file(const FileNumber& file) { files_.erase(file); }

  /// Between two pieces.
  const std::map<FileNumber, Unchecked>& state() const noexcept { return files_; }

 private:
  struct Added {
    std::uint64_t end_offset = 0;
    std::uint64_t samples = 0;
  };

  std::uint64_t count(const Unchecked& before, std::uint64_t begin) const;

  std::map<FileNumber, Unchecked> files_;
  std::vector<Added> of_piece_;
};

}  // namespace shardmill::pipeline
