#include "source/promises.hpp"

#include <utility>

namespace shardmill::source {

void Promises::meet(std::string_view key) {
  if (promises_.empty()) return;
  const std::lock_guard lock(mutex_);
  met_.insert(key);
}

void Promises::for_each_broken(const std::function<void(const Unusable& broken)>& use) const {
  for (const Promise& promise : promises_) {
    promise.rest([&](std::string_view key, Error error) {
      if (met_.contains(key)) return;
      use({.what = Unusable::What::audio,
           .key = std::string(key),
           .error = std::move(error),
           .dataset = promise.dataset});
    });
  }
}

}  // namespace shardmill::source
