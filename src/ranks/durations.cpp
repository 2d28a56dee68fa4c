#include "ranks/durations.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "manifest/layout.hpp"

namespace shardmill::ranks {

namespace {

template <typename Value, typename Read>
std::vector<Value> of_all_samples(const std::string& folder, std::size_t shards, pipeline::Workers& workers,
                                  base::Reporter& reporter, const Read& read) {
  std::vector<std::vector<Value>> of_shards(shards);
  workers.for_each(shards, [&](std::size_t i) {
    reporter.check_stop();
    base::LineReader lines(base::inside(folder, manifest::manifest_path(i)));
    base::JsonParser parser;
    for (std::string_view line; lines.next(line);) {
      try {
        of_shards[i].push_back(read(parser.parse(line)));
      } catch (const Error& error) {
        throw lines.here(error);
      }
    }
  });
  std::vector<Value> all;
  for (const std::vector<Value>& values : of_shards) all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// Counted like Python's len().
std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t tokens_in(const base::JsonValue& sample, const std::string& field) {
  if (field.empty()) {
    const auto text = sample.find("text");
    return text && !text->is_null() ? characters_in(text->text()) : 0;
  }
  const base::JsonValue tokens = sample[field];
  return tokens.is_array() ? tokens.elements().size() : tokens.unsigned_integer();
}

}  // namespace

std::vector<double> sample_seconds(const std::string& dataset_folder, std::size_t shards,
                                   pipeline::Workers& workers, base::Reporter& reporter) {
  return of_all_samples<double>(dataset_folder, shards, workers, reporter,
                                [](const base::JsonValue& sample) { return sample["duration"].number(); });
}

std::vector<deal::TokenLength> sample_tokens(const std::string& dataset_folder, std::size_t shards,
                                             const std::string& token_field, pipeline::Workers& workers,
                                             base::Reporter& reporter) {
  constexpr std::size_t kMostTokens = std::numeric_limits<std::int32_t>::max();
  const auto lengths = of_all_samples<deal::TokenLength>(
      dataset_folder, shards, workers, reporter, [&](const base::JsonValue& sample) {
        const std::size_t tokens = tokens_in(sample, token_field);
        if (tokens > kMostTokens) throw Error("has more tokens than NeMo can count");
        return deal::TokenLength{.seconds = static_cast<float>(sample["duration"].number()),
                                 .tokens = static_cast<std::int32_t>(tokens)};
      });
  if (std::all_of(lengths.begin(), lengths.end(), [](const auto& length) { return length.tokens == 0; }))
    throw Error("has no texts in its manifests to count",
                at(base::inside(dataset_folder, manifest::kManifestFolder)),
                "bins by tokens are for a dataset with transcripts in its manifests");
  return lengths;
}

}  // namespace shardmill::ranks
