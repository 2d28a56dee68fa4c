// Object: a reference to an object of Python's, and what keeps Python's exceptions and C++'s apart.
// Everything here is in the stable ABI of Python 3.8, so one module serves that version and all later ones.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::python {

/// Thrown where Python has set an exception.
struct PythonError {};

/// Owns one reference. Needs Python's lock for all that it does.
class Object {
 public:
  Object() = default;
  /// Takes over a new reference. Null means that Python has set an exception: throws PythonError.
  static Object from(PyObject* fresh) {
    if (fresh == nullptr) throw PythonError{};
    return Object(fresh);
  }
  /// One more reference to an object that somebody else owns.
  static Object shared(PyObject* object) {
    Py_INCREF(object);
    return Object(object);
  }
  static Object none() { return shared(Py_None); }
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { Py_XDECREF(object_); }

  PyObject* get() const noexcept { return object_; }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  explicit Object(PyObject* fresh) : object_(fresh) {}
  PyObject* object_ = nullptr;
};

/// Lets other threads of Python run as long as it lives. Objects must not be touched meanwhile.
class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() { PyEval_RestoreThread(state_); }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

/// Throws PythonError for the -1 with which functions of Python's tell that they failed.
inline void check(int status) {
  if (status < 0) throw PythonError{};
}

// Bytes that are no UTF-8, as names of files may have, become what os.fsdecode() makes of them.
Object text_object(std::string_view text);
/// None for an empty text.
Object text_or_none(std::string_view text);
Object number_object(std::uint64_t number);
Object number_object(double number);
Object bool_object(bool value);
void set(const Object& dict, const char* key, const Object& value);
void append(const Object& list, const Object& item);

std::string text_of(PyObject* text);
std::vector<std::string> texts_of(PyObject* sequence);
/// Of a sequence of pairs.
std::vector<std::pair<std::string, std::string>> pairs_of(PyObject* sequence);
std::uint64_t number_of(PyObject* number);

/// Sets Python's exception for the C++ exception that is being handled.
void raise_current_exception() noexcept;

/// What Python calls: an Object becomes a new reference, an exception Python's own.
template <typename Work>
PyObject* guarded(Work work) noexcept {
  try {
    return work().release();
  } catch (...) {
    raise_current_exception();
    return nullptr;
  }
}

}  // namespace shardmill::python
