#include "source/unusable.hpp"

#include <utility>

namespace shardmill::source {

void Promises::meet(std::string_view key) {
  if (promises_.empty()) return;
  const std::lock_guard lock(mutex_);
  met_.insert(key);
}

void Promises::for_each_broken(const std::function<void(const Unusable& broken)>& use) const {
  for (const Promise& promise : promises_) {
    promise.rest([&](LostAudio lost) {
      if (met_.contains(lost.key)) return;
      Unusable one{.what = Unusable::What::audio,
                   .key = std::string(lost.key),
                   .error = std::move(lost.error),
                   .dataset = promise.dataset};
      if (lost.samples != 1) one.samples = lost.samples;
      use(one);
    });
  }
}

}  // namespace shardmill::source
