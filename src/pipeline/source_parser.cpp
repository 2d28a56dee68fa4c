#include "pipeline/source_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "pipeline/intake/corpus_sample.hpp"
#include "shard/keys.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::pipeline {

namespace {

/// What a corpus says of a sample in one of its shards. The corpus knows it by its whole key, or by
/// the part after a slash in it.
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

/// `first`, and the further segments of the same member, which NeMo lists as KEY-sub1, KEY-sub2 and so on.
std::vector<const source::CorpusUtterance*> segments_of(const source::SourceFile& file,
                                                        const source::CorpusUtterance& first) {
  std::vector<const source::CorpusUtterance*> segments{&first};
  if (!file.only_listed) return segments;
  for (int number = 1;; ++number) {
    const std::string key = fmt::format("{}-sub{}", first.key, number);
    const source::CorpusUtterance* segment = find_utterance(file, key);
    if (segment == nullptr || segment->is_whole()) return segments;
    segments.push_back(segment);
  }
}

Member transcript_of(const std::string& key, std::string_view text) {
  const auto bytes = base::as_bytes(text);
  return {.name = key + ".txt", .extension = "txt", .bytes = Bytes(bytes.begin(), bytes.end())};
}

Member* audio_of(Sample& sample) {
  const auto found = std::find_if(sample.members.begin(), sample.members.end(), [](const Member& member) {
    return shard::is_audio_extension(member.extension);
  });
  return found == sample.members.end() ? nullptr : &*found;
}

}  // namespace

SourceParser::SourceParser(const source::SourceFile& file, shard::KeyRule rule, const SourceRestart& from,
                           shard::MemberStorage storage)
    : file_(file),
      units_(from.units),
      restart_(from),
      skip_bytes_(from.sample_offset - from.unit_offset),
      is_found_(file.kind == source::SourceKind::shard ? file.utterances.size() : 0),
      grouper_(*this, rule, from.shape, std::move(storage)),
      parser_(grouper_, kMemberLimitBytes, from.sample_offset) {}

std::vector<SourceItem> SourceParser::parse(const Unit& unit) {
  std::vector<SourceItem> items;
  parse_some(unit, std::numeric_limits<std::uint64_t>::max(), items);
  return items;
}

bool SourceParser::parse_some(const Unit& unit, std::uint64_t limit_bytes, std::vector<SourceItem>& items) {
  if (unit.segments) {
    restart_.units = ++units_;
    items = unit.segments->take();
    return true;
  }
  if (unit.archive) {
    ++units_;  // a restart begins at the first unit
    archive_bytes_ += unit.archive->plain_bytes();
    items = unit.archive->take();
    return true;
  }
  if (!std::exchange(in_unit_, true)) begin(unit);
  const bool is_read = read(unit, limit_bytes);
  if (is_read) {
    end(unit);
    in_unit_ = false;
  }
  std::move(items_.begin(), items_.end(), std::back_inserter(items));
  items_.clear();
  return is_read;
}

void SourceParser::begin(const Unit& unit) {
  is_damaged_ = false;
  if (file_.listing && !listing_) {
    listing_.emplace(*file_.listing, restart_.sample_offset);
    take_problems();
  }
  // A shard of a corpus is read from its start again. Otherwise it would be unknown which utterances
  // were found.
  if (unit.piece && !file_.corpus) {
    codec::RestartPoint piece = unit.piece->restart_point();
    if (!piece.empty())
      begins_.push_back(
          {.units = units_, .offset = parser_.offset() - skip_bytes_, .piece = std::move(piece)});
  }
}

// Returns whether the unit was read to its end.
bool SourceParser::read(const Unit& unit, std::uint64_t limit_bytes) {
  if (!unit.piece) return true;
  try {
    for (std::uint64_t got = 0; got < limit_bytes;) {
      const auto bytes = unit.piece->read();
      if (bytes.empty()) return true;
      feed(bytes);
      got += bytes.size();
    }
    return false;
  } catch (const Error& error) {
    // When the codec cannot go on, it is unknown how many bytes are useless.
    Damage damage{.error = error, .bytes = unit.is_chained ? 0 : unit.piece->compressed_bytes()};
    const std::uint64_t begin = unchecked_begin(*unit.piece);
    if (begin < offset()) damage.doubtful = {.begin = begin, .end = offset()};
    lose(damage);
    has_lost_rest_ = unit.is_chained;
    return !unit.piece->goes_on_after_damage();
  }
}

std::uint64_t SourceParser::unchecked_begin(const codec::Piece& piece) const {
  return offset() - std::min(offset(), piece.unchecked_bytes());
}

void SourceParser::end(const Unit& unit) {
  unchecked_from_ = unit.piece ? unchecked_begin(*unit.piece) : offset();
  if (unit.damage) lose({.error = *unit.damage});
  // A file that somebody is writing looks damaged. Then say that it changes.
  if (unit.watch && (unit.last || is_damaged_)) unit.watch->check();
  if (unit.last) {
    parser_.finish();
    grouper_.finish(parser_.offset());
    lose_missing();
  }
  ++units_;
  update_restart();
}

void SourceParser::update_restart() {
  // The lines that are left are known only when reading begins further back.
  if (listing_ && !listing_->is_in_step()) return;
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
  // No sample spans this many pieces. When no sample begins in them, a restart begins further back.
  constexpr std::size_t kMostBegins = 1024;
  if (begins_.size() > kMostBegins) begins_.pop_front();
}

void SourceParser::on_sample(shard::GroupedSample&& sample) {
  if (listing_) return add_recorded(std::move(sample));
  sample.is_row = file_.parquet.has_value();
  sample.facts = source::Facts().text("subset", file_.subset).members();
  if (!file_.corpus) {
    items_.emplace_back(std::move(sample));
    return;
  }
  std::string& key = sample.sample.key;
  const source::CorpusUtterance* utterance = find_utterance(file_, key);
  if (utterance == nullptr && file_.only_listed) {
    items_.emplace_back(
        lost_utterance(key, manifest::RejectReason::not_listed, "the corpus does not list it"));
    return;
  }
  // The key that the utterance would have if it were not in a shard.
  key.erase(0, utterance == nullptr ? key.rfind('/') + 1 : key.size() - utterance->key.size());
  if (utterance == nullptr) {
    items_.emplace_back(std::move(sample));
    return;
  }
  const auto segments = segments_of(file_, *utterance);
  for (const auto* segment : segments)
    is_found_[static_cast<std::size_t>(segment - file_.utterances.data())] = true;
  // When there is one segment and it begins where the member begins, the manifest means the whole member, or
  // its beginning.
  const bool is_cut = segments.size() > 1 || utterance->begin_seconds > 0;
  if (is_cut && sample.damage.empty()) {
    cut(sample, segments);
  } else {
    add_listed(std::move(sample), *utterance);
  }
}

void SourceParser::take_problems() {
  for (const Error& problem : listing_->take_problems()) {
    const std::string text =
        fmt::format("its manifest {}: {}", to_string(problem.where()), problem.problem());
    is_damaged_ = true;
    items_.emplace_back(Damage{.error = Error(text), .of_listing = true});
  }
}

void SourceParser::add_recorded(shard::GroupedSample&& sample) {
  auto& [key, members] = sample.sample;
  sample.listed = listing_->take(key);
  take_problems();
  if (!sample.listed) {
    if (sample.damage.empty()) sample.damage = "its manifest has no line for it";
  } else {
    const bool has_transcript = std::any_of(members.begin(), members.end(),
                                            [](const Member& each) { return each.extension == "txt"; });
    if (!has_transcript && sample.listed->text && !sample.listed->text->empty())
      members.insert(members.begin(), transcript_of(key, *sample.listed->text));
  }
  items_.emplace_back(std::move(sample));
}

void SourceParser::add_listed(shard::GroupedSample&& sample, const source::CorpusUtterance& utterance) {
  auto& [key, members] = sample.sample;
  sample.facts = utterance.facts;
  if (utterance.keeps_to_seconds) sample.keeps_to_seconds = utterance.seconds;
  const bool has_transcript =
      std::any_of(members.begin(), members.end(), [](const Member& each) { return each.extension == "txt"; });
  if (utterance.has_text && !has_transcript)
    members.insert(members.begin(), transcript_of(key, utterance.text));
  items_.emplace_back(std::move(sample));
}

void SourceParser::cut(shard::GroupedSample& sample, std::vector<const source::CorpusUtterance*> segments) {
  sample.load();
  std::sort(segments.begin(), segments.end(),
            [](const auto* a, const auto* b) { return a->begin_seconds < b->begin_seconds; });
  const std::uint64_t end =
      sample.sample.members.back().tar_offset + sample.sample.members.back().bytes.size();
  Member* const audio = audio_of(sample.sample);
  try {
    if (audio == nullptr) throw Error("has no audio member");
    audio::RecordingReader recording(std::move(audio->bytes), audio->name);
    for (const auto* segment : segments) {
      SourceItem item = cut_sample(recording, *segment);
      if (auto* cut_out = std::get_if<shard::GroupedSample>(&item)) {
        // The segment gets the place of the member, so that a reject can say where it is.
        cut_out->begin_offset = sample.begin_offset;
        Member& last = cut_out->sample.members.back();
        last.tar_offset = end - last.bytes.size();
      }
      items_.push_back(std::move(item));
    }
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    for (const auto* segment : segments) {
      items_.emplace_back(
          lost_utterance(std::string(segment->key), manifest::RejectReason::bad_audio, error.problem()));
    }
  }
}

void SourceParser::lose_missing() {
  if (listing_) {
    for (std::string& key : listing_->take_rest()) {
      items_.emplace_back(lost_utterance(std::move(key), manifest::RejectReason::missing_audio,
                                         "the manifest lists it, but it is not in the shard"));
    }
    take_problems();
  }
  for (std::size_t i = 0; i < is_found_.size(); ++i) {
    const std::string_view key = file_.utterances[i].key;
    const bool is_repeated = i > 0 && file_.utterances[i - 1].key == key;
    if (is_found_[i] || is_repeated) continue;
    items_.emplace_back(lost_utterance(std::string(key), manifest::RejectReason::missing_audio,
                                       "its corpus lists it, but it is not in the shard"));
  }
}

void SourceParser::feed(std::span<const std::byte> bytes) {
  const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), skip_bytes_));
  skip_bytes_ -= skipped;
  parser_.feed(bytes.subspan(skipped));
}

void SourceParser::lose(const Damage& damage) {
  is_damaged_ = true;
  items_.emplace_back(damage);
  parser_.gap();
}

}  // namespace shardmill::pipeline
