#include "base/hash/hash.hpp"

// Makes the size of XXH64's state known, so that the state fits into a plain value.
#define XXH_STATIC_LINKING_ONLY
#include <openssl/sha.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "base/hash/xxh3.hpp"

// The low-level interface is deprecated in favour of EVP, which cannot export its state.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace shardmill::base {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void put_big_endian(std::uint64_t value, std::span<std::byte> out) {
  for (std::size_t i = out.size(); i-- > 0; value >>= 8) out[i] = static_cast<std::byte>(value & 0xFF);
}

std::uint64_t get_big_endian(std::span<const std::byte> in) {
  std::uint64_t value = 0;
  for (const std::byte byte : in) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

SHA256_CTX load(const std::array<std::uint32_t, 8>& words, std::uint64_t bytes,
                std::span<const std::byte> pending) {
  SHA256_CTX context;
  ::SHA256_Init(&context);
  std::copy(words.begin(), words.end(), context.h);
  context.Nl = static_cast<SHA_LONG>(bytes << 3);
  context.Nh = static_cast<SHA_LONG>(bytes >> 29);
  context.num = static_cast<unsigned>(bytes % SHA256_CBLOCK);
  std::memcpy(context.data, pending.data(), context.num);
  return context;
}

Xxh3Value xxh3(std::span<const std::byte> data, [[maybe_unused]] VectorPath path) {
#if defined(__x86_64__)
  if (path == VectorPath::avx512) return xxh3_avx512(data);
#endif
  const XXH128_hash_t raw = ::XXH3_128bits(data.data(), data.size());
  return {.high = raw.high64, .low = raw.low64};
}

}  // namespace

std::string to_hex(std::span<const std::byte> bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    hex += kHexDigits[std::to_integer<std::size_t>(byte >> 4)];
    hex += kHexDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return hex;
}

std::string to_base64(std::span<const std::byte> bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto group = bytes.subspan(at, std::min<std::size_t>(3, bytes.size() - at));
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? std::to_integer<std::uint32_t>(group[i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 0x3f] : '=';
  }
  return text;
}

bool from_hex(std::string_view hex, std::span<std::byte> out) {
  if (hex.size() != 2 * out.size()) return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t high = kHexDigits.find(hex[2 * i]);
    const std::size_t low = kHexDigits.find(hex[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    out[i] = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

std::optional<Xxh128> Xxh128::from_hex(std::string_view hex) {
  Xxh128 hash;
  if (!base::from_hex(hex, hash.bytes)) return std::nullopt;
  return hash;
}

Xxh128 xxh3_128(std::span<const std::byte> data, VectorPath path) {
  const Xxh3Value raw = xxh3(data, path);
  Xxh128 hash;
  put_big_endian(raw.high, std::span(hash.bytes).first(8));
  put_big_endian(raw.low, std::span(hash.bytes).last(8));
  return hash;
}

void Sha256::update(std::span<const std::byte> data) {
  SHA256_CTX context = load(words_, bytes_, pending_);
  ::SHA256_Update(&context, data.data(), data.size());
  std::copy(std::begin(context.h), std::end(context.h), words_.begin());
  bytes_ += data.size();
  pending_.fill(std::byte{});  // equal streams have equal states
  std::memcpy(pending_.data(), context.data, context.num);
}

Sha256::Digest Sha256::digest() const {
  SHA256_CTX context = load(words_, bytes_, pending_);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> raw;
  ::SHA256_Final(raw.data(), &context);
  Digest out;
  std::memcpy(out.data(), raw.data(), out.size());
  return out;
}

Sha256::State Sha256::state() const {
  State out;
  const std::span all(out);
  for (std::size_t i = 0; i < words_.size(); ++i) put_big_endian(words_[i], all.subspan(4 * i, 4));
  put_big_endian(bytes_, all.subspan(32, 8));
  std::copy(pending_.begin(), pending_.end(), out.begin() + 40);
  return out;
}

Sha256 Sha256::from_state(const State& state) {
  Sha256 sha;
  const std::span all(state);
  for (std::size_t i = 0; i < sha.words_.size(); ++i) {
    sha.words_[i] = static_cast<std::uint32_t>(get_big_endian(all.subspan(4 * i, 4)));
  }
  sha.bytes_ = get_big_endian(all.subspan(32, 8));
  std::copy(state.begin() + 40, state.end(), sha.pending_.begin());
  return sha;
}

std::string sha256_hex(std::span<const std::byte> data) {
  Sha256 sha;
  sha.update(data);
  return to_hex(sha.digest());
}

RunningHash::RunningHash() {
  static_assert(sizeof(XXH64_state_t) == sizeof(state_));
  XXH64_state_t state;
  std::memset(&state, 0, sizeof state);
  ::XXH64_reset(&state, 0);
  std::memcpy(state_.data(), &state, sizeof state);
}

void RunningHash::update(std::span<const std::byte> data) {
  if (data.empty()) return;
  XXH64_state_t state;
  std::memcpy(&state, state_.data(), sizeof state);
  ::XXH64_update(&state, data.data(), data.size());
  std::memcpy(state_.data(), &state, sizeof state);
}

std::uint64_t RunningHash::digest() const {
  XXH64_state_t state;
  std::memcpy(&state, state_.data(), sizeof state);
  return ::XXH64_digest(&state);
}

std::uint64_t quick_hash(std::span<const std::byte> data) {
  return ::XXH64(data.data(), data.size(), 0);
}

}  // namespace shardmill::base
