#include "losses.hpp"

#include <utility>

#include "object.hpp"

namespace shardmill::python {

namespace {

// The line that a warning names: not that of the package itself, but the one that iterates.
constexpr int kCallerOfTheIteration = 2;

}  // namespace

void Losses::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  texts_.emplace_back(error.what());
}

void Losses::tell() {
  std::unique_lock lock(mutex_);
  const std::vector<std::string> texts = std::exchange(texts_, {});
  lock.unlock();
  if (texts.empty()) return;
  const Object module = Object::from(PyImport_ImportModule("shardmill._errors"));
  const Object category = Object::from(PyObject_GetAttrString(module.get(), "DamageWarning"));
  for (const std::string& text : texts)
    check(PyErr_WarnFormat(category.get(), kCallerOfTheIteration, "%U", text_object(text).get()));
}

}  // namespace shardmill::python
