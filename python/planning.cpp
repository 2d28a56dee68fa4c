#include "planning.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include "batch_plan.hpp"

namespace shardmill::python {

namespace {

std::string_view bytes_of(PyObject* bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  check(PyBytes_AsStringAndSize(bytes, &data, &size));
  return {data, static_cast<std::size_t>(size)};
}

Object bytes_object(std::string_view bytes) {
  return Object::from(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

Object list_object(const std::vector<std::uint32_t>& numbers) {
  Object list = Object::from(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    check(PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i),
                         number_object(std::uint64_t{numbers[i]}).release()));
  return list;
}

Object item_of(PyObject* sequence, Py_ssize_t number) {
  return Object::from(PySequence_GetItem(sequence, number));
}

/// Asks Python for the lengths of some samples.
class Lengths {
 public:
  explicit Lengths(PyObject* function) : function_(std::make_shared<Object>(Object::shared(function))) {}

  std::vector<std::uint32_t> operator()(std::uint32_t first, std::uint32_t count) const {
    const Object arguments = Object::from(Py_BuildValue("II", first, count));
    const Object result = Object::from(PyObject_CallObject(function_->get(), arguments.get()));
    const std::string_view bytes = bytes_of(result.get());
    std::vector<std::uint32_t> lengths(count);
    if (bytes.size() != lengths.size() * sizeof(std::uint32_t)) {
      PyErr_SetString(PyExc_ValueError, "there are more or fewer lengths than samples");
      throw PythonError{};
    }
    std::memcpy(lengths.data(), bytes.data(), bytes.size());
    return lengths;
  }

 private:
  std::shared_ptr<Object> function_;
};

struct PlanObject {
  PyObject base;
  BatchPlan* plan;
};

BatchPlan& plan_of(PyObject* self) {
  return *reinterpret_cast<PlanObject*>(self)->plan;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  return guarded([&] {
    BatchPlan::Lane lane;
    PyObject* seed = nullptr;
    PyObject* bounds = nullptr;
    PyObject* lengths = nullptr;
    unsigned long long frames = 0;
    if (PyArg_ParseTuple(arguments, "IIUKOO", &lane.samples, &lane.buffer, &seed, &frames, &bounds,
                         &lengths) == 0)
      throw PythonError{};
    lane.seed = text_of(seed);
    lane.frames = frames;
    const Py_ssize_t size = PySequence_Size(bounds);
    check(size < 0 ? -1 : 0);
    for (Py_ssize_t i = 0; i < size; ++i) lane.bounds.push_back(number_of(item_of(bounds, i).get()));
    lane.lengths = Lengths(lengths);
    auto plan = std::make_unique<BatchPlan>(std::move(lane));
    Object self = Object::from(PyType_GenericAlloc(type, 0));
    reinterpret_cast<PlanObject*>(self.get())->plan = plan.release();
    return self;
  });
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<PlanObject*>(self)->plan;
  PyObject_Free(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));  // each object of a type that was made at run time holds it
}

PyObject* survey(PyObject* self, PyObject* /*nothing*/) {
  return guarded([&] {
    Object counts = Object::from(PyDict_New());
    for (const auto& [size, count] : plan_of(self).survey())
      check(
          PyDict_SetItem(counts.get(), number_object(std::uint64_t{size}).get(), number_object(count).get()));
    return counts;
  });
}

PyObject* settle(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    Halving halving;
    unsigned long long quota = 0;
    if (PyArg_ParseTuple(arguments, "IIK", &halving.rounds, &halving.threshold, &quota) == 0)
      throw PythonError{};
    halving.quota = quota;
    return number_object(plan_of(self).settle(halving));
  });
}

PyObject* checkpoint(PyObject* self, PyObject* number) {
  return guarded([&] {
    const Checkpoint& found = plan_of(self).checkpoint(number_of(number));
    const Object open = bytes_object(found.open);
    return Object::from(Py_BuildValue("KKKO", static_cast<unsigned long long>(found.first),
                                      static_cast<unsigned long long>(found.number),
                                      static_cast<unsigned long long>(found.quota), open.get()));
  });
}

PyObject* samples_from(PyObject* self, PyObject* number) {
  return guarded([&] { return number_object(plan_of(self).samples_from(number_of(number))); });
}

PyObject* begin(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    Halving halving;
    Checkpoint at;
    unsigned long long first = 0;
    unsigned long long number = 0;
    unsigned long long quota = 0;
    PyObject* open = nullptr;
    if (PyArg_ParseTuple(arguments, "II(KKKS)", &halving.rounds, &halving.threshold, &first, &number, &quota,
                         &open) == 0)
      throw PythonError{};
    if (!plan_of(self).begin(
            halving,
            {.first = first, .number = number, .quota = quota, .open = std::string(bytes_of(open))})) {
      PyErr_SetString(PyExc_ValueError, "the position is not one of these samples");
      throw PythonError{};
    }
    return Object::none();
  });
}

PyObject* skip(PyObject* self, PyObject* batches) {
  return guarded([&] {
    std::uint64_t left = number_of(batches);
    while (left > 0 && plan_of(self).next()) --left;
    return Object::none();
  });
}

PyObject* open_places(PyObject* self, PyObject* /*nothing*/) {
  return guarded([&] { return list_object(plan_of(self).open_places()); });
}

/// Null without an exception at the end.
PyObject* next_of(PyObject* self) {
  return guarded([&] {
    const auto batch = plan_of(self).next();
    return batch ? list_object(*batch) : Object{};
  });
}

}  // namespace

PyObject* shuffled_function(PyObject* /*module*/, PyObject* arguments) {
  return guarded([&] {
    PyObject* seed = nullptr;
    unsigned long long number = 0;
    unsigned count = 0;
    if (PyArg_ParseTuple(arguments, "UKI", &seed, &number, &count) == 0) throw PythonError{};
    return list_object(shuffled(text_of(seed), number, count));
  });
}

PyObject* lengths_in_function(PyObject* /*module*/, PyObject* lines) {
  return guarded([&] {
    constexpr std::string_view kName = "\"duration\":";
    std::string_view text = bytes_of(lines);
    std::string lengths;
    for (std::uint64_t line = 1; !text.empty(); ++line) {
      const std::string_view own = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(own.size() + 1, text.size()));
      const std::size_t name = own.find(kName);
      double seconds = -1;
      if (name != std::string_view::npos)
        std::from_chars(own.data() + name + kName.size(), own.data() + own.size(), seconds);
      const double frames = std::max(1.0, std::nearbyint(100 * seconds));
      if (!(seconds >= 0) || frames > std::numeric_limits<std::uint32_t>::max()) {
        PyErr_Format(PyExc_ValueError, "line %llu has no duration", static_cast<unsigned long long>(line));
        throw PythonError{};
      }
      const auto length = static_cast<std::uint32_t>(frames);
      lengths.append(reinterpret_cast<const char*>(&length), sizeof length);
    }
    return bytes_object(lengths);
  });
}

Object batch_plan_type() {
  static PyMethodDef methods[] = {{"survey", &survey, METH_NOARGS, nullptr},
                                  {"settle", &settle, METH_VARARGS, nullptr},
                                  {"checkpoint", &checkpoint, METH_O, nullptr},
                                  {"samples_from", &samples_from, METH_O, nullptr},
                                  {"begin", &begin, METH_VARARGS, nullptr},
                                  {"skip", &skip, METH_O, nullptr},
                                  {"open_places", &open_places, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&make)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&destroy)},
                         {Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                         {Py_tp_iternext, reinterpret_cast<void*>(&next_of)},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec{.name = "shardmill._native.BatchPlan",
                   .basicsize = sizeof(PlanObject),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT,
                   .slots = slots};
  return Object::from(PyType_FromSpec(&spec));
}

}  // namespace shardmill::python
