#include "ranks/durations.hpp"

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "manifest/layout.hpp"

namespace shardmill::ranks {

namespace {

std::vector<double> seconds_in(const std::string& manifest) {
  std::vector<double> seconds;
  base::LineReader lines(manifest);
  base::JsonParser parser;
  for (std::string_view line; lines.next(line);) {
    try {
      seconds.push_back(parser.parse(line)["duration"].number());
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }
  return seconds;
}

}  // namespace

std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<std::vector<double>> of_shards(shards);
  workers.for_each(shards, [&](std::size_t i) {
    reporter.check_stop();
    of_shards[i] = seconds_in(base::inside(dataset_folder, manifest::manifest_path(i)));
  });
  std::vector<double> all;
  for (const std::vector<double>& seconds : of_shards) all.insert(all.end(), seconds.begin(), seconds.end());
  return all;
}

}  // namespace shardmill::ranks
