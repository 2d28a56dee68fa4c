// Pool: lends objects that are costly to make, such as buffers, and lends them again after they were
// returned.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace shardmill::codec {

/// Thread-safe. Objects keep their pool alive. An object still holds what its last user left in it.
///
/// No thread waits for a pool: one that finds it taken does without. So in a process that was forked while
/// another thread was in here, nothing waits for that thread, which is not there.
template <typename T>
class Pool : public std::enable_shared_from_this<Pool<T>> {
 public:
  struct GiveBack {
    std::shared_ptr<Pool> pool{};
    void operator()(T* object) const noexcept { pool->give(std::unique_ptr<T>(object)); }
  };
  using Pointer = std::unique_ptr<T, GiveBack>;

  static std::shared_ptr<Pool> make() { return std::shared_ptr<Pool>(new Pool); }

  /// The pool of all files that are open; it goes with the last of them. With a pool for each file, the
  /// memory would grow with the number of files.
  static std::shared_ptr<Pool> common() {
    static std::mutex mutex;
    static std::weak_ptr<Pool> known;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return make();
    auto pool = known.lock();
    if (!pool) {
      pool = make();
      known = pool;
    }
    return pool;
  }

  Pointer take() {
    std::unique_ptr<T> object;
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock && idle_ > 0) {
      object = std::move(objects_[--idle_]);
    }
    if (!object) object.reset(new T);  // not make_unique, which would clear a buffer for nothing
    return Pointer(object.release(), GiveBack{this->shared_from_this()});
  }

 private:
  Pool() = default;

  void give(std::unique_ptr<T> object) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock && idle_ < objects_.size()) objects_[idle_++] = std::move(object);
  }

  static constexpr std::size_t kMostIdle = 64;

  std::mutex mutex_;
  std::array<std::unique_ptr<T>, kMostIdle> objects_;
  std::size_t idle_ = 0;  // of them, the first ones
};

/// Holds the plain bytes of a piece. Its size bounds the memory of a piece, however much the piece expands.
struct PlainBuffer {
  std::array<std::byte, std::size_t{2} << 20> bytes;
};

using PlainBufferPool = Pool<PlainBuffer>;

}  // namespace shardmill::codec
