#include "shardmill/pipeline/source_parser.hpp"

#include <algorithm>

namespace shardmill::pipeline {

namespace {

/// What a corpus says of a sample in one of its shards, under the sample's whole key or the last part of it.
const source::CorpusUtterance* find_utterance(const source::SourceFile& file, std::string_view key) {
  for (;;) {
    const auto found = std::lower_bound(
        file.utterances.begin(), file.utterances.end(), key,
        [](const auto& utterance, std::string_view wanted) { return utterance.key < wanted; });
    if (found != file.utterances.end() && found->key == key) return &*found;
    const std::size_t slash = key.rfind('/');
    if (slash == std::string_view::npos) return nullptr;
    key.remove_prefix(slash + 1);
  }
}

Member transcript_of(const std::string& key, std::string_view text) {
  const auto bytes = base::as_bytes(text);
  return {.name = key + ".txt", .extension = "txt", .bytes = Bytes(bytes.begin(), bytes.end())};
}

}  // namespace

SourceParser::SourceParser(const source::SourceFile& file, shard::KeyRule rule)
    : file_(file), grouper_(*this, rule), parser_(grouper_, kMemberLimitBytes) {}

std::vector<SourceItem> SourceParser::parse(const Unit& unit) {
  if (unit.recording) return unit.recording->take();
  items_.clear();
  parse_tar(unit);
  return std::move(items_);
}

void SourceParser::parse_tar(const Unit& unit) {
  if (unit.piece) read(*unit.piece);
  parser_.feed(unit.plain);
  if (unit.damage) lose(*unit.damage);
  if (unit.last) {
    parser_.finish();
    grouper_.finish(parser_.offset());
  }
}

void SourceParser::on_sample(shard::GroupedSample&& sample) {
  if (file_.corpus) {
    auto& [key, members] = sample.sample;
    const source::CorpusUtterance* utterance = find_utterance(file_, key);
    if (utterance == nullptr && file_.only_listed) {
      items_.emplace_back(LostUtterance{.key = key,
                                        .reason = manifest::RejectReason::not_listed,
                                        .problem = "the corpus does not list it"});
      return;
    }
    if (utterance != nullptr) {
      sample.facts = utterance->facts;
      const bool has_transcript = std::any_of(members.begin(), members.end(),
                                              [](const Member& each) { return each.extension == "txt"; });
      if (utterance->has_text && !has_transcript)
        members.insert(members.begin(), transcript_of(key, utterance->text));
    }
  }
  items_.emplace_back(std::move(sample));
}

void SourceParser::read(codec::Piece& piece) {
  try {
    for (auto bytes = piece.read(); !bytes.empty(); bytes = piece.read()) parser_.feed(bytes);
  } catch (const Error& damage) {
    lose(damage);
  }
}

void SourceParser::lose(const Error& damage) {
  items_.emplace_back(damage);
  parser_.gap();
}

}  // namespace shardmill::pipeline
