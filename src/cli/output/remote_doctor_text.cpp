#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/output/reports.hpp"

namespace shardmill::cli {

namespace {

void write_trial(base::JsonWriter& json, std::string_view name, const base::Trial& trial) {
  json.key(name);
  if (trial.works || !trial.problem.empty()) {
    json.value(trial.works);
  } else {
    json.null();
  }
}

void write_texts(base::JsonWriter& json, std::string_view name, const std::vector<std::string>& lines) {
  json.key(name).begin_array();
  for (const std::string& line : lines) json.value(line);
  json.end_array();
}

std::string_view answer_of(const base::Trial& trial) {
  return trial.works ? "yes" : trial.problem.empty() ? "not tried" : "no";
}

std::string bucket_text(const base::RemoteProbe& probe) {
  std::string text =
      fmt::format("  lists        {}\n  writes       {}\n", answer_of(probe.lists), answer_of(probe.writes));
  if (!probe.writes.works) return text;
  text += fmt::format("  in parts     {}\n  removes      {}\n", answer_of(probe.writes_parts),
                      answer_of(probe.removes));
  text += fmt::format("  two runs     {}\n", probe.honours_conditions
                                                 ? "keep out of each other's way (If-None-Match)"
                                                 : "are not kept apart");
  return text + fmt::format("  checksums    {}\n",
                            probe.keeps_crc64 ? "CRC-64/NVME" : "the MD5 in its tags, at best");
}

}  // namespace

std::string remote_doctor_json(const doctor::RemoteDoctorSummary& summary) {
  const base::RemoteProbe& probe = summary.probe;
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().key(probe.is_bucket ? "bucket" : "file").begin_object();
  json.member("address", probe.address);
  if (!probe.is_bucket) json.member("bytes", probe.file_bytes);
  write_trial(json, "reads", probe.reads);
  json.member("ranges", probe.has_ranges).member("if_match", probe.keeps_versions);
  json.member("names_versions", probe.has_version);
  if (probe.is_bucket) {
    write_trial(json, "lists", probe.lists);
    write_trial(json, "writes", probe.writes);
    write_trial(json, "writes_parts", probe.writes_parts);
    write_trial(json, "removes", probe.removes);
    json.member("crc64nvme", probe.keeps_crc64).member("if_none_match", probe.honours_conditions);
    json.member("written_bytes", probe.written_bytes);
    json.member("write_bytes_per_second", probe.write_bytes_per_second);
  }
  json.member("request_seconds", probe.request_seconds).member("read_bytes", probe.read_bytes);
  json.member("read_bytes_per_second", probe.read_bytes_per_second).end_object();
  write_texts(json, "problems", summary.problems);
  write_texts(json, "notes", summary.notes);
  json.end_object();
  return text;
}

std::string remote_doctor_text(const doctor::RemoteDoctorSummary& summary) {
  const base::RemoteProbe& probe = summary.probe;
  std::string text = fmt::format("{} {}\n", probe.is_bucket ? "bucket" : "file", printable(probe.address));
  if (probe.is_bucket) text += bucket_text(probe);
  text += fmt::format("  reads        {}\n", answer_of(probe.reads));
  if (probe.reads.works && probe.file_bytes != 0) {
    text += fmt::format("  ranges       {}\n  versions     {}\n", probe.has_ranges ? "yes" : "no",
                        probe.keeps_versions ? "another one is refused (If-Match)"
                        : probe.has_version  ? "are named, and not asked for"
                                             : "are not named");
  }
  if (probe.written_bytes != 0)
    text +=
        fmt::format("  speed        writes {} by one connection ({} tried)\n",
                    base::format_rate(probe.write_bytes_per_second), base::format_size(probe.written_bytes));
  if (probe.read_bytes != 0)
    text +=
        fmt::format("  {:<12} reads {} ({} tried); an answer takes {:.1f} ms\n",
                    probe.written_bytes != 0 ? "" : "speed", base::format_rate(probe.read_bytes_per_second),
                    base::format_size(probe.read_bytes), 1000 * probe.request_seconds);
  text += '\n';
  for (const std::string& problem : summary.problems)
    text += fmt::format("problem: {}\n", printable(problem));
  for (const std::string& note : summary.notes) text += fmt::format("note: {}\n", note);
  if (summary.problems.empty()) text += "no problems found\n";
  return text;
}

}  // namespace shardmill::cli
