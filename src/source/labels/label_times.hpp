// LabelTimes: which columns of a row of labels say where a sample begins and ends, by their names, and what
// they say. UnitDoubt: whether these are seconds. LikelyTimes: columns of unknown names that look as if they
// said it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_reader.hpp"
#include "source/source_file.hpp"
#include "source/tables/table_shape.hpp"

namespace shardmill::source {

struct LabelTimes {
  double begin_seconds = 0;
  double end_seconds = CorpusUtterance::kToTheEnd;
  double seconds = 0;                        // as the row has it; 0: it does not say
  bool keeps_to_seconds = false;             // see CorpusUtterance
  bool has_begin = false;                    // else it is that of the recording
  bool has_unit = false;                     // a name of a column says the unit
  std::vector<const TableField*> columns{};  // the ones that were understood
  std::string problem{};                     // why no stretch can be cut; empty: it can
};

/// Knows the usual names ("start", "begin_time", "xmin", "segment_end_ms", "duration_s"), in seconds or in
/// the unit that a name ends with. Throws Error for a table that cannot be read right: a column that counts
/// samples, or an unknown one that looks like a time, unless another column says the same.
LabelTimes times_of(const std::vector<TableField>& fields);

/// For lists that have names of their own for times: the columns, quoted, with usual names for times that say
/// another begin or end than these. Empty without such columns, or if they say only one of the two.
std::string columns_of_other_times(const base::JsonValue& object, double begin_seconds, double end_seconds);

/// Looks at rows that say no times. When several are about the same audio, and two columns of numbers divide
/// it into pieces one after the other, the two are probably times, whatever their names.
class LikelyTimes {
 public:
  /// `facts`: the members of a JSON object. Takes no notice of more rows than are enough.
  void learn(std::string_view audio, const std::string& facts);
  /// Throws Error, which names the two columns.
  void check() const;

 private:
  using Numbers = std::map<std::string, double, std::less<>>;  // by column

  bool divide(const std::string& begin, const std::string& end) const;

  std::map<std::string, std::vector<Numbers>, std::less<>> rows_;  // by audio
  std::size_t count_ = 0;
};

/// Notices times in milliseconds under names without a unit: most stretches would last minutes.
class UnitDoubt {
 public:
  /// `has_unit`: a name of a column says it.
  void learn(double begin_seconds, double end_seconds, bool has_unit);
  /// Throws Error, which says how the columns have to be called.
  void check() const;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t long_ = 0;
  bool are_whole_ = true;
};

/// Why a sample cannot begin and end so; empty: it can.
std::string why_no_stretch(double begin_seconds, double end_seconds);

}  // namespace shardmill::source
