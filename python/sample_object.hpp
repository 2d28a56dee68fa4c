// SampleObject: makes of a sample what the Python half of the package takes, (key, {extension: bytes}).
#pragma once

#include <string_view>

#include "object.hpp"

namespace shardmill::python {

class SampleObject {
 public:
  explicit SampleObject(std::string_view key)
      : key_(text_object(key)), members_(Object::from(PyDict_New())) {}

  void add(std::string_view extension, const Object& bytes) {
    // All samples share the few extensions that there are.
    PyObject* name = text_object(extension).release();
    PyUnicode_InternInPlace(&name);
    const Object owned = Object::from(name);
    check(PyDict_SetItem(members_.get(), owned.get(), bytes.get()));
  }

  Object take() { return Object::from(PyTuple_Pack(2, key_.get(), members_.get())); }

 private:
  Object key_;
  Object members_;
};

}  // namespace shardmill::python
