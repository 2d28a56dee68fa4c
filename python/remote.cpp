#include "remote.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "shardmill/remote.hpp"

namespace shardmill::python {

namespace {

/// Runs without Python's lock.
template <typename Work>
auto unlocked(Work work) {
  const WithoutLock lock;
  return work();
}

Object facts_object(const std::optional<RemoteFacts>& facts) {
  if (!facts) return Object::none();
  const Object bytes = number_object(facts->bytes);
  const Object version = text_object(facts->version);
  return Object::from(PyTuple_Pack(2, bytes.get(), version.get()));
}

struct RemoteFileObject {
  PyObject base;
  RemoteFile* file;
  pid_t process;  // that opened it: one that was forked has none of its threads
};

RemoteFileObject& object_of(PyObject* self) {
  return *reinterpret_cast<RemoteFileObject*>(self);
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  return guarded([&] {
    PyObject* address = nullptr;
    if (PyArg_ParseTuple(arguments, "U", &address) == 0) throw PythonError{};
    const std::string text = text_of(address);
    auto file = unlocked([&] { return std::make_unique<RemoteFile>(text); });
    Object self = Object::from(PyType_GenericAlloc(type, 0));
    object_of(self.get()).file = file.release();
    object_of(self.get()).process = ::getpid();
    return self;
  });
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (object_of(self).process == ::getpid()) {
    const WithoutLock lock;
    delete object_of(self).file;
  }
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));  // each object of a type that was made at run time holds it
}

PyObject* size_of(PyObject* self, PyObject* /*nothing*/) {
  return guarded([&] { return number_object(object_of(self).file->bytes()); });
}

PyObject* read(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    unsigned long long wanted = 0, offset = 0;
    if (PyArg_ParseTuple(arguments, "KK", &wanted, &offset) == 0) throw PythonError{};
    const RemoteFileObject& object = object_of(self);
    if (object.process != ::getpid())
      throw Error("this process was forked after the file was opened", {}, "open it again in each process");
    const std::uint64_t left = object.file->bytes() - std::min<std::uint64_t>(object.file->bytes(), offset);
    const auto size = static_cast<Py_ssize_t>(std::min<std::uint64_t>(wanted, left));
    Object bytes = Object::from(PyBytes_FromStringAndSize(nullptr, size));
    const std::span room(reinterpret_cast<std::byte*>(PyBytes_AsString(bytes.get())),
                         static_cast<std::size_t>(size));
    const std::size_t got = unlocked([&] { return object.file->read_at(room, offset); });
    if (got != room.size()) throw Error("the file became shorter while it was read");
    return bytes;
  });
}

}  // namespace

PyObject* known_address_function(PyObject* /*module*/, PyObject* address) {
  return guarded([&] { return text_object(known_address(text_of(address))); });
}

PyObject* shown_address_function(PyObject* /*module*/, PyObject* address) {
  return guarded([&] { return text_object(shown_address(text_of(address))); });
}

PyObject* is_folder_function(PyObject* /*module*/, PyObject* address) {
  return guarded([&] {
    const std::string text = text_of(address);
    return bool_object(unlocked([&] { return kind_of(text); }) == RemoteKind::folder);
  });
}

PyObject* facts_of_function(PyObject* /*module*/, PyObject* address) {
  return guarded([&] {
    const std::string text = text_of(address);
    return facts_object(unlocked([&] { return facts_of(text); }));
  });
}

PyObject* facts_in_function(PyObject* /*module*/, PyObject* arguments) {
  return guarded([&] {
    PyObject *folder = nullptr, *names = nullptr;
    if (PyArg_ParseTuple(arguments, "UO", &folder, &names) == 0) throw PythonError{};
    const std::string text = text_of(folder);
    const std::vector<std::string> wanted = texts_of(names);
    Object all = Object::from(PyList_New(0));
    for (const auto& facts : unlocked([&] { return facts_in(text, wanted); }))
      append(all, facts_object(facts));
    return all;
  });
}

PyObject* files_below_function(PyObject* /*module*/, PyObject* prefix) {
  return guarded([&] {
    const std::string text = text_of(prefix);
    Object all = Object::from(PyList_New(0));
    for (const std::string& file : unlocked([&] { return files_below(text); }))
      append(all, text_object(file));
    return all;
  });
}

Object remote_file_type() {
  static PyMethodDef methods[] = {{"size", &size_of, METH_NOARGS, nullptr},
                                  {"read", &read, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec{.name = "shardmill._native.RemoteFile",
                   .basicsize = sizeof(RemoteFileObject),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT,
                   .slots = slots};
  return Object::from(PyType_FromSpec(&spec));
}

}  // namespace shardmill::python
