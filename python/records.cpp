#include "records.hpp"

#include <memory>
#include <optional>
#include <unordered_map>

#include "shardmill/dataset.hpp"

namespace shardmill::python {

namespace {

/// Where the manifest line of each key stands.
class KeyIndex {
 public:
  struct Place {
    std::uint64_t shard = 0;
    std::uint64_t offset = 0;  // in the shard's manifest
  };

  explicit KeyIndex(const Dataset& dataset) {
    places_.reserve(dataset.samples);
    std::uint64_t offset = 0;
    std::uint64_t shard = 0;
    read_manifests(dataset, [&](const SampleInfo& sample) {
      if (sample.shard != shard) offset = 0;
      shard = sample.shard;
      places_.emplace(sample.key, Place{.shard = shard, .offset = offset});
      offset += sample.json.size() + 1;
      return true;
    });
  }

  const Place* find(const std::string& key) const {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::string, Place> places_;
};

struct KeyIndexObject {
  PyObject base;
  KeyIndex* index;
};

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  return guarded([&] {
    PyObject* folder = nullptr;
    if (PyArg_ParseTuple(arguments, "U", &folder) == 0) throw PythonError{};
    const std::string path = text_of(folder);
    auto index = [&] {
      const WithoutLock unlocked;
      return std::make_unique<KeyIndex>(open_dataset(path));
    }();
    Object self = Object::from(PyType_GenericAlloc(type, 0));
    reinterpret_cast<KeyIndexObject*>(self.get())->index = index.release();
    return self;
  });
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<KeyIndexObject*>(self)->index;
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));  // each object of a type that was made at run time holds it
}

PyObject* find(PyObject* self, PyObject* key) {
  return guarded([&] {
    const KeyIndex::Place* place = reinterpret_cast<KeyIndexObject*>(self)->index->find(text_of(key));
    if (place == nullptr) return Object::none();
    const Object shard = number_object(place->shard);
    const Object offset = number_object(place->offset);
    return Object::from(PyTuple_Pack(2, shard.get(), offset.get()));
  });
}

}  // namespace

PyObject* open_dataset_function(PyObject* /*module*/, PyObject* folder) {
  return guarded([&] {
    const std::string path = text_of(folder);
    const Dataset dataset = [&] {
      const WithoutLock unlocked;
      return open_dataset(path);
    }();
    const Object shards = Object::from(PyList_New(0));
    for (const ShardInfo& info : dataset.shards) {
      const Object shard = Object::from(PyDict_New());
      set(shard, "path", text_object(info.path));
      set(shard, "manifest", text_object(info.manifest_path));
      set(shard, "samples", number_object(info.samples));
      set(shard, "seconds", number_object(info.seconds));
      set(shard, "codec", text_object(info.codec));
      append(shards, shard);
    }
    Object result = Object::from(PyDict_New());
    set(result, "samples", number_object(dataset.samples));
    set(result, "seconds", number_object(dataset.seconds));
    set(result, "shards", shards);
    return result;
  });
}

Object key_index_type() {
  static PyMethodDef methods[] = {{"find", &find, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec{.name = "shardmill._native.KeyIndex",
                   .basicsize = sizeof(KeyIndexObject),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT,
                   .slots = slots};
  return Object::from(PyType_FromSpec(&spec));
}

}  // namespace shardmill::python
