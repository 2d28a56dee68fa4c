// LabelShape: how a row of a label table says which stretch of which audio is a sample, and what was said
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_reader.hpp"
#include "source/source_file.hpp"
#include "source/tables/table_shape.hpp"

namespace shardmill::source {

struct LabelRow {
  std::string audio{};  // path or id of the recording, without the extension of audio
  std::string file{};   // the same as the row has it; empty for rows of Lhotse
  std::string key{};    // empty: it is named after the audio
  std::optional<std::string> text{};
  std::string facts{};  // all other fields: members of a manifest line
  double begin_seconds = 0;
  double end_seconds = CorpusUtterance::kToTheEnd;
  double seconds = 0;                      // as the row has it; 0: it does not say
  bool keeps_to_seconds = false;           // see CorpusUtterance
  std::optional<std::uint64_t> channel{};  // of a recording with several; none: all of them
  std::string recording_id{};              // of Lhotse
  std::uint64_t place = 0;                 // of its line, see LabelTable
  std::string problem{};                   // why it cannot be cut; empty: it can

  bool is_whole() const { return begin_seconds == 0 && end_seconds == CorpusUtterance::kToTheEnd; }
};

/// The rows of a line: one, or for a cut of Lhotse with several supervisions one for each of these.
class LabelShape {
 public:
  /// `first`: the first row, the header or a JSON object. `text_field`: what the transcript is called; empty:
  /// one of the usual names. Throws Error, which lists the columns, when none of them names audio.
  LabelShape(TableKind kind, std::string_view first, std::string_view text_field);

  bool has_header() const noexcept { return table_ && table_->has_header(); }
  /// Takes a row into account, and returns its audio. Throws Error for a row that does not fit.
  std::vector<LabelRow> learn(const std::string& record);
  /// Throws Error for a record that does not fit. Any thread may call it.
  std::vector<LabelRow> rows_of(const std::string& record) const;

 private:
  LabelRow row_of(const std::vector<TableField>& fields) const;

  std::string text_field_;
  std::optional<TableShape> table_;  // none: the lines are cuts or supervisions of Lhotse
};

/// "-0001000-0002500", in ms: tells the segments of a recording apart.
std::string segment_suffix(double begin_seconds, double end_seconds);

}  // namespace shardmill::source
