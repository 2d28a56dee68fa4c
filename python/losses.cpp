#include "losses.hpp"

#include <limits>
#include <utility>

namespace shardmill::python {

Losses::Losses(PyObject* tell) : tell_(Object::shared(tell)) {}

void Losses::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  losses_.push_back({samples_read_, error.what()});
}

void Losses::sample_read() {
  const std::lock_guard lock(mutex_);
  ++samples_read_;
}

void Losses::tell_before_sample() {
  tell_up_to(samples_given_++);
}

void Losses::tell_all() {
  tell_up_to(std::numeric_limits<std::uint64_t>::max());
}

void Losses::tell_up_to(std::uint64_t samples) {
  std::deque<Loss> due;
  {
    const std::lock_guard lock(mutex_);
    while (!losses_.empty() && losses_.front().samples_before <= samples) {
      due.push_back(std::move(losses_.front()));
      losses_.pop_front();
    }
  }
  if (tell_.get() == Py_None) return;
  for (const Loss& loss : due)
    Object::from(PyObject_CallFunctionObjArgs(tell_.get(), text_object(loss.text).get(), nullptr));
}

}  // namespace shardmill::python
