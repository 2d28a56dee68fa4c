// watched_call: runs long work beside Python: with progress, warnings and Ctrl-C.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "object.hpp"
#include "shardmill/observer.hpp"

namespace shardmill::python {

/// Keeps what the work says until Python asks for it: its threads never wait for Python's lock.
class Mailbox final : public Observer {
 public:
  void warn(const Error& warning) override { add(warning.what()); }
  void fail(const Error& error) override { add(error.what()); }
  void phase(std::string_view name) override;
  void progress(const Progress& so_far) override;
  bool stop_requested() const noexcept override { return stop_; }

  void stop() noexcept { stop_ = true; }
  /// Hands over what has come since the last time: to the logger "shardmill", and to `callback` unless it is
  /// None.
  void deliver(PyObject* callback);

 private:
  void add(std::string message);

  std::mutex mutex_;
  std::vector<std::string> messages_;
  std::string phase_;
  std::optional<Progress> progress_;
  std::atomic<bool> stop_{false};
};

/// Runs `work(observer)` in a thread and returns its result. An exception from `callback`, and a signal that
/// Python turns into one, such as Ctrl-C, stop the work first.
template <typename Work>
auto watched_call(PyObject* callback, Work work) {
  Mailbox mailbox;
  auto result = std::async(std::launch::async, [&] { return work(static_cast<Observer&>(mailbox)); });
  const auto wait = [&](std::chrono::milliseconds time) {
    const WithoutLock unlocked;
    return result.wait_for(time) == std::future_status::ready;
  };
  try {
    while (!wait(std::chrono::milliseconds(50))) {
      if (PyErr_CheckSignals() != 0) throw PythonError{};
      mailbox.deliver(callback);
    }
    mailbox.deliver(callback);
  } catch (...) {
    mailbox.stop();
    const WithoutLock unlocked;
    result.wait();
    throw;
  }
  return result.get();
}

}  // namespace shardmill::python
