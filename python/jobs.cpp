#include "jobs.hpp"

#include "shardmill/ranks.hpp"
#include "shardmill/repack.hpp"
#include "shardmill/verify.hpp"
#include "watched_call.hpp"

namespace shardmill::python {

namespace {

template <typename... Places>
void parse(PyObject* arguments, const char* form, Places... places) {
  if (PyArg_ParseTuple(arguments, form, places...) == 0) throw PythonError{};
}

Object shares_of(const std::vector<RankShare>& shares) {
  Object result = Object::from(PyList_New(0));
  for (const RankShare& share : shares) {
    const Object entry = Object::from(PyDict_New());
    set(entry, "shards", number_object(share.shards));
    set(entry, "samples", number_object(share.samples));
    set(entry, "seconds", number_object(share.seconds));
    set(entry, "idle_share", number_object(share.idle_share));
    append(result, entry);
  }
  return result;
}

Object plan_of(const std::vector<std::vector<std::vector<std::string>>>& plan) {
  Object ranks = Object::from(PyList_New(0));
  for (const auto& rank : plan) {
    const Object workers = Object::from(PyList_New(0));
    for (const auto& worker : rank) {
      const Object paths = Object::from(PyList_New(0));
      for (const std::string& path : worker) append(paths, text_object(path));
      append(workers, paths);
    }
    append(ranks, workers);
  }
  return ranks;
}

Object finding_object(const VerifyFinding& finding) {
  Object entry = Object::from(PyDict_New());
  set(entry, "is_damage", bool_object(finding.is_damage));
  set(entry, "path", text_or_none(finding.where.path));
  set(entry, "member", text_or_none(finding.where.member));
  set(entry, "what", text_object(finding.what));
  return entry;
}

}  // namespace

PyObject* repack_function(PyObject* /*module*/, PyObject* arguments) {
  return guarded([&] {
    PyObject *sources = nullptr, *out = nullptr, *chosen = nullptr, *progress = nullptr;
    unsigned long long memory = 0;
    RepackOptions options;
    parse(arguments, "OOOIKO", &sources, &out, &chosen, &options.limits.threads, &memory, &progress);
    options.limits.memory_bytes = memory;
    options.sources = texts_of(sources);
    options.out_folder = text_of(out);
    for (const auto& [name, value] : pairs_of(chosen)) set_option(options, name, value);
    const RepackSummary done =
        watched_call(progress, [&](Observer& observer) { return run_repack(options, observer); });
    Object result = Object::from(PyDict_New());
    set(result, "already_there", bool_object(done.already_there));
    set(result, "too_many_rejects", bool_object(done.too_many_rejects));
    set(result, "shards", number_object(done.shards));
    set(result, "samples", number_object(done.samples));
    set(result, "rejects", number_object(done.rejects));
    set(result, "seconds", number_object(done.seconds));
    set(result, "spread_seconds", number_object(done.spread_seconds));
    return result;
  });
}

PyObject* repack_options_function(PyObject* /*module*/, PyObject* /*nothing*/) {
  return guarded([] {
    Object names = Object::from(PyList_New(0));
    for (const std::string& name : option_names()) append(names, text_object(name));
    return names;
  });
}

PyObject* verify_function(PyObject* /*module*/, PyObject* arguments) {
  return guarded([&] {
    PyObject *targets = nullptr, *against = nullptr, *progress = nullptr;
    int decode = 0;
    int allow_commands = 0;
    unsigned long long memory = 0;
    VerifyOptions options;
    parse(arguments, "OpOpIKO", &targets, &decode, &against, &allow_commands, &options.limits.threads,
          &memory, &progress);
    options.limits.memory_bytes = memory;
    options.targets = texts_of(targets);
    options.against = texts_of(against);
    options.decode = decode != 0;
    options.allow_commands = allow_commands != 0;
    const VerifySummary done =
        watched_call(progress, [&](Observer& observer) { return run_verify(options, observer); });
    const Object findings = Object::from(PyList_New(0));
    for (const VerifyFinding& finding : done.findings) append(findings, finding_object(finding));
    Object result = Object::from(PyDict_New());
    set(result, "good", bool_object(done.good));
    set(result, "shards", number_object(done.shards));
    set(result, "samples", number_object(done.samples));
    set(result, "findings", findings);
    return result;
  });
}

PyObject* ranks_function(PyObject* /*module*/, PyObject* arguments) {
  return guarded([&] {
    PyObject *targets = nullptr, *loader = nullptr, *out = nullptr, *progress = nullptr;
    unsigned long long world_size = 0, workers = 0, epochs = 0, seed = 0, memory = 0;
    RanksOptions options;
    parse(arguments, "OKKOKKOIKO", &targets, &world_size, &workers, &loader, &epochs, &seed, &out,
          &options.limits.threads, &memory, &progress);
    options.targets = texts_of(targets);
    options.world_size = world_size;
    options.workers = workers;
    options.loader = text_of(loader);
    options.epochs = epochs;
    options.seed = seed;
    options.out_folder = text_of(out);
    options.limits.memory_bytes = memory;
    const RanksSummary done =
        watched_call(progress, [&](Observer& observer) { return run_ranks(options, observer); });
    Object result = Object::from(PyDict_New());
    set(result, "by_loader", shares_of(done.by_loader));
    set(result, "unread_shards", number_object(done.unread_shards));
    set(result, "by_plan", shares_of(done.by_plan));
    set(result, "plan", plan_of(done.plan));
    return result;
  });
}

}  // namespace shardmill::python
