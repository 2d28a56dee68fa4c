// Losses: tells Python what a shard lost that is read in spite of damage.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "object.hpp"
#include "shardmill/observer.hpp"

namespace shardmill::python {

/// Keeps losses until Python has received the samples before them, because readers run ahead of Python.
class Losses final : public Observer {
 public:
  /// `tell` is called with the text of each loss, unless it is None.
  explicit Losses(PyObject* tell);

  void fail(const Error& error) override;
  /// Call for each sample that was read, in their order. What is lost from now on comes after it.
  void sample_read();

  // With Python's lock. Both throw PythonError where Python makes an exception of a loss.
  /// Reports the losses before the next sample. Call it for each sample that Python gets.
  void tell_before_sample();
  void tell_all();

 private:
  struct Loss {
    std::uint64_t samples_before = 0;
    std::string text;
  };
  void tell_up_to(std::uint64_t samples);

  Object tell_;
  std::mutex mutex_;
  std::deque<Loss> losses_;
  std::uint64_t samples_read_ = 0;
  std::uint64_t samples_given_ = 0;
};

}  // namespace shardmill::python
