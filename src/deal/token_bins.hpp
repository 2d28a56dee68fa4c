// token_bins: buckets of like duration, each divided by the number of tokens, as NeMo estimates them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardmill::deal {

/// Single precision, in which NeMo keeps them.
struct TokenLength {
  float seconds = 0;
  std::int32_t tokens = 0;
};

/// The longest sample that a bucket takes.
struct TokenBin {
  float seconds = 0;
  std::int32_t tokens = 0;
  double tokens_per_second = 0;  // of the densest sample, without outliers
};

/// Equal to the bins and max_tps of NeMo's estimate_duration_bins_2d.py with numpy 1: buckets of equal audio,
/// each divided into `parts` of equal tokens. Samples that have far more tokens a second than others of
/// their bucket are not counted. `buckets` is at least 2, and there is at least one sample.
std::vector<TokenBin> token_bins(std::vector<TokenLength> samples, std::size_t buckets, std::size_t parts);

}  // namespace shardmill::deal
