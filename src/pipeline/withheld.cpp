#include "pipeline/withheld.hpp"

#include <fmt/format.h>

#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"

namespace shardmill::pipeline {

std::string known_sample(const manifest::SampleRecord& record) {
  return fmt::format("{}\n{}\n{}", record.key, record.source_xxh3.value_or(record.xxh3).hex(),
                     record.text.value_or(""));
}

std::string withheld_key(std::string_view dataset, std::string_view source_key) {
  return fmt::format("{}\n{}", dataset, source_key);
}

std::string withheld_speaker(std::string_view dataset, std::string_view speaker) {
  return fmt::format("{}\nspeaker\n{}", dataset, speaker);
}

RemovedBefore removed_before(const std::string& rejects_path) {
  RemovedBefore removed;
  manifest::RecordReader reader(rejects_path);
  for (manifest::Reject reject; reader.next(reject);) {
    if (reject.reason != manifest::RejectReason::removed) continue;
    if (reject.key) removed.samples.push_back(withheld_key(reject.dataset, *reject.key));
    if (reject.speaker) removed.speakers.insert(withheld_speaker(reject.dataset, *reject.speaker));
  }
  return removed;
}

}  // namespace shardmill::pipeline
