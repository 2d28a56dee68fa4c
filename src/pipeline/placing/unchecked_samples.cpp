#include "pipeline/placing/unchecked_samples.hpp"

namespace shardmill::pipeline {

std::optional<std::uint64_t> UncheckedSamples::add(const FileNumber& file, std::uint64_t end_offset,
                                                   std::uint64_t samples) {
  if (end_offset == 0 || samples == 0) return std::nullopt;
  of_piece_.push_back({.end_offset = end_offset, .samples = samples});
  const auto found = files_.find(file);
  if (found == files_.end()) return std::nullopt;
  const Unchecked& known = found->second;
  if (end_offset <= known.doubtful_begin || end_offset > known.doubtful_end) return std::nullopt;
  return known.doubt;
}

/// The samples that end after `begin`.
std::uint64_t UncheckedSamples::count(const Unchecked& before, std::uint64_t begin) const {
  // Those before the piece belong to another stream when `begin` is in the piece.
  std::uint64_t samples = before.from >= begin ? before.samples : 0;
  for (const Added& added : of_piece_) samples += added.end_offset > begin ? added.samples : 0;
  return samples;
}

std::uint64_t UncheckedSamples::doubt(const FileNumber& file, std::uint64_t begin, std::uint64_t end,
                                      std::uint64_t number) {
  Unchecked& known = files_[file];
  known.doubtful_begin = begin;
  known.doubtful_end = end;
  known.doubt = number;
  return count(known, begin);
}

void UncheckedSamples::end_piece(const FileNumber& file, std::uint64_t unchecked_from) {
  Unchecked& known = files_[file];
  known.samples = count(known, unchecked_from);
  known.from = unchecked_from;
  if (known.samples == 0 && known.doubtful_end == 0) files_.erase(file);
  of_piece_.clear();
}

}  // namespace shardmill::pipeline
