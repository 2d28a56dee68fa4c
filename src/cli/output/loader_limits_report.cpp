#include "cli/output/loader_limits_report.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/output/row.hpp"
#include "dataset/loader_limits.hpp"

namespace shardmill::cli {

using repack::RepackSummary;

namespace {

std::vector<dataset::LoaderLimit> limits_of(const RepackSummary& summary,
                                            const repack::RepackOptions& options) {
  dataset::ShardForm form{.codec = options.recipe.codec,
                          .prefix = options.recipe.prefix,
                          .has_text_members = options.recipe.intake.text != pipeline::TextPlace::manifest,
                          .containers = summary.planned_extensions};
  for (const auto& kind : summary.dataset.audio)
    form.containers.insert(kind.format.substr(0, kind.format.find('/')));
  return loader_limits(form);
}

/// The option that makes shards which the loader can read.
std::string_view option_against(const dataset::LoaderLimit& limit) {
  if (limit.id == "codec") return "--codec none";
  if (limit.id == "prefix") return "--prefix audio";
  if (limit.id == "mixed_containers") return "--audio flac";
  return "--text manifest";
}

}  // namespace

std::string limits_as_text(const RepackSummary& summary, const repack::RepackOptions& options) {
  std::string text;
  for (const dataset::LoaderLimit& limit : limits_of(summary, options))
    text += row("loaders",
                fmt::format("{} is needed for {}: {}", option_against(limit), limit.loader, limit.text));
  return text;
}

void write_limits(base::JsonWriter& json, const RepackSummary& summary,
                  const repack::RepackOptions& options) {
  json.key("not_for").begin_array();
  for (const dataset::LoaderLimit& limit : limits_of(summary, options)) {
    json.begin_object().member("id", limit.id).member("loader", limit.loader);
    json.member("text", limit.text).member("advice", option_against(limit)).end_object();
  }
  json.end_array();
}

}  // namespace shardmill::cli
