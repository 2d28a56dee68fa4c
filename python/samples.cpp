#include "samples.hpp"

#include <unistd.h>

#include <memory>
#include <variant>

#include "decoder.hpp"
#include "losses.hpp"
#include "plain_samples.hpp"
#include "sample_object.hpp"
#include "shardmill/remote.hpp"

namespace shardmill::python {

namespace {

/// Opens the shard at the first sample. A process that was forked after that must open it again.
class Samples {
 public:
  Samples(std::string path, const ReadOptions& options, PyObject* tell)
      : path_(std::move(path)), options_(options), losses_(tell) {}
  ~Samples() {
    // A process that was forked waits for ever for threads that read ahead from a server: it has none.
    if (is_address(path_) && process_ != ::getpid()) static_cast<void>(plain_.release());
    if (!decoder_) return;
    // The thread that decodes ends the block that it is in; meanwhile other threads of Python run.
    const WithoutLock unlocked;
    decoder_.reset();
  }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  Object next() {
    if (process_ == 0) open();
    if (process_ != ::getpid())
      throw Error("this process was forked in the middle of an iteration", at(path_),
                  "begin a new one in each process");
    try {
      Object sample = plain_ ? plain_->next() : decoded();
      if (sample) {
        losses_.tell_before_sample();
      } else {
        losses_.tell_all();
      }
      return sample;
    } catch (const Error&) {
      losses_.tell_all();  // they come before the error
      throw;
    }
  }

 private:
  void open() {
    const WithoutLock unlocked;
    if (is_plain_shard(path_)) {
      plain_ = std::make_unique<PlainSamples>(path_, options_, losses_);
    } else {
      decoder_ = std::make_unique<Decoder>(path_, options_, losses_);
    }
    process_ = ::getpid();
  }

  Object decoded() {
    std::optional<Sample> sample;
    {
      const WithoutLock unlocked;
      sample = decoder_->next();
    }
    if (!sample) return {};
    SampleObject object(sample->key);
    for (const Member& member : sample->members) {
      object.add(member.extension,
                 Object::from(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(member.bytes.data()),
                                                        static_cast<Py_ssize_t>(member.bytes.size()))));
    }
    return object.take();
  }

  std::string path_;
  ReadOptions options_;
  pid_t process_ = 0;  // that reads the shard; 0: none does yet
  Losses losses_;
  std::unique_ptr<PlainSamples> plain_;
  std::unique_ptr<Decoder> decoder_;
};

struct SamplesObject {
  PyObject base;
  Samples* samples;
  bool is_busy;  // another thread of Python waits for the next sample
};

SamplesObject& object_of(PyObject* self) {
  return *reinterpret_cast<SamplesObject*>(self);
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  return guarded([&] {
    PyObject* path = nullptr;
    PyObject* key_rule = nullptr;
    PyObject* tell = nullptr;
    int skip_damage = 0;
    unsigned threads = 0;
    unsigned long long memory = 0;
    if (PyArg_ParseTuple(arguments, "UUpIKO", &path, &key_rule, &skip_damage, &threads, &memory, &tell) == 0)
      throw PythonError{};
    const ReadOptions options{
        .key_rule = text_of(key_rule) == "webdataset" ? KeyRule::webdataset : KeyRule::wenet,
        .skip_damage = skip_damage != 0,
        .limits = {.threads = threads, .memory_bytes = memory}};
    auto samples = std::make_unique<Samples>(text_of(path), options, tell);
    Object self = Object::from(PyType_GenericAlloc(type, 0));
    object_of(self.get()).samples = samples.release();
    return self;
  });
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete object_of(self).samples;
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));  // each object of a type that was made at run time holds it
}

/// Null without an exception at the end.
PyObject* next_of(PyObject* self) {
  SamplesObject& object = object_of(self);
  if (object.is_busy) {
    PyErr_SetString(PyExc_ValueError, "another thread is reading from this iteration");
    return nullptr;
  }
  object.is_busy = true;
  PyObject* sample = guarded([&] { return object.samples->next(); });
  object.is_busy = false;
  return sample;
}

}  // namespace

Object samples_type() {
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                         {Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                         {Py_tp_iternext, reinterpret_cast<void*>(&next_of)},
                         {0, nullptr}};
  PyType_Spec spec{.name = "shardmill._native.Samples",
                   .basicsize = sizeof(SamplesObject),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT,
                   .slots = slots};
  return Object::from(PyType_FromSpec(&spec));
}

}  // namespace shardmill::python
