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

void Mailbox::deliver(const pybind11::object& callback) {
  std::unique_lock lock(mutex_);
  const std::vector<std::string> messages = std::exchange(messages_, {});
  const std::optional<Progress> now = std::exchange(progress_, std::nullopt);
  const std::string phase = phase_;
  lock.unlock();

  if (!messages.empty()) {
    const pybind11::object logger = pybind11::module_::import("logging").attr("getLogger")("shardmill");
    for (const std::string& message : messages) logger.attr("warning")("%s", message);
  }
  if (callback.is_none() || !now) return;
  pybind11::dict counts;
  counts["phase"] = phase;
  counts["input_bytes"] = now->input_bytes;
  counts["input_bytes_total"] = now->input_bytes_total;
  counts["output_bytes"] = now->output_bytes;
  counts["samples"] = now->samples;
  counts["seconds"] = now->seconds;
  callback(counts);
}

}  // namespace shardmill::python
