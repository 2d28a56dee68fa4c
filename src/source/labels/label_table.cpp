#include "source/labels/label_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "source/file_name.hpp"
#include "source/split.hpp"

namespace shardmill::source {

namespace {

// A place has the number of the file, the offset of the line, and its bytes.
constexpr unsigned kSizeBits = 21;
constexpr unsigned kOffsetBits = 37;
static_assert(kLongestRecord < std::uint64_t{1} << kSizeBits);
constexpr std::uint64_t kMostFiles = std::uint64_t{1} << (64 - kSizeBits - kOffsetBits);

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t hash_of(std::string_view text) {
  const base::Xxh128 hash = base::xxh3_128(base::as_bytes(text));
  std::uint64_t word = 0;
  std::memcpy(&word, hash.bytes.data(), sizeof word);
  return word;
}

/// Of a whole name, which may be the end of others. No end begins like this, not even "/b" of "a//b".
std::uint64_t hash_of_whole(std::string_view name) {
  return hash_of(std::string(1, '\0').append(name));
}

bool has_problem(const std::vector<LabelRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const LabelRow& row) { return !row.problem.empty(); });
}

}  // namespace

/// One label file.
class LabelTable::List {
 public:
  List(const std::string& path, std::string_view text_field)
      : watch_(base::File::open_read(path)),
        file_(open_table(path)),
        text_field_(text_field),
        subset_(subset_of_table(path)) {
    if (file_.size() >= std::uint64_t{1} << kOffsetBits)
      throw Error("is too large for a table of labels", at(path));
  }

  const std::string& path() const { return file_.path(); }

  /// Calls back for each record with its rows; `line` is where it begins.
  void read(const std::function<void(std::uint64_t place, std::uint64_t line,
                                     const std::vector<LabelRow>& rows)>& use) {
    TableRecords records(file_);
    std::string record;
    std::vector<LabelRow> rows;
    try {
      while (records.next(record)) {
        const bool is_first = !shape_;
        if (is_first)
          shape_.emplace(records.kind(), record, text_field_, second_row(file_), stem_of_table(path()));
        if (is_first && shape_->has_header()) continue;
        rows = shape_->learn(record);
        use(records.offset() << kSizeBits | records.bytes(), records.line(), rows);
      }
      if (shape_) shape_->check_times();
    } catch (const Error& error) {
      if (!error.where().path.empty()) throw;
      throw records.here(error);
    }
    is_cut_ = has_problem(rows) && !ends_with_a_line(file_);
    if (!is_cut_) doubt_of_end_ = doubt_of_end(file_, records.kind());
    watch_.check();
  }

  std::vector<LabelRow> rows_at(std::uint64_t place) const {
    try {
      auto rows = shape_->rows_of(read_record(file_, place >> kSizeBits, low_bits(place, kSizeBits)));
      for (LabelRow& row : rows) {
        if (subset_in(row.facts).empty())
          row.facts = Facts().members(row.facts).text("subset", subset_).members();
      }
      return rows;
    } catch (const Error&) {
      watch_.check();
      throw;
    }
  }
  std::string columns() const { return shape_ ? shape_->columns() : std::string(); }
  std::vector<std::string> doubts() const {
    std::vector<std::string> doubts;
    if (shape_) doubts = shape_->doubts();
    if (is_cut_)
      doubts.emplace_back(
          "ends in the middle of a row: it may be cut, and how many rows are lost is unknown");
    if (!doubt_of_end_.empty()) doubts.push_back(doubt_of_end_);
    return doubts;
  }

 private:
  base::FileWatch watch_;
  base::File file_;
  std::string text_field_;
  std::string subset_;  // that the name of the file says; empty: none
  std::optional<LabelShape> shape_;
  bool is_cut_ = false;       // its last row is bad, and its last line has no end
  std::string doubt_of_end_;  // its last line has no end, and could be whole; a sentence
};

LabelTable::LabelTable(const std::vector<std::string>& paths, std::string_view text_field) {
  if (paths.size() > kMostFiles) throw Error(fmt::format("{} label files are too many", paths.size()));
  for (const std::string& path : paths) lists_.push_back(std::make_unique<List>(path, text_field));
  std::vector<Line> lines = read_lines();
  std::sort(lines.begin(), lines.end());
  make_tails(lines);
  group(std::move(lines));
}

LabelTable::~LabelTable() = default;

std::vector<LabelTable::Line> LabelTable::read_lines() {
  std::vector<Line> lines;
  for (std::uint64_t number = 0; number < lists_.size(); ++number) {
    std::optional<std::string> common;
    const std::size_t before = lines.size() + bad_.size();
    lists_[number]->read([&](std::uint64_t in_list, std::uint64_t line, const std::vector<LabelRow>& rows) {
      const std::uint64_t place = number << (kOffsetBits + kSizeBits) | in_list;
      if (has_problem(rows)) bad_.push_back({.place = place, .line = line});
      for (const LabelRow& row : rows) {
        left_out_.insert(row.left_out.begin(), row.left_out.end());
        cut_doubts_.add(row);
      }
      has_texts_ = has_texts_ || std::any_of(rows.begin(), rows.end(), [](const LabelRow& row) {
                     return row.text && !row.text->empty();
                   });
      if (rows.empty()) return;
      const std::string& name = audio_in(rows);
      const std::string_view audio = plain_name(name);
      if (audio.empty()) {
        if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.problem.empty(); }))
          throw Error(fmt::format("'{}' is not the name of an audio file", printable(name)));
        return;
      }
      const std::string_view folder =
          audio.substr(0, audio.rfind('/') == audio.npos ? 0 : audio.rfind('/') + 1);
      if (!common) common = folder;
      while (!folder.starts_with(*common)) {
        common->pop_back();
        common->resize(common->rfind('/') == std::string::npos ? 0 : common->rfind('/') + 1);
      }
      rows_ += rows.size();
      lines.push_back({.audio_hash = hash_of(audio),
                       .place = place,
                       .name_hash = hash_of(tail_of(audio, 1)),
                       .number = static_cast<std::uint32_t>(line)});
    });
    if (lines.size() + bad_.size() == before)
      throw Error("is a table without rows", at(lists_[number]->path()));
    common_folders_.push_back(common.value_or(""));
  }
  return lines;
}

void LabelTable::report_bad(const LoseUtterance& lose) const {
  for (const Bad& bad : bad_) {
    const std::string place = fmt::format("{}: line {}", list_of(bad.place).path(), bad.line);
    for (LabelRow& row : rows_in(bad.place)) {
      if (row.problem.empty()) continue;
      row.place = bad.place;
      const std::string name = row.audio.empty() && row.key.empty() ? "" : key_of(row);
      lose({.key = name.empty() ? place : name, .error = Error(row.problem, at(place))});
    }
  }
}

void LabelTable::group(std::vector<Line>&& lines) {
  places_.reserve(lines.size());
  numbers_.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 0 || lines[i].audio_hash != lines[i - 1].audio_hash)
      first_line_.push_back(static_cast<std::uint32_t>(i));
    places_.push_back(lines[i].place);
    numbers_.push_back(lines[i].number);
  }
  first_line_.push_back(static_cast<std::uint32_t>(places_.size()));
}

/// For each recording the shortest end of its name that no other has. Ends that several have are there too,
/// so that one more part is looked at.
void LabelTable::make_tails(const std::vector<Line>& lines) {
  struct Open {
    std::uint64_t hash;
    std::uint32_t recording;
    std::uint64_t place;
  };
  std::vector<Open> open;
  std::uint32_t recordings = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 0 || lines[i].audio_hash != lines[i - 1].audio_hash)
      open.push_back({.hash = lines[i].name_hash, .recording = recordings++, .place = lines[i].place});
  }
  for (std::size_t parts = 1; !open.empty(); ++parts) {
    std::sort(open.begin(), open.end(), [](const Open& a, const Open& b) {
      return std::tie(a.hash, a.recording) < std::tie(b.hash, b.recording);
    });
    std::vector<Open> alike;
    for (std::size_t begin = 0; begin < open.size();) {
      std::size_t end = begin + 1;
      while (end < open.size() && open[end].hash == open[begin].hash) ++end;
      tails_.push_back(
          {.hash = open[begin].hash, .recording = end - begin == 1 ? open[begin].recording : kSeveral});
      if (end - begin > 1)
        alike.insert(alike.end(), open.begin() + static_cast<std::ptrdiff_t>(begin),
                     open.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
    open.clear();
    for (Open& one : alike) {
      const std::string audio = audio_in(rows_in(one.place));
      const std::string_view name = plain_name(audio);
      if (tail_of(name, parts) == name) {
        tails_.push_back({.hash = hash_of_whole(name), .recording = one.recording});
        continue;
      }
      one.hash = hash_of(tail_of(name, parts + 1));
      open.push_back(one);
    }
  }
  std::sort(tails_.begin(), tails_.end());
  tails_.shrink_to_fit();
}

const LabelTable::List& LabelTable::list_of(std::uint64_t place) const {
  return *lists_[place >> (kOffsetBits + kSizeBits)];
}

std::vector<LabelRow> LabelTable::rows_in(std::uint64_t place) const {
  return list_of(place).rows_at(low_bits(place, kOffsetBits + kSizeBits));
}

std::string LabelTable::audio_of(std::uint32_t recording) const {
  return audio_in(rows_in(places_[first_line_[recording]]));
}

std::optional<std::uint32_t> LabelTable::tail_owner(std::uint64_t hash) const {
  const auto found =
      std::lower_bound(tails_.begin(), tails_.end(), hash,
                       [](const Tail& tail, std::uint64_t value) { return tail.hash < value; });
  return found != tails_.end() && found->hash == hash ? std::optional(found->recording) : std::nullopt;
}

std::optional<std::uint32_t> LabelTable::candidate(std::string_view path) const {
  std::optional<std::uint32_t> last;
  for (std::size_t parts = 1;; ++parts) {
    const std::string_view tail = tail_of(path, parts);
    const auto owner = tail_owner(hash_of(tail));
    // A recording with a shorter name: it is all of the end that several have.
    if (!owner) return last ? tail_owner(hash_of_whole(tail_of(path, parts - 1))) : std::nullopt;
    if (*owner != kSeveral) return owner;
    last = owner;
    if (tail != path) continue;
    const auto whole = tail_owner(hash_of_whole(path));
    return whole ? whole : kSeveral;
  }
}

std::optional<std::string> LabelTable::nearest_audio(std::string_view path) const {
  const auto recording = candidate(plain_name(path));
  return recording && *recording != kSeveral ? std::optional(audio_of(*recording)) : std::nullopt;
}

AudioRoots LabelTable::learn_roots(const std::vector<std::string>& audio_files) const {
  if (audio_files.empty()) {
    return {.are_unknown = true,
            .doubt =
                "none of its audio could be looked at beforehand, as in archives inside archives: a folder "
                "of another name may be taken for the one in a row"};
  }
  AudioRootSearch search;
  for (const std::string& file : audio_files) {
    if (const auto audio = nearest_audio(file)) search.add(*audio, file);
  }
  return search.take();
}

AudioChoices LabelTable::choices_among(const std::vector<std::string>& audio_files,
                                       const AudioRoots& roots) const {
  // Files can only fit one recording if their names agree but for the extension.
  std::vector<std::pair<std::uint64_t, std::size_t>> by_name;
  for (std::size_t i = 0; i < audio_files.size(); ++i)
    by_name.emplace_back(hash_of(tail_of(plain_name(audio_files[i]), 1)), i);
  std::sort(by_name.begin(), by_name.end());
  std::map<std::uint32_t, std::vector<std::size_t>> fitting;
  for (std::size_t i = 0; i < by_name.size(); ++i) {
    const bool is_alone = (i == 0 || by_name[i - 1].first != by_name[i].first) &&
                          (i + 1 == by_name.size() || by_name[i + 1].first != by_name[i].first);
    if (is_alone) continue;
    if (const Found found = find(audio_files[by_name[i].second], roots); found.recording)
      fitting[*found.recording].push_back(by_name[i].second);
  }
  AudioChoices choices;
  for (const auto& [recording, files] : fitting) {
    if (files.size() < 2) continue;
    const std::set<std::string> wanted = extensions_of(recording);
    std::set<std::string> found;
    std::size_t exact = 0;
    for (const std::size_t file : files) {
      const std::string extension = base::lower(audio_name(audio_files[file]).extension);
      if (!wanted.contains(extension)) continue;
      found.insert(extension);
      ++exact;
    }
    if (exact > 0 && exact == found.size()) {
      choices.exact.emplace(recording, std::move(found));
    } else {
      choices.several[recording] =
          fmt::format("'{}' and '{}'", printable(audio_files[files[0]]), printable(audio_files[files[1]]));
    }
  }
  return choices;
}

std::set<std::string> LabelTable::extensions_of(std::uint32_t recording) const {
  std::set<std::string> extensions;
  for (const LabelRow& row : rows_of(recording)) extensions.insert(extension_of(row));
  extensions.erase("");
  return extensions;
}

std::string extension_of(const LabelRow& row) {
  return is_audio_name(row.audio) ? base::lower(audio_name(row.audio).extension) : "";
}

LabelTable::Found LabelTable::find(std::string_view path, const AudioRoots& roots) const {
  const auto recording = candidate(plain_name(path));
  if (!recording) return {};
  if (*recording == kSeveral) return {.problem = "several rows fit it, of audio in different folders"};
  const std::string audio = audio_of(*recording);
  switch (fit_of(audio, path, roots)) {
    case AudioFit::good:
      return {.recording = recording};
    case AudioFit::none:
      return {};
    case AudioFit::name_alone:
      break;
  }
  return {.problem = fmt::format("only its name agrees with that of '{}'", printable(audio))};
}

std::vector<std::uint32_t> LabelTable::shorter_names(std::string_view path, std::uint32_t found) const {
  std::vector<std::uint32_t> shorter;
  const std::string_view name = plain_name(path);
  for (std::size_t parts = 1; tail_owner(hash_of(tail_of(name, parts))) == kSeveral; ++parts) {
    const std::string_view tail = tail_of(name, parts);
    const auto owner = tail_owner(hash_of_whole(tail));
    if (owner && *owner != found) shorter.push_back(*owner);
    if (tail == name) break;
  }
  return shorter;
}

std::vector<LabelRow> LabelTable::rows_of(std::uint32_t recording) const {
  std::vector<LabelRow> rows;
  for (std::uint32_t line = first_line_[recording]; line < first_line_[recording + 1]; ++line) {
    for (LabelRow& row : rows_in(places_[line])) {
      row.place = places_[line];
      row.line = numbers_[line];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string LabelTable::place_of(const LabelRow& row) const {
  return fmt::format("{}: line {}", list_of(row.place).path(), row.line);
}

std::string LabelTable::key_of(const LabelRow& row) const {
  if (!row.key.empty()) return row.key;
  const std::string_view name = plain_name(row.audio);
  const std::string& common = common_folders_[row.place >> (kOffsetBits + kSizeBits)];
  const std::string key(name.starts_with(common) ? name.substr(common.size())
                                                 : name);  // bad rows lie anywhere
  return key + key_suffix(row);
}

std::vector<Error> LabelTable::doubts() const {
  std::vector<Error> doubts = cut_doubts_.warnings(names());
  for (const auto& list : lists_) {
    for (std::string& doubt : list->doubts()) doubts.emplace_back(std::move(doubt), at(list->path()));
  }
  return doubts;
}

std::string LabelTable::columns() const {
  return lists_.front()->columns();
}

std::string LabelTable::names() const {
  std::string names;
  for (const auto& list : lists_) names += (names.empty() ? "" : ", ") + list->path();
  return names;
}

}  // namespace shardmill::source
