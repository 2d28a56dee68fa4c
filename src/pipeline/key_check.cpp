#include "pipeline/key_check.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/text/units.hpp"
#include "pipeline/measure.hpp"

namespace shardmill::pipeline {

namespace {

struct FirstWord {
  std::size_t operator()(const base::Xxh128& hash) const {
    std::size_t word = 0;
    std::memcpy(&word, hash.bytes.data(), sizeof(word));
    return word;
  }
};

struct Repeated {
  std::uint64_t keys = 0;
  std::string key{};  // the first
  std::string datasets{};
  std::string path{};  // where it is the second time
};

Repeated find_repeated(const Inputs& inputs, const IntakeOptions& options) {
  Repeated repeated;
  std::unordered_map<base::Xxh128, std::size_t, FirstWord> owners;  // streams
  for (std::size_t number = 0; number < inputs.streams.size(); ++number) {
    const InputStream& stream = inputs.streams[number];
    for (const source::SourceFile& file : stream.files) {
      if (file.kind == source::SourceKind::shard) continue;  // of these utterances, some may not be there
      for (const source::CorpusUtterance& utterance : file.utterances) {
        if (!options.keys.wants(utterance.key)) continue;
        const std::string key = written_key(stream.name, utterance.key, options);
        const auto [owner, is_new] = owners.try_emplace(base::xxh3_128(base::as_bytes(key)), number);
        if (is_new || ++repeated.keys > 1) continue;
        repeated.key = key;
        repeated.path = file.path;
        const std::string& first = inputs.streams[owner->second].name;
        repeated.datasets = first == stream.name
                                ? fmt::format("twice in the dataset '{}'", first)
                                : fmt::format("in the datasets '{}' and '{}'", first, stream.name);
      }
    }
  }
  return repeated;
}

/// Whether samples may be left out for what is only known when they are read.
bool may_leave_out(const IntakeOptions& options) {
  return options.on_error == OnError::skip || options.min_seconds > 0 ||
         options.max_seconds < std::numeric_limits<double>::infinity() || options.quality.any() ||
         options.require_text || options.limit != 0 || options.on_duplicate_audio == OnDuplicateAudio::first;
}

}  // namespace

void check_keys(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter) {
  if (options.on_duplicate != OnDuplicate::stop) return;
  for (const DatasetInput& dataset : inputs.datasets) {
    if (dataset.weight < 1) return;  // takes some of its samples
  }
  const Repeated repeated = find_repeated(inputs, options);
  if (repeated.keys == 0) return;
  const std::string others =
      repeated.keys == 1
          ? ""
          : fmt::format(", and {} like it", base::format_count(repeated.keys - 1, "other key"));
  const Error error(fmt::format("the key '{}' is {}{}", printable(repeated.key), repeated.datasets, others),
                    at(repeated.path), Remedy::choose_duplicate);
  if (!may_leave_out(options)) throw error;
  reporter.warn(error);
}

}  // namespace shardmill::pipeline
