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

SourceParser::SourceParser(const source::SourceFile& file, shard::KeyRule rule, const SourceRestart& from)
    : file_(file),
      units_(from.units),
      restart_(from),
      skip_bytes_(from.sample_offset - from.unit_offset),
      is_found_(file.kind == source::SourceKind::shard ? file.utterances.size() : 0),
      grouper_(*this, rule, from.shape),
      parser_(grouper_, kMemberLimitBytes, from.sample_offset) {}

std::vector<SourceItem> SourceParser::parse(const Unit& unit) {
  if (unit.recording) {
    restart_.units = ++units_;
    return unit.recording->take();
  }
  items_.clear();
  // Which utterances of a corpus were found is known from the start of the shard only.
  if (unit.piece && !file_.corpus) {
    codec::RestartPoint piece = unit.piece->restart_point();
    if (!piece.empty())
      begins_.push_back(
          {.units = units_, .offset = parser_.offset() - skip_bytes_, .piece = std::move(piece)});
  }
  parse_tar(unit);
  ++units_;
  update_restart();
  return std::move(items_);
}

void SourceParser::update_restart() {
  const auto sample = grouper_.boundary();
  if (sample && !parser_.has_global_attributes()) {
    while (begins_.size() > 1 && begins_[1].offset <= *sample) begins_.pop_front();
    if (!begins_.empty() && begins_.front().offset <= *sample) {
      const Begin& begin = begins_.front();
      restart_ = {.units = begin.units,
                  .piece = begin.piece,
                  .unit_offset = begin.offset,
                  .sample_offset = *sample,
                  .shape = grouper_.shape()};
    }
  }
  // More than a sample spans; where there is none for so long, one begins further back again.
  constexpr std::size_t kMostBegins = 1024;
  if (begins_.size() > kMostBegins) begins_.pop_front();
}

void SourceParser::parse_tar(const Unit& unit) {
  if (unit.piece) read(*unit.piece);
  feed(unit.plain);
  if (unit.damage) lose(*unit.damage);
  if (unit.last) {
    parser_.finish();
    grouper_.finish(parser_.offset());
    lose_missing();
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
      is_found_[static_cast<std::size_t>(utterance - file_.utterances.data())] = true;
      sample.facts = utterance->facts;
      const bool has_transcript = std::any_of(members.begin(), members.end(),
                                              [](const Member& each) { return each.extension == "txt"; });
      if (utterance->has_text && !has_transcript)
        members.insert(members.begin(), transcript_of(key, utterance->text));
    }
  }
  items_.emplace_back(std::move(sample));
}

void SourceParser::lose_missing() {
  for (std::size_t i = 0; i < is_found_.size(); ++i) {
    const std::string_view key = file_.utterances[i].key;
    const bool is_repeated = i > 0 && file_.utterances[i - 1].key == key;
    if (is_found_[i] || is_repeated) continue;
    items_.emplace_back(LostUtterance{.key = std::string(key),
                                      .reason = manifest::RejectReason::missing_audio,
                                      .problem = "its corpus lists it, but it is not in the shard"});
  }
}

void SourceParser::read(codec::Piece& piece) {
  try {
    for (auto bytes = piece.read(); !bytes.empty(); bytes = piece.read()) feed(bytes);
  } catch (const Error& damage) {
    lose(damage);
  }
}

void SourceParser::feed(std::span<const std::byte> bytes) {
  const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), skip_bytes_));
  skip_bytes_ -= skipped;
  parser_.feed(bytes.subspan(skipped));
}

void SourceParser::lose(const Error& damage) {
  items_.emplace_back(damage);
  parser_.gap();
}

}  // namespace shardmill::pipeline
