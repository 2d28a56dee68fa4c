#include "update/old_rejects.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "pipeline/known_samples.hpp"
#include "shard/keys.hpp"

namespace shardmill::update {

namespace {

shard::KeySet names_of_new_samples(const std::string& manifest) {
  shard::KeySet names;
  manifest::RecordReader reader(manifest);
  for (manifest::SampleRecord record; reader.next(record);) {
    names.insert(pipeline::withheld_anywhere(record.source_key, std::nullopt));
    names.insert(pipeline::withheld_anywhere(record.source_key, pipeline::source_audio(record)));
  }
  return names;
}

}  // namespace

OldRejects read_old_rejects(const Request& request, const std::optional<Staged>& staged) {
  const std::string path = request.records.path(manifest::kRejects);
  if (!request.options.take_back || !staged || !staged->has_samples())
    return {.text = manifest::read_reject_lines(path)};
  const shard::KeySet names = names_of_new_samples(staged->manifest);
  const bool keys_are_shared = request.keys_are_shared();
  const auto is_back = [&](const manifest::Reject& reject) {
    return reject.reason == manifest::RejectReason::removed && reject.key &&
           names.contains(
               pipeline::withheld_anywhere(*reject.key, keys_are_shared ? std::nullopt : reject.audio));
  };
  OldRejects rejects;
  base::LineReader lines(path);
  base::JsonParser parser;
  manifest::Reject reject;
  for (std::string_view line; lines.next(line);) {
    try {
      read_record(parser.parse(line), reject);
    } catch (const Error& error) {
      throw lines.here(error);
    }
    if (!is_back(reject)) {
      rejects.text += line;
      rejects.text += '\n';
      continue;
    }
    reject.reason = manifest::RejectReason::duplicate_key;
    reject.problem = "was removed from the dataset, and a later update took it back";
    reject.speaker.reset();
    reject.audio.reset();
    append_line(rejects.text, reject);
    ++rejects.taken_back;
  }
  return rejects;
}

}  // namespace shardmill::update
