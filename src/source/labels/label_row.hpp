// LabelShape: how a row of a label table names a stretch of audio and its transcript.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_reader.hpp"
#include "source/labels/label_times.hpp"
#include "source/source_file.hpp"
#include "source/tables/table_shape.hpp"

namespace shardmill::source {

struct LabelRow {
  std::string audio{};  // path or id of the recording
  std::string key{};    // empty: it is named after the audio
  std::optional<std::string> text{};
  std::string facts{};  // all other fields: members of a manifest line
  double begin_seconds = 0;
  double end_seconds = CorpusUtterance::kToTheEnd;
  double seconds = 0;                      // as the row has it; 0: it does not say
  bool keeps_to_seconds = false;           // see CorpusUtterance
  bool has_begin = false;                  // else it is that of the recording
  bool has_unit = false;                   // see LabelTimes
  double recording_seconds = 0;            // the same
  std::size_t recording_channels = 0;      // the same
  std::optional<std::uint64_t> channel{};  // of a recording with several; none: all of them
  std::string recording_id{};              // of Lhotse
  std::vector<std::uint64_t> channels{};   // the same, as it numbers them; none: all
  std::vector<std::string> left_out{};     // the same: fields that are not kept
  bool has_longer_text = false;            // the same: see CutDoubts
  std::string other_recording{};           // the same: that its supervision is of; empty: of its own
  std::uint64_t place = 0;                 // of its line, see LabelTable
  std::uint32_t line = 0;                  // in its file
  std::string problem{};                   // why it cannot be cut or read; empty: it can

  bool is_whole() const { return begin_seconds == 0 && end_seconds == CorpusUtterance::kToTheEnd; }
};

/// The audio that the rows of a line are about: that of the first row without a problem, or else of the first
/// that names any. Empty if none does.
const std::string& audio_in(const std::vector<LabelRow>& rows);

/// The rows of a line: one, or for a cut of Lhotse with several supervisions one for each of these.
class LabelShape {
 public:
  /// `first`: the first row, the header or a JSON object. `text_field`: what the transcript is called; empty:
  /// one of the usual names. `second`: see TableShape. `one_audio`: the recording that all rows are stretches
  /// of, where no column names audio. Without it, throws Error, which lists the columns.
  LabelShape(TableKind kind, std::string_view first, std::string_view text_field,
             std::string_view second = {}, std::string_view one_audio = {});

  /// The names of its columns, for messages; empty for Lhotse's.
  std::string columns() const;
  bool has_header() const noexcept { return table_ && table_->has_header(); }
  /// Takes a record into account, and returns its rows. Throws Error for a table that cannot be read right,
  /// see times_of(); a record that does not fit is a row with a problem, which may lack everything else.
  std::vector<LabelRow> learn(const std::string& record);
  /// The same without taking it into account. Any thread may call it.
  std::vector<LabelRow> rows_of(const std::string& record) const;
  /// After the last learn(). Throws Error if the rows say no times, and columns of other names seem to; and
  /// if several stretches of a recording say where they end, and none where it begins, or the other way
  /// round.
  void check_times() const;
  /// Sentences about what the rows may not mean: that they say only where they end, or only where they begin,
  /// or which of the channels.
  std::vector<std::string> doubts() const;

 private:
  /// Rows that have only one of their two times.
  struct HalfTimed {
    std::uint64_t count = 0;
    std::string first{};  // the audio of one
    std::string last{};   // of the last one
    double last_seconds = 0;
    std::string twice{};  // audio that two successive rows give other times

    void take(const std::string& audio, double seconds);
    /// "2 rows say where to end and not where to begin, such as one of 'x.wav': they are taken" and so on.
    std::string doubt(std::string_view says, std::string_view lacks, std::string_view taken) const;
  };

  std::string doubt_of_channels() const;
  std::vector<LabelRow> rows_of_lhotse(const std::string& record) const;
  LabelRow row_of(const std::vector<TableField>& fields, const LabelTimes& times) const;

  std::string text_field_;
  std::optional<TableShape> table_;  // none: the lines are cuts or supervisions of Lhotse
  LikelyTimes likely_times_;
  UnitDoubt unit_doubt_;
  HalfTimed without_begin_;
  HalfTimed without_end_;
  bool has_begins_ = false;
  bool has_ends_ = false;
  std::optional<std::uint64_t> lowest_channel_;
};

/// "-0001000-0002500", in ms: tells the segments of a recording apart.
std::string segment_suffix(double begin_seconds, double end_seconds);
/// Behind the name of the audio, for a row without a key: the times of a segment, and the channel, as "_ch1".
std::string key_suffix(const LabelRow& row);

}  // namespace shardmill::source
