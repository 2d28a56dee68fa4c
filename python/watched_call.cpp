#include "watched_call.hpp"

#include <utility>

namespace shardmill::python {

void Mailbox::phase(std::string_view name) {
  const std::lock_guard lock(mutex_);
  phase_ = name;
}

void Mailbox::progress(const Progress& so_far) {
  const std::lock_guard lock(mutex_);
  progress_ = so_far;
}

void Mailbox::add(std::string message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

void Mailbox::deliver(PyObject* callback) {
  std::unique_lock lock(mutex_);
  const std::vector<std::string> messages = std::exchange(messages_, {});
  const std::optional<Progress> now = std::exchange(progress_, std::nullopt);
  const std::string phase = phase_;
  lock.unlock();

  if (!messages.empty()) {
    const Object logging = Object::from(PyImport_ImportModule("logging"));
    const Object logger = Object::from(PyObject_CallMethod(logging.get(), "getLogger", "s", "shardmill"));
    for (const std::string& message : messages)
      Object::from(PyObject_CallMethod(logger.get(), "warning", "sO", "%s", text_object(message).get()));
  }
  if (callback == Py_None || !now) return;
  const Object counts = Object::from(PyDict_New());
  set(counts, "phase", text_object(phase));
  set(counts, "input_bytes", number_object(now->input_bytes));
  set(counts, "input_bytes_total", number_object(now->input_bytes_total));
  set(counts, "output_bytes", number_object(now->output_bytes));
  set(counts, "samples", number_object(now->samples));
  set(counts, "seconds", number_object(now->seconds));
  Object::from(PyObject_CallFunctionObjArgs(callback, counts.get(), nullptr));
}

}  // namespace shardmill::python
