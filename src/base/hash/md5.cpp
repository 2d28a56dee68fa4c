#include "base/hash/md5.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/error.hpp"

namespace shardmill::base {

struct Md5::State {
  EVP_MD_CTX* context = nullptr;
};

namespace {

void check(int status) {
  if (status != 1) throw Error("this machine's OpenSSL does not compute MD5");
}

}  // namespace

Md5::Md5() : state_(std::make_unique<State>()) {
  state_->context = ::EVP_MD_CTX_new();
  if (state_->context == nullptr) throw std::bad_alloc();
  check(::EVP_DigestInit_ex(state_->context, ::EVP_md5(), nullptr));
}

Md5::~Md5() {
  ::EVP_MD_CTX_free(state_->context);
}

void Md5::update(std::span<const std::byte> data) {
  check(::EVP_DigestUpdate(state_->context, data.data(), data.size()));
}

std::string Md5::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(::EVP_DigestFinal_ex(state_->context, digest.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

UpdateMd5Lanes md5_lanes_update([[maybe_unused]] VectorPath path) {
#if defined(__x86_64__)
  if (path == VectorPath::avx512) return update_md5_lanes_avx512;
  if (path == VectorPath::avx2) return update_md5_lanes_avx2;
#endif
  return nullptr;
}

}  // namespace shardmill::base
