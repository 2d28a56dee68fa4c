// Pool: lends objects that are costly to make, such as buffers, and lends them again after they were
// returned.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace shardmill::codec {

/// Thread-safe. Objects keep their pool alive. An object still holds what its last user left in it.
template <typename T>
class Pool : public std::enable_shared_from_this<Pool<T>> {
 public:
  struct GiveBack {
    std::shared_ptr<Pool> pool{};
    void operator()(T* object) const noexcept { pool->give(std::unique_ptr<T>(object)); }
  };
  using Pointer = std::unique_ptr<T, GiveBack>;

  static std::shared_ptr<Pool> make() { return std::shared_ptr<Pool>(new Pool); }

  Pointer take() {
    std::unique_ptr<T> object;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        object = std::move(idle_.back());
        idle_.pop_back();
      } else {
        idle_.reserve(++made_);  // so that giving back never needs memory
      }
    }
    if (!object) object.reset(new T);  // not make_unique, which would clear a buffer for nothing
    return Pointer(object.release(), GiveBack{this->shared_from_this()});
  }

 private:
  Pool() = default;

  void give(std::unique_ptr<T> object) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(object));
  }

  std::mutex mutex_;
  std::size_t made_ = 0;
  std::vector<std::unique_ptr<T>> idle_;
};

/// Holds the plain bytes of a piece. Its size bounds the memory of a piece, however much the piece expands.
struct PlainBuffer {
  std::array<std::byte, std::size_t{2} << 20> bytes;
};

using PlainBufferPool = Pool<PlainBuffer>;

}  // namespace shardmill::codec
