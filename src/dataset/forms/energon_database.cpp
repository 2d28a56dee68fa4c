#include "dataset/forms/energon_database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"

namespace shardmill::dataset {

namespace {

/// All that SQLite's builds may have other defaults for, and no journal: a file that is not whole gets no
/// name. The cache bounds the memory (in KiB).
constexpr const char* kSettings =
    "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE; PRAGMA secure_delete = "
    "ON;"
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;"
    "PRAGMA application_id = 0; PRAGMA user_version = 0;";

/// Tables, columns and indexes by the names that Energon's queries use. The indexes are there from the start,
/// as the rows come in their order: so nothing is left to sort in the end.
constexpr const char* kTables =
    "BEGIN;"
    "CREATE TABLE samples (tar_file_id INTEGER NOT NULL, sample_key TEXT NOT NULL UNIQUE, "
    "sample_index INTEGER NOT NULL, byte_offset INTEGER, byte_size INTEGER);"
    "CREATE TABLE sample_parts (tar_file_id INTEGER, sample_index INTEGER, part_name TEXT, "
    "content_byte_offset INTEGER, content_byte_size INTEGER);"
    "CREATE INDEX idx_samples_by_tar_and_idx ON samples (tar_file_id, sample_index);"
    "CREATE INDEX idx_sample_parts_seq ON sample_parts (tar_file_id, sample_index, content_byte_offset);"
    "CREATE INDEX idx_sample_parts_full ON sample_parts "
    "(tar_file_id, sample_index, part_name, content_byte_offset, content_byte_size);";

/// Only where there are manifests: Energon takes the table for a promise that all media are in it.
constexpr const char* kMediaTable =
    "CREATE TABLE media_metadata (entry_key TEXT PRIMARY KEY, metadata_type TEXT NOT NULL, "
    "metadata_json TEXT NOT NULL);";

constexpr std::string_view kNewSample = "INSERT INTO samples VALUES (?, ?, ?, ?, ?)";
constexpr std::string_view kNewPart = "INSERT INTO sample_parts VALUES (?, ?, ?, ?, ?)";
constexpr std::string_view kNewMedia = "INSERT INTO media_metadata VALUES (?, 'av', ?)";

/// The file's head has the number of changes at two places, and the version of SQLite, here 3.40.0.
constexpr std::uint64_t kChangesAt = 24;
constexpr std::uint64_t kVersionAt = 92;
constexpr std::array<std::byte, 4> kChanges{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
constexpr std::array<std::byte, 8> kVersion{std::byte{0}, std::byte{0},    std::byte{0},    std::byte{1},
                                            std::byte{0}, std::byte{0x2e}, std::byte{0x63}, std::byte{0x00}};

/// A UUID of version 8, which leaves the bits to its maker. Energon reads it as text, without a line end.
std::string uuid_of(const base::Sha256::Digest& digest) {
  std::array<std::byte, 16> bytes;
  std::copy_n(digest.begin(), bytes.size(), bytes.begin());
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x80};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  std::string uuid = base::to_hex(bytes);
  for (const std::size_t dash : {20U, 16U, 12U, 8U}) uuid.insert(dash, 1, '-');
  return uuid;
}

std::string_view key_of(const ShardLayout::Sample& sample) {
  const ShardLayout::Member& first = sample.members.front();
  return std::string_view(first.name).substr(0, first.name.size() - first.extension.size() - 1);
}

/// Energon's AVMetadata for audio.
std::string media_json(const AudioInfo& audio) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("audio_duration", audio.seconds()).member("audio_channels", audio.channels);
  json.member("audio_sample_rate", audio.sample_rate).member("audio_num_samples", audio.frames).end_object();
  return text;
}

std::int64_t signed_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

}  // namespace

/// The database while it is written.
class EnergonDatabase::Rows {
 public:
  explicit Rows(const std::string& path) : file_(path), vfs_(file_.file()) {
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2("index", &connection_, kFlags, vfs_.vfs_name().c_str());
    try {
      check(code);
      run(kSettings);
      run(kTables);
      new_sample_ = prepared(kNewSample);
      new_part_ = prepared(kNewPart);
    } catch (...) {
      close();
      throw;
    }
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() { close(); }

  /// False when the database has a row with this key.
  bool add_sample(std::int64_t shard, std::string_view key, std::int64_t sample, std::uint64_t offset,
                  std::uint64_t bytes) {
    bind(new_sample_, {shard, {}, sample, signed_of(offset), signed_of(bytes)});
    bind_text(new_sample_, 2, key);
    return step(new_sample_);
  }

  void add_part(std::int64_t shard, std::int64_t sample, const ShardLayout::Member& member) {
    bind(new_part_, {shard, sample, {}, signed_of(member.offset), signed_of(member.bytes)});
    bind_text(new_part_, 3, member.extension);
    step(new_part_);
  }

  void add_media(std::string_view entry, const std::string& json) {
    if (new_media_ == nullptr) {
      run(kMediaTable);
      new_media_ = prepared(kNewMedia);
    }
    bind_text(new_media_, 1, entry);
    bind_text(new_media_, 2, json);
    if (!step(new_media_))
      throw Error("its manifest has this audio twice",
                  Where{.path = file_.file().path(), .member = std::string(entry)});
  }

  /// Returns the SHA-256 of the file.
  std::string commit() {
    run("COMMIT");
    finish(new_media_);
    finish(new_sample_);
    finish(new_part_);
    check(sqlite3_close(std::exchange(connection_, nullptr)));
    file_.file().write_at(kChanges, kChangesAt);
    file_.file().write_at(kVersion, kVersionAt);
    base::Sha256 hash;
    std::vector<std::byte> piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0;;) {
      const std::size_t bytes = file_.file().read_at(piece, at);
      if (bytes == 0) break;
      hash.update(std::span(piece).first(bytes));
      at += bytes;
    }
    file_.commit();
    return base::to_hex(hash.digest());
  }

 private:
  void check(int code) {
    if (code == SQLITE_OK) return;
    vfs_.throw_failure();
    throw Error(fmt::format("SQLite cannot write it: {}",
                            connection_ != nullptr ? sqlite3_errmsg(connection_) : sqlite3_errstr(code)),
                at(file_.file().path()));
  }

  void run(const char* statements) {
    check(sqlite3_exec(connection_, statements, nullptr, nullptr, nullptr));
  }

  sqlite3_stmt* prepared(std::string_view text) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v3(connection_, text.data(), static_cast<int>(text.size()),
                             SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
    return statement;
  }

  void bind(sqlite3_stmt* statement, const std::array<std::optional<std::int64_t>, 5>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i]) check(sqlite3_bind_int64(statement, static_cast<int>(i + 1), *numbers[i]));
    }
  }

  /// The text must live until step().
  void bind_text(sqlite3_stmt* statement, int column, std::string_view text) {
    check(sqlite3_bind_text64(statement, column, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }

  /// False when the row would break a rule of the table.
  bool step(sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    const bool is_refused = (code & 0xff) == SQLITE_CONSTRAINT;
    if (code != SQLITE_DONE && !is_refused) check(code);
    const int again = sqlite3_reset(statement);  // reports the failed step once more
    if (!is_refused) check(again);
    return !is_refused;
  }

  void finish(sqlite3_stmt*& statement) { check(sqlite3_finalize(std::exchange(statement, nullptr))); }

  /// For a database that is given up: errors do not matter.
  void close() noexcept {
    sqlite3_finalize(std::exchange(new_sample_, nullptr));
    sqlite3_finalize(std::exchange(new_part_, nullptr));
    sqlite3_finalize(std::exchange(new_media_, nullptr));
    sqlite3_close(std::exchange(connection_, nullptr));
  }

  base::AtomicFile file_;
  SqliteFile vfs_;
  sqlite3* connection_ = nullptr;
  sqlite3_stmt* new_sample_ = nullptr;
  sqlite3_stmt* new_part_ = nullptr;
  sqlite3_stmt* new_media_ = nullptr;  // null where there are no manifests
};

EnergonDatabase::EnergonDatabase(const std::string& folder) : folder_(folder) {
  const std::string path = base::inside(folder, kEnergonDatabase);
  base::make_folders(std::filesystem::path(path).parent_path());
  rows_ = std::make_unique<Rows>(path);
}

EnergonDatabase::~EnergonDatabase() = default;

bool EnergonDatabase::add_sample(const ShardLayout& layout, std::size_t sample, std::string_view key) {
  const auto number = static_cast<std::int64_t>(sample);
  const std::uint64_t begin = layout.samples[sample].header_offset;
  const bool is_last = sample + 1 == layout.samples.size();
  const std::uint64_t end = is_last ? layout.end_offset : layout.samples[sample + 1].header_offset;
  if (!rows_->add_sample(shards_, key, number, begin, end - begin)) return false;
  std::string row = fmt::format("{}\n{} {}\n", key, begin, end);
  for (const ShardLayout::Member& member : layout.samples[sample].members) {
    rows_->add_part(shards_, number, member);
    row += fmt::format("{}\n{} {}\n", member.extension, member.offset, member.bytes);
  }
  contents_.update(base::as_bytes(row));
  return true;
}

void EnergonDatabase::add(const ShardLayout& layout, const std::string& path, const std::string& name,
                          const std::string& sha256) {
  if (obstacle_) return;
  contents_.update(base::as_bytes(fmt::format("{}\n{}\n{}\n", name, sha256, layout.samples.size())));
  for (std::size_t i = 0; i < layout.samples.size(); ++i) {
    const std::string_view key = key_of(layout.samples[i]);
    const Where where{.path = path, .member = layout.samples[i].members.front().name};
    const auto stop = [&](const char* why) {
      obstacle_.emplace(
          fmt::format("{}, so Energon's index.sqlite and index.uuid are left out: its file stores "
                      "find samples by their keys",
                      why),
          where, "shardmill repack gives each sample a key of its own");
      rows_.reset();
    };
    if (!base::is_utf8(layout.samples[i].members.front().name)) return stop("the name is not UTF-8");
    if (!add_sample(layout, i, key)) return stop("another sample has this key, too");
  }
  ++shards_;
}

void EnergonDatabase::add_media(const std::string& shard_manifest, base::Reporter& reporter) {
  if (obstacle_) return;
  for_each_sample(shard_manifest, reporter,
                  [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                    const std::string json = media_json(record.audio);
                    rows_->add_media(record.audio_filepath, json);
                    contents_.update(base::as_bytes(fmt::format("{}\n{}\n", record.audio_filepath, json)));
                  });
}

std::vector<manifest::Checksum> EnergonDatabase::commit() {
  std::string sha256 = rows_->commit();
  return {{.sha256 = std::move(sha256), .path = std::string(kEnergonDatabase)},
          write_whole(folder_, std::string(kEnergonUuid), uuid_of(contents_.digest()))};
}

}  // namespace shardmill::dataset
