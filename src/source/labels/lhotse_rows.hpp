// lhotse_rows: the cuts, supervisions and recordings of Lhotse, as they are in its JSON lines.
// Lhotse Shar: cuts.000000.jsonl.gz with recording.000000.tar, which has ID.flac and ID.json for each cut.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "source/labels/label_row.hpp"
#include "source/source_file.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// What a line of a manifest of Lhotse describes.
enum class LhotseKind { none, recording, supervision, cut };
LhotseKind lhotse_kind(const base::JsonValue& line);

/// An id, which is a number in some corpora. Throws Error if it is missing.
std::string lhotse_id(const base::JsonValue& object, std::string_view name = "id");

/// Where the audio of a recording is.
struct LhotseSource {
  std::string type;    // "file", "url", "command", "memory", "shar"
  std::string source;  // the path, URL or command
  std::vector<std::uint64_t> channels{};
};
struct LhotseRecording {
  std::string id;
  std::vector<LhotseSource> sources{};  // some corpora have a file for each channel
  double seconds = 0;
  std::string transforms{};  // the names of the changes to its audio; empty: it has none
};
LhotseRecording lhotse_recording(const base::JsonValue& recording);
/// The ids of all recordings that a cut names, also those that are mixed for it.
std::unordered_set<std::string> recordings_known_to(const base::JsonValue& cut);

/// The source that holds the channels of a row, and sets the channel that is to be cut out of it, if it is
/// one of several. Null, with the problem of the row set, if no source holds that channel.
const LhotseSource* choose_source(const LhotseRecording& recording, LabelRow& row);

/// A row that is as long as its recording takes the file as it is, unless that has clearly another length.
void make_whole(LabelRow& row, double recording_seconds);

/// The samples of a cut or a supervision. A cut is one sample; if it has several supervisions, each of them
/// is one. `text_field`: a member of `custom`, or "upper" for the second of `custom.texts`; empty: `text`, or
/// the first of these. The audio is the source of the recording if that is a file, else its id. Throws Error
/// for a line that is neither.
std::vector<LabelRow> lhotse_rows(const base::JsonValue& line, std::string_view text_field);

/// Counts cuts whose only supervision begins before or ends after them, so that the text may have more words
/// than the audio, and cuts with a supervision of another recording, whose text may be of other audio.
class CutDoubts {
 public:
  void add(const LabelRow& row);
  /// Each has the number of its cuts and the name of the first.
  std::vector<Error> warnings(const std::string& path) const;

 private:
  std::string first_longer_;
  std::uint64_t longer_ = 0;
  std::string first_other_;  // a sentence without its end
  std::uint64_t others_ = 0;
};

/// A shard of the cuts, and what belongs to it.
struct SharShard {
  std::string cuts;                           // the file
  std::string audio{};                        // recording.000000.tar; empty: it is missing
  std::vector<std::string> tables{};          // text.000000.jsonl: one more member of each cut
  std::vector<std::string> missing_tables{};  // that other shards have
};

struct SharFolder {
  std::vector<SharShard> shards;
  std::vector<std::string> others;          // files of fields that are not read, such as features.000000.tar
  std::vector<std::string> without_cuts{};  // recordings
  std::string gap{};                        // the first cuts that are missing between others; empty: none
};
/// None in a folder that has no recording*.tar beside cuts.
SharFolder shar_in(const std::string& folder);

/// How a shard is read: each cut, or each of its supervisions if it has several, is a sample. `subset`: of
/// all.
ArchivedTree shar_tree(const SharShard& shard, const TreeOptions& options, const std::string& subset);

}  // namespace shardmill::source
