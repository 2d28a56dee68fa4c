#include "source/metadata_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/file_name.hpp"
#include "source/tables/table_records.hpp"
#include "source/tables/table_shape.hpp"

namespace shardmill::source {

namespace {

std::string_view last_part(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? key : key.substr(slash + 1);
}

std::uint64_t hash_of(std::string_view key) {
  const base::Xxh128 hash = base::xxh3_128(base::as_bytes(last_part(key)));
  std::uint64_t word = 0;
  std::memcpy(&word, hash.bytes.data(), sizeof word);
  return word;
}

/// One of them has folders in front that the other lacks.
bool ends_alike(std::string_view one, std::string_view other) {
  if (one.size() < other.size()) std::swap(one, other);
  return one.size() > other.size() && one.ends_with(other) && one[one.size() - other.size() - 1] == '/';
}

}  // namespace

base::Xxh128 hash_of_content(const base::File& file) {
  constexpr std::size_t kStepBytes = std::size_t{4} << 20;
  std::vector<std::byte> bytes(kStepBytes);
  std::string hashes;
  for (std::uint64_t at = 0;;) {
    const std::size_t got = file.read_at(bytes, at);
    if (got == 0) break;
    hashes += base::xxh3_128(std::span(bytes).first(got)).hex();
    at += got;
  }
  return base::xxh3_128(base::as_bytes(hashes));
}

namespace {

/// Rows that cannot be read: the first with its problem, the next few by their lines.
class BadRows {
 public:
  void add(const Error& error, std::uint64_t line) {
    constexpr std::uint64_t kNamed = 5;
    if (!first_) {
      first_ = error;
    } else if (++others_ <= kNamed) {
      lines_ += fmt::format("{}{}", lines_.empty() ? "" : ", ", line);
    }
  }
  std::optional<Error> error() const {
    if (!first_ || others_ == 0) return first_;
    return Error(fmt::format("{}; {} bad, too, as line{} {}", first_->problem(),
                             others_ == 1 ? "1 more row is" : base::format_count(others_) + " more rows are",
                             others_ == 1 ? "" : "s", lines_),
                 first_->where(), first_->advice());
  }

 private:
  std::optional<Error> first_;
  std::uint64_t others_ = 0;
  std::string lines_;
};

}  // namespace

MetadataTable::MetadataTable(const std::string& path, std::string_view text_field)
    : watch_(base::File::open_read(path)), file_(open_table(path)), hash_(hash_of_content(file_)) {
  const std::optional<Error> bad = read_rows(text_field);
  std::sort(entries_.begin(), entries_.end());
  const std::optional<Error> repeated = take_out_repeated();
  if (!bad && !repeated) check_numbers();
  watch_.check();
  if (bad && repeated)
    throw Error(fmt::format("{}; and {}", bad->problem(), repeated->problem()), bad->where(), bad->advice());
  if (bad) throw *bad;
  if (repeated) throw *repeated;
}

MetadataTable::~MetadataTable() = default;

bool MetadataTable::has_text() const {
  return shape_->has_text();
}

/// Returns what is wrong with its rows: the first of them, with the lines of others.
std::optional<Error> MetadataTable::read_rows(std::string_view text_field) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << (64 - Entry::kSizeBits);
  if (file_.size() >= kMostBytes) throw Error("is too large for a table", at(path()));
  TableRecords records(file_);
  doubt_ = doubt_of_end(file_, records.kind());
  const auto in_its_line = [&](const Error& error) {
    if (!error.where().path.empty()) return error;
    const std::string advice = error.advice().empty() ? "correct the line, or remove it" : error.advice();
    return records.here(Error(error.problem(), error.where(), advice));
  };
  std::string record;
  BadRows bad;
  try {
    while (records.next_good(record, [&](const Error& error) { bad.add(error, records.line()); })) {
      const bool is_first = shape_ == nullptr;
      if (is_first)
        shape_ = std::make_unique<TableShape>(records.kind(), record, text_field, RowsOf::samples,
                                              second_row(file_), "", likely_key_columns(file_));
      if (is_first && shape_->has_header()) continue;
      try {
        entries_.push_back({.hash = hash_of(shape_->learn(record)),
                            .place = records.offset() << Entry::kSizeBits | records.bytes()});
      } catch (const Error& error) {
        bad.add(in_its_line(error), records.line());
      }
    }
  } catch (const Error& error) {
    throw in_its_line(error);
  }
  if (entries_.empty() && !bad.error()) throw Error("is a table without rows", at(path()));
  entries_.shrink_to_fit();
  return bad.error();
}

/// Drops rows that are there twice. Returns an error for rows of one key that differ.
std::optional<Error> MetadataTable::take_out_repeated() {
  std::size_t kept = 0;
  for (const Entry entry : entries_) {
    bool is_repeated = false;
    for (std::size_t i = kept; i-- > 0 && entries_[i].hash == entry.hash && !is_repeated;) {
      const std::string row = record(entry);
      const std::string other = record(entries_[i]);
      const std::string key = shape_->key_of(row);
      is_repeated = row == other;
      if (is_repeated || shape_->key_of(other) != key) continue;
      return Error(fmt::format("'{}' has two rows that differ, in line {} and in line {}", printable(key),
                               line_at(entries_[i].offset()), line_at(entry.offset())),
                   at(path()), "remove one of the rows: a table has one row for each key");
    }
    if (!is_repeated) entries_[kept++] = entry;
  }
  entries_.resize(kept);
  return std::nullopt;
}

/// Throws Error where the keys are numbers, as of a counter, and another column names the audio of another
/// row.
void MetadataTable::check_numbers() const {
  constexpr std::size_t kRowsEnough = 1000;
  const auto is_number = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == text.npos;
  };
  const auto is_key = [&](std::string_view key) {
    return std::ranges::binary_search(entries_, hash_of(key), {}, &Entry::hash);
  };
  for (std::size_t i = 0; i < std::min(entries_.size(), kRowsEnough); ++i) {
    const std::string row = record(entries_[i]);
    const std::string key = shape_->key_of(row);
    if (!is_number(key)) return;
    for (const auto& [name, json] : shape_->fields_in(row)) {
      const std::string value = json.starts_with('"') && name != shape_->key_name() ? field_text(json) : "";
      if (!is_audio_name(value) || last_part(table_key(value)) == key || !is_key(table_key(value))) continue;
      throw Error(
          fmt::format("'{}' is the key {} here, and '{}' names {}, which is the key of another row",
                      printable(shape_->key_name()), printable(key), printable(name), printable(value)),
          at(fmt::format("{}: line {}", path(), line_at(entries_[i].offset()))),
          "remove the column that does not name the sample");
    }
  }
}

std::uint64_t MetadataTable::line_at(std::uint64_t offset) const {
  return line_number_at(file_, offset);
}

std::string MetadataTable::record(const Entry& entry) const {
  try {
    return read_record(file_, entry.offset(), entry.bytes());
  } catch (const Error&) {
    watch_.check();
    throw;
  }
}

std::optional<std::size_t> MetadataTable::find(std::string_view key) const {
  const std::uint64_t hash = hash_of(key);
  const auto begin =
      std::lower_bound(entries_.begin(), entries_.end(), hash,
                       [](const Entry& entry, std::uint64_t value) { return entry.hash < value; });
  std::optional<std::size_t> alike;
  std::optional<std::size_t> other;
  for (auto entry = begin; entry != entries_.end() && entry->hash == hash; ++entry) {
    std::string found;
    try {
      found = shape_->key_of(record(*entry));
    } catch (const Error&) {
      watch_.check();
      throw;
    }
    const auto number = static_cast<std::size_t>(entry - entries_.begin());
    if (found == key) return number;
    if (ends_alike(found, key)) (alike ? other : alike) = number;
  }
  if (!other) return alike;
  throw Error(fmt::format("two rows fit the sample '{}': those in line {} and in line {}", printable(key),
                          line_at(entries_[*alike].offset()), line_at(entries_[*other].offset())),
              at(path()), "give the keys as the samples have them");
}

MetadataRow MetadataTable::row(std::size_t number) const {
  try {
    return shape_->row_of(record(entries_[number]));
  } catch (const Error&) {
    watch_.check();
    throw;
  }
}

}  // namespace shardmill::source
