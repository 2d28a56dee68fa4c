#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>

#include "codec/bzip2/position_writer.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kAtOnce = 32;
constexpr std::size_t kMostPerEntry = 8;  // RUNB as the third digit

// Puts 32 entries if there is surely room for them, and no run in them has a fourth digit.
bool put_at_once(PositionWriter& writer, const HuffmanTable::Entry* entries) {
  if (writer.count + kAtOnce * kMostPerEntry > kBzip2MaxBlockBytes) return false;
  const __m512i vector = _mm512_loadu_si512(entries);
  const __mmask32 run = _mm512_test_epi16_mask(vector, _mm512_set1_epi16(1 << HuffmanTable::kRunShift));
  const __m256i positions = _mm512_cvtepi16_epi8(_mm512_srli_epi16(vector, HuffmanTable::kPositionShift));
  std::uint8_t* out = writer.bytes + writer.count;
  if (run == 0) {
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(out)), positions);
    writer.count += kAtOnce;
    writer.weight_less_1 = 0;
    return true;
  }
  // Digits that others of their run come before: at least one, two or three.
  const std::size_t before = writer.weight_less_1;
  const __mmask32 second = run & (run << 1 | (before >= 1 ? 1U : 0U));
  const __mmask32 third = second & (second << 1 | (before >= 3 ? 1U : 0U));
  const __mmask32 fourth = third & (third << 1 | (before >= 7 ? 1U : 0U));
  if (fourth != 0) return false;
  const __mmask32 twice =
      run & _mm512_test_epi16_mask(vector, _mm512_set1_epi16(1 << HuffmanTable::kDoubleShift));
  __m256i steps = _mm256_set1_epi8(1);
  steps = _mm256_mask_add_epi8(steps, second, steps, steps);
  steps = _mm256_mask_add_epi8(steps, third, steps, steps);
  steps = _mm256_mask_add_epi8(steps, twice, steps, steps);
  alignas(32) std::array<std::uint8_t, kAtOnce> step;
  alignas(32) std::array<std::uint8_t, kAtOnce> position;
  _mm256_store_si256(static_cast<__m256i*>(static_cast<void*>(step.data())), steps);
  _mm256_store_si256(static_cast<__m256i*>(static_cast<void*>(position.data())), positions);
#pragma GCC unroll 32
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    *out = position[i];
    out += step[i];
  }
  writer.count = static_cast<std::size_t>(out - writer.bytes);
  writer.weight_less_1 = (std::size_t{1} << std::countl_one(run)) - 1;
  return true;
}

}  // namespace

bool put_entries_avx512(PositionWriter& writer, std::span<const HuffmanTable::Entry> entries) {
  while (!entries.empty()) {
    if (entries.size() >= kAtOnce && put_at_once(writer, entries.data())) {
      entries = entries.subspan(kAtOnce);
      continue;
    }
    const std::size_t some = std::min(entries.size(), kAtOnce);
    for (const HuffmanTable::Entry entry : entries.first(some)) {
      if (!writer.put(entry)) return false;
    }
    entries = entries.subspan(some);
  }
  return true;
}

}  // namespace shardmill::codec

#endif
