// shardmill._native: what the Python package needs of the library, close to how the library has it. What
// users see is written in Python, in shardmill/.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "reader.hpp"
#include "shardmill/dataset.hpp"
#include "shardmill/ranks.hpp"
#include "shardmill/repack.hpp"
#include "shardmill/verify.hpp"
#include "shardmill/version.hpp"
#include "watched_call.hpp"

namespace py = pybind11;

namespace shardmill::python {

namespace {

// pybind11 calls translators without captured values; the classes are Python's, for its lifetime.
py::handle error_class;
py::handle usage_error_class;

py::object or_none(const std::string& text) {
  return text.empty() ? py::object(py::none()) : py::object(py::str(text));
}

void raise(py::handle type, const Error& error) {
  const py::object raised = type(error.what());
  raised.attr("problem") = error.problem();
  raised.attr("advice") = error.advice();
  raised.attr("path") = or_none(error.where().path);
  raised.attr("member") = or_none(error.where().member);
  raised.attr("offset") = error.where().offset;
  PyErr_SetObject(type.ptr(), raised.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const UsageError& error) {
    raise(usage_error_class, error);
  } catch (const Error& error) {
    raise(error_class, error);
  }
}

py::bytes bytes_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// (key, {extension: bytes}); of members with one extension, the first.
py::tuple to_python(const Sample& sample) {
  py::dict members;
  for (const Member& member : sample.members) {
    const py::str extension(member.extension);
    if (!members.contains(extension)) members[extension] = bytes_of(member.bytes);
  }
  return py::make_tuple(sample.key, members);
}

py::tuple next_of(Reader& reader) {
  std::optional<Sample> sample;
  {
    const py::gil_scoped_release release;
    sample = reader.next();
  }
  if (!sample) throw py::stop_iteration();
  return to_python(*sample);
}

/// Where the manifest line of each key stands.
class KeyIndex {
 public:
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

  std::optional<std::pair<std::uint64_t, std::uint64_t>> find(const std::string& key) const {
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    return std::pair(found->second.shard, found->second.offset);
  }

 private:
  struct Place {
    std::uint64_t shard = 0;
    std::uint64_t offset = 0;  // in the shard's manifest
  };

  std::unordered_map<std::string, Place> places_;
};

Limits limits_of(unsigned threads, std::uint64_t memory_bytes) {
  return {.threads = threads, .memory_bytes = memory_bytes};
}

py::dict share_of(const RankShare& share) {
  py::dict result;
  result["shards"] = share.shards;
  result["samples"] = share.samples;
  result["seconds"] = share.seconds;
  result["idle_share"] = share.idle_share;
  return result;
}

py::list shares_of(const std::vector<RankShare>& shares) {
  py::list result;
  for (const RankShare& share : shares) result.append(share_of(share));
  return result;
}

py::dict repack(const RepackOptions& options, const py::object& callback) {
  const RepackSummary done =
      watched_call(callback, [&](Observer& observer) { return run_repack(options, observer); });
  py::dict result;
  result["already_there"] = done.already_there;
  result["too_many_rejects"] = done.too_many_rejects;
  result["shards"] = done.shards;
  result["samples"] = done.samples;
  result["rejects"] = done.rejects;
  result["seconds"] = done.seconds;
  result["spread_seconds"] = done.spread_seconds;
  return result;
}

py::dict verify(const VerifyOptions& options, const py::object& callback) {
  const VerifySummary done =
      watched_call(callback, [&](Observer& observer) { return run_verify(options, observer); });
  py::list findings;
  for (const VerifyFinding& finding : done.findings) {
    py::dict entry;
    entry["is_damage"] = finding.is_damage;
    entry["path"] = or_none(finding.where.path);
    entry["member"] = or_none(finding.where.member);
    entry["what"] = finding.what;
    findings.append(entry);
  }
  py::dict result;
  result["good"] = done.good;
  result["shards"] = done.shards;
  result["samples"] = done.samples;
  result["findings"] = findings;
  return result;
}

py::dict ranks(const RanksOptions& options, const py::object& callback) {
  const RanksSummary done =
      watched_call(callback, [&](Observer& observer) { return run_ranks(options, observer); });
  py::dict result;
  result["by_loader"] = shares_of(done.by_loader);
  result["unread_shards"] = done.unread_shards;
  result["by_plan"] = shares_of(done.by_plan);
  result["plan"] = done.plan;
  return result;
}

void add_options(py::module_& module) {
  py::enum_<Codec>(module, "Codec")
      .value("none", Codec::none)
      .value("zstd", Codec::zstd)
      .value("lz4", Codec::lz4)
      .value("gzip", Codec::gzip);
  py::class_<Limits>(module, "Limits").def(py::init(&limits_of));
  py::class_<RepackOptions>(module, "RepackOptions")
      .def(py::init<>())
      .def_readwrite("sources", &RepackOptions::sources)
      .def_readwrite("out_folder", &RepackOptions::out_folder)
      .def_readwrite("shards", &RepackOptions::shards)
      .def_readwrite("samples_per_shard", &RepackOptions::samples_per_shard)
      .def_readwrite("multiple_of", &RepackOptions::multiple_of)
      .def_readwrite("codec", &RepackOptions::codec)
      .def_readwrite("level", &RepackOptions::level)
      .def_readwrite("prefix", &RepackOptions::prefix)
      .def_readwrite("interleave", &RepackOptions::interleave)
      .def_readwrite("seed", &RepackOptions::seed)
      .def_readwrite("weights", &RepackOptions::weights)
      .def_readwrite("skip_bad_samples", &RepackOptions::skip_bad_samples)
      .def_readwrite("max_rejects", &RepackOptions::max_rejects)
      .def_readwrite("allow_missing_text", &RepackOptions::allow_missing_text)
      .def_readwrite("force", &RepackOptions::force)
      .def_readwrite("limits", &RepackOptions::limits);
  py::class_<VerifyOptions>(module, "VerifyOptions")
      .def(py::init<>())
      .def_readwrite("targets", &VerifyOptions::targets)
      .def_readwrite("decode", &VerifyOptions::decode)
      .def_readwrite("against", &VerifyOptions::against)
      .def_readwrite("limits", &VerifyOptions::limits);
  py::class_<RanksOptions>(module, "RanksOptions")
      .def(py::init<>())
      .def_readwrite("targets", &RanksOptions::targets)
      .def_readwrite("world_size", &RanksOptions::world_size)
      .def_readwrite("workers", &RanksOptions::workers)
      .def_readwrite("loader", &RanksOptions::loader)
      .def_readwrite("limits", &RanksOptions::limits);
}

void add_reading(py::module_& module) {
  py::enum_<KeyRule>(module, "KeyRule")
      .value("wenet", KeyRule::wenet)
      .value("webdataset", KeyRule::webdataset);
  py::class_<Reader>(module, "Reader")
      .def(py::init([](const std::string& path, KeyRule rule, bool skip_damage, const Limits& limits) {
        return std::make_unique<Reader>(
            path, ReadOptions{.key_rule = rule, .skip_damage = skip_damage, .limits = limits});
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next_of);
  py::class_<ShardInfo>(module, "ShardInfo")
      .def_readonly("path", &ShardInfo::path)
      .def_readonly("manifest_path", &ShardInfo::manifest_path)
      .def_readonly("samples", &ShardInfo::samples)
      .def_readonly("seconds", &ShardInfo::seconds)
      .def_readonly("bytes", &ShardInfo::bytes)
      .def_readonly("codec", &ShardInfo::codec);
  py::class_<Dataset>(module, "DatasetRecords")
      .def_readonly("samples", &Dataset::samples)
      .def_readonly("seconds", &Dataset::seconds)
      .def_readonly("shards", &Dataset::shards);
  module.def("open_dataset", &open_dataset, py::call_guard<py::gil_scoped_release>());
  py::class_<KeyIndex>(module, "KeyIndex")
      .def(py::init<const Dataset&>(), py::call_guard<py::gil_scoped_release>())
      .def("find", &KeyIndex::find);
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  const py::module_ errors = py::module_::import("shardmill._errors");
  error_class = py::object(errors.attr("Error")).release();
  usage_error_class = py::object(errors.attr("UsageError")).release();
  py::register_exception_translator(&translate);
  module.attr("version") = version();
  add_reading(module);
  add_options(module);
  module.def("repack", &repack);
  module.def("verify", &verify);
  module.def("ranks", &ranks);
}

}  // namespace shardmill::python
