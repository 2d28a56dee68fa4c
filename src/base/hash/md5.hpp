// Md5: the checksum that publishers of corpora put beside their archives. Finds accidents, not forgery.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace shardmill::base {

/// One thread at a time.
class Md5 {
 public:
  Md5();
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;
  ~Md5();

  void update(std::span<const std::byte> data);
  /// 32 small hexadecimal digits. Nothing may follow.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardmill::base
