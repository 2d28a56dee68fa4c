// shardmill._native: what the Python package needs of the library, close to how the library has it. What
// users see is written in Python, in shardmill/.
#include <string>

#include "audio.hpp"
#include "jobs.hpp"
#include "object.hpp"
#include "planning.hpp"
#include "records.hpp"
#include "remote.hpp"
#include "samples.hpp"
#include "shardmill/remote.hpp"
#include "shardmill/version.hpp"

namespace shardmill::python {

namespace {

void add(const Object& module, const char* name, Object value) {
  check(PyModule_AddObject(module.get(), name, value.get()));
  static_cast<void>(value.release());  // the module has it now
}

PyMethodDef functions[] = {{"repack", &repack_function, METH_VARARGS, nullptr},
                           {"repack_options", &repack_options_function, METH_NOARGS, nullptr},
                           {"verify", &verify_function, METH_VARARGS, nullptr},
                           {"ranks", &ranks_function, METH_VARARGS, nullptr},
                           {"open_dataset", &open_dataset_function, METH_O, nullptr},
                           {"known_address", &known_address_function, METH_O, nullptr},
                           {"shown_address", &shown_address_function, METH_O, nullptr},
                           {"is_folder", &is_folder_function, METH_O, nullptr},
                           {"facts_of", &facts_of_function, METH_O, nullptr},
                           {"facts_in", &facts_in_function, METH_VARARGS, nullptr},
                           {"files_below", &files_below_function, METH_O, nullptr},
                           {"shuffled", &shuffled_function, METH_VARARGS, nullptr},
                           {"lengths_in", &lengths_in_function, METH_O, nullptr},
                           {"decode_audio", &decode_audio_function, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition{.m_base = PyModuleDef_HEAD_INIT,
                       .m_name = "shardmill._native",
                       .m_doc = nullptr,
                       .m_size = -1,
                       .m_methods = functions,
                       .m_slots = nullptr,
                       .m_traverse = nullptr,
                       .m_clear = nullptr,
                       .m_free = nullptr};

}  // namespace

}  // namespace shardmill::python

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__native() {
  using namespace shardmill::python;
  return guarded([] {
    Object module = Object::from(PyModule_Create(&definition));
    shardmill::keep_connections_from_children();  // the workers of loaders
    add(module, "version", text_object(shardmill::version()));
    add(module, "Samples", samples_type());
    add(module, "KeyIndex", key_index_type());
    add(module, "BatchPlan", batch_plan_type());
    add(module, "RemoteFile", remote_file_type());
    return module;
  });
}
