#include "object.hpp"

#include <exception>
#include <new>

#include "shardmill/error.hpp"

namespace shardmill::python {

namespace {

/// Throws PythonError when the exception itself cannot be made.
void raise(const char* class_name, const Error& error) {
  const Object module = Object::from(PyImport_ImportModule("shardmill._errors"));
  const Object type = Object::from(PyObject_GetAttrString(module.get(), class_name));
  const Object what = text_object(error.what());
  const Object raised = Object::from(PyObject_CallFunctionObjArgs(type.get(), what.get(), nullptr));
  const auto give = [&](const char* name, const Object& value) {
    check(PyObject_SetAttrString(raised.get(), name, value.get()));
  };
  give("problem", text_object(error.problem()));
  give("advice", text_object(error.advice()));
  give("path", text_or_none(error.where().path));
  give("member", text_or_none(error.where().member));
  give("offset", error.where().offset ? number_object(*error.where().offset) : Object::none());
  PyErr_SetObject(type.get(), raised.get());
}

template <typename Convert>
auto each_of(PyObject* sequence, Convert convert) {
  std::vector<decltype(convert(sequence))> result;
  const Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) throw PythonError{};
  for (Py_ssize_t i = 0; i < size; ++i)
    result.push_back(convert(Object::from(PySequence_GetItem(sequence, i)).get()));
  return result;
}

}  // namespace

Object text_object(std::string_view text) {
  return Object::from(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

Object text_or_none(std::string_view text) {
  return text.empty() ? Object::none() : text_object(text);
}

Object number_object(std::uint64_t number) {
  return Object::from(PyLong_FromUnsignedLongLong(number));
}

Object number_object(double number) {
  return Object::from(PyFloat_FromDouble(number));
}

Object bool_object(bool value) {
  return Object::from(PyBool_FromLong(value ? 1 : 0));
}

void set(const Object& dict, const char* key, const Object& value) {
  check(PyDict_SetItemString(dict.get(), key, value.get()));
}

void append(const Object& list, const Object& item) {
  check(PyList_Append(list.get(), item.get()));
}

std::string text_of(PyObject* text) {
  const Object bytes = Object::from(PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"));
  char* data = nullptr;
  Py_ssize_t size = 0;
  check(PyBytes_AsStringAndSize(bytes.get(), &data, &size));
  return {data, static_cast<std::size_t>(size)};
}

std::vector<std::string> texts_of(PyObject* sequence) {
  return each_of(sequence, text_of);
}

std::vector<std::pair<std::string, std::string>> pairs_of(PyObject* sequence) {
  return each_of(sequence, [](PyObject* pair) {
    return std::pair(text_of(Object::from(PySequence_GetItem(pair, 0)).get()),
                     text_of(Object::from(PySequence_GetItem(pair, 1)).get()));
  });
}

std::uint64_t number_of(PyObject* number) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred() != nullptr) throw PythonError{};
  return value;
}

void raise_current_exception() noexcept {
  try {
    try {
      throw;
    } catch (const UsageError& error) {
      raise("UsageError", error);
    } catch (const Error& error) {
      raise("Error", error);
    }
  } catch (const PythonError&) {
    // It is set already.
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an unknown failure");
  }
}

}  // namespace shardmill::python
