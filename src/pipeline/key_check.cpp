#include "pipeline/key_check.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "pipeline/measure.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

namespace {

/// Calls back for each utterance of a raw corpus that is wanted, with the key that it would get. Of shards,
/// some that are listed may not be there.
template <typename Use>
void for_each_key(const Inputs& inputs, const IntakeOptions& options, const Use& use) {
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.kind == source::SourceKind::shard) continue;
      for (const source::CorpusUtterance& utterance : file.utterances) {
        if (options.keys.wants(utterance.key))
          use(stream, file, written_key(stream.name, utterance.key, options));
      }
    }
  }
}

struct Repeated {
  std::uint64_t keys = 0;
  std::string key{};      // the first
  std::string dataset{};  // of it, the second time
  std::string path{};
};

Repeated find_repeated(const Inputs& inputs, const IntakeOptions& options) {
  Repeated repeated;
  shard::KeySet seen;
  for_each_key(inputs, options,
               [&](const InputStream& stream, const source::SourceFile& file, const std::string& key) {
                 if (seen.insert(key) || ++repeated.keys > 1) return;
                 repeated.key = key;
                 repeated.dataset = stream.name;
                 repeated.path = file.path;
               });
  return repeated;
}

/// Where the repeated key is: "in the datasets 'a' and 'b'".
std::string places_of(const Repeated& repeated, const Inputs& inputs, const IntakeOptions& options) {
  std::string first;
  for_each_key(inputs, options,
               [&](const InputStream& stream, const source::SourceFile&, const std::string& key) {
                 if (first.empty() && key == repeated.key) first = stream.name;
               });
  return first == repeated.dataset ? fmt::format("twice in the dataset '{}'", first)
                                   : fmt::format("in the datasets '{}' and '{}'", first, repeated.dataset);
}

/// Whether a filter may leave out samples, which only shows when they are read.
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
  const Error error(fmt::format("the key '{}' is {}{}", printable(repeated.key),
                                places_of(repeated, inputs, options), others),
                    at(repeated.path), Remedy::choose_duplicate);
  if (!may_leave_out(options)) throw error;
  reporter.warn(error);
}

}  // namespace shardmill::pipeline
