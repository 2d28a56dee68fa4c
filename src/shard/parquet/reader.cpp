#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "archive/tar_header.hpp"
#include "base/error.hpp"
#include "base/io/binary_fields.hpp"
#include "parquet/row_reader.hpp"
#include "shard/parquet/group_rows.hpp"
#include "shard/parquet/keys.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::shard {

namespace {

using parquet::Chunk;
using parquet::PageHeader;

constexpr std::uint64_t kPieceBytes = 1 << 20;
constexpr std::size_t kSpanBytes = std::size_t{4} << 20;
constexpr std::array<std::byte, archive::kTarEndBytes> kZeros{};

/// Where a piece begins.
struct Place {
  std::uint64_t group = 0;
  std::uint64_t page_offset = 0;  // 0: at the end of the file
  std::uint64_t row = 0;          // in its group
  std::uint64_t bytes = 0;        // of the pieces before

  codec::RestartPoint saved() const {
    base::BinaryWriter out;
    for (const std::uint64_t number : {group, page_offset, row, bytes}) out.put(number);
    return out.take();
  }
  static Place restored(const codec::RestartPoint& point) {
    base::BinaryReader in(point);
    Place place;
    for (std::uint64_t* number : {&place.group, &place.page_offset, &place.row, &place.bytes})
      *number = in.number();
    return place;
  }
};

/// Some pages of audio.
class RowPiece final : public codec::Piece {
 public:
  RowPiece(std::shared_ptr<const ParquetFile> table, std::shared_ptr<GroupRows> group, Place place,
           std::vector<PageHeader> pages, std::uint64_t bytes)
      : table_(std::move(table)),
        group_(std::move(group)),
        place_(place),
        pages_(std::move(pages)),
        bytes_(bytes),
        loaded_(pages_.size()),
        row_(place.row) {}

  void prepare() noexcept override {
    if (std::exchange(is_prepared_, true)) return;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      try {
        loaded_[i].body = parquet::load_page(table_->file, pages_[i], group_->audio_chunk().packing);
        loaded_[i].dictionary = group_->dictionary();
      } catch (...) {
        loaded_[i].failure = std::current_exception();
      }
    }
  }

  std::span<const std::byte> read() override {
    prepare();
    if (!audio_.empty()) {
      const auto span = audio_.first(std::min(audio_.size(), kSpanBytes));
      audio_ = audio_.subspan(span.size());
      return span;
    }
    if (const std::size_t padding = std::exchange(padding_, 0); padding > 0)
      return std::span(kZeros).first(padding);
    return begin_row() ? std::span<const std::byte>(head_) : std::span<const std::byte>();
  }

  bool goes_on_after_damage() const override { return page_ < pages_.size(); }
  /// None after damage in another column: which rows it took is known only to those who read it.
  codec::RestartPoint restart_point() const override {
    return group_->has_failed() ? codec::RestartPoint() : place_.saved();
  }
  std::uint64_t compressed_bytes() const override { return bytes_; }
  codec::Window window() const override {
    const std::uint64_t bytes = group_->memory_bytes();
    return {.bytes = bytes, .full_bytes = bytes};
  }
  std::size_t memory_bytes() const override {
    std::uint64_t bytes = sizeof(*this);
    for (const PageHeader& page : pages_) bytes += page.memory_bytes(group_->audio_chunk().packing);
    return static_cast<std::size_t>(bytes);
  }

 private:
  struct Loaded {
    parquet::PageBody body{};
    std::shared_ptr<const parquet::Dictionary> dictionary{};
    std::exception_ptr failure{};
  };

  /// False after the last row.
  bool begin_row() {
    while (page_ < pages_.size()) {
      const PageHeader& header = pages_[page_];
      try {
        if (!data_) open_page(header);
        if (data_->left() > 0) {
          compose_row();
          return true;
        }
        end_page();
      } catch (const Error& error) {
        const std::uint32_t lost = data_ ? data_->left() : header.values;
        row_ += lost + (is_in_row_ ? 1 : 0);
        is_in_row_ = false;
        end_page();
        if (group_->has_failed()) page_ = pages_.size();
        if (!error.where().path.empty()) throw;
        throw Error("a page of the audio " + error.problem(),
                    {.path = table_->file.path(), .offset = header.offset});
      }
    }
    return false;
  }

  void open_page(const PageHeader& header) {
    Loaded& loaded = loaded_[page_];
    if (loaded.failure) std::rethrow_exception(std::exchange(loaded.failure, nullptr));
    data_ = std::make_unique<parquet::DataPage>(table_->metadata.leaf(table_->columns.audio), header,
                                                std::move(loaded.body), std::move(loaded.dictionary));
  }

  void end_page() {
    data_.reset();
    loaded_[page_++] = {};
  }

  void compose_row() {
    head_.clear();
    is_in_row_ = true;
    const parquet::Entry entry = data_->next();
    group_->append_members(row_, entry.value, head_);
    is_in_row_ = false;
    ++row_;
    if (!entry.value) return;
    audio_ = entry.value->bytes;
    padding_ = static_cast<std::size_t>(archive::padding_bytes(audio_.size()));
  }

  std::shared_ptr<const ParquetFile> table_;
  std::shared_ptr<GroupRows> group_;
  Place place_;
  std::vector<PageHeader> pages_;
  std::uint64_t bytes_;
  std::vector<Loaded> loaded_;
  bool is_prepared_ = false;
  std::size_t page_ = 0;
  std::unique_ptr<parquet::DataPage> data_;  // of page_
  std::uint64_t row_;                        // the next, in its group
  bool is_in_row_ = false;
  Bytes head_;
  std::span<const std::byte> audio_;  // the rest of a row, to be delivered
  std::size_t padding_ = 0;
};

/// Damage that no page can be found after, or the end of the tar.
class LastPiece final : public codec::Piece {
 public:
  LastPiece(std::optional<Error> damage, std::uint64_t bytes, std::optional<Place> place)
      : damage_(std::move(damage)), bytes_(bytes), place_(place) {}

  void prepare() noexcept override {}
  std::span<const std::byte> read() override {
    if (std::exchange(is_read_, true)) return {};
    if (damage_) throw Error(*damage_);
    return kZeros;
  }
  codec::RestartPoint restart_point() const override {
    return place_ ? place_->saved() : codec::RestartPoint();
  }
  std::uint64_t compressed_bytes() const override { return bytes_; }
  std::size_t memory_bytes() const override { return sizeof(*this); }

 private:
  std::optional<Error> damage_;
  std::uint64_t bytes_;
  std::optional<Place> place_;
  bool is_read_ = false;
};

class ParquetReader final : public codec::PieceReader {
 public:
  ParquetReader(const base::File& file, const codec::RestartPoint& from)
      : table_(std::make_shared<const ParquetFile>(file)), size_(table_->file.size()) {
    if (!from.empty()) restart(Place::restored(from));
  }

  std::unique_ptr<codec::Piece> next() override {
    while (next_.group < table_->metadata.groups.size()) {
      try {
        if (!walk_) begin_group();
        if (auto piece = next_rows()) return piece;
        end_group();
      } catch (const Error& error) {
        const std::uint64_t bytes = rest_of_group();
        end_group();
        return piece_of_damage(error, bytes);
      }
    }
    if (std::exchange(is_at_end_, true)) return nullptr;
    return std::make_unique<LastPiece>(std::nullopt, size_ - next_.bytes, next_);
  }

 private:
  const parquet::RowGroup& group() const { return table_->metadata.groups[next_.group]; }

  void begin_group() {
    rows_ = std::make_shared<GroupRows>(table_, next_.group);
    walk_.emplace(table_->file, rows_->audio_chunk());
    group_end_ = next_.bytes;
    for (const Chunk& chunk : group().chunks) group_end_ = std::min(size_, group_end_ + chunk.bytes);
  }

  void end_group() {
    walk_.reset();
    rows_.reset();
    ++next_.group;
    next_.row = 0;
    next_.page_offset = 0;
  }

  /// The next data page; nullopt at the end of the group.
  std::optional<PageHeader> next_page() {
    while (auto page = walk_->next()) {
      if (page->is_data()) return page;
      rows_->dictionary_page = page;
    }
    return std::nullopt;
  }

  std::unique_ptr<codec::Piece> next_rows() {
    std::vector<PageHeader> pages;
    std::uint64_t bytes = 0;
    Place place = next_;
    while (bytes < kPieceBytes) {
      auto page = next_page();
      if (!page) break;
      if (pages.empty()) place.page_offset = page->offset;
      bytes += page->end() - page->offset;
      next_.row += page->values;
      pages.push_back(*page);
    }
    if (pages.empty()) return nullptr;
    // With the last rows, what the other columns take.
    const std::uint64_t left = group_end_ - next_.bytes;
    bytes = next_.row >= group().rows ? left : std::min(bytes, left);
    next_.bytes += bytes;
    return std::make_unique<RowPiece>(table_, rows_, place, std::move(pages), bytes);
  }

  std::uint64_t rest_of_group() const { return std::min(group_end_, size_) - next_.bytes; }

  std::unique_ptr<codec::Piece> piece_of_damage(const Error& error, std::uint64_t bytes) {
    next_.bytes += bytes;
    return std::make_unique<LastPiece>(error, bytes, std::nullopt);
  }

  /// Goes to the beginning of a piece.
  void restart(const Place& place) {
    next_ = place;
    if (place.page_offset == 0) return;
    if (place.group >= table_->metadata.groups.size()) throw changed();
    next_.row = 0;
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i < place.group; ++i) {
      for (const Chunk& chunk : table_->metadata.groups[i].chunks) whole += chunk.bytes;
    }
    next_.bytes = std::min(size_, whole);
    begin_group();
    next_.bytes = place.bytes;
    // The piece begins at a page that is found again by walking there.
    for (;;) {
      parquet::PageWalk before = *walk_;
      const auto page = next_page();
      if (!page) throw changed();
      if (page->offset == place.page_offset) {
        *walk_ = before;
        return;
      }
      next_.row += page->values;
    }
  }

  Error changed() const { return Error("has changed since the run began", at(table_->file.path())); }

  std::shared_ptr<const ParquetFile> table_;
  std::uint64_t size_;
  Place next_;                   // where the next piece begins
  std::uint64_t group_end_ = 0;  // Place::bytes after the group
  std::optional<parquet::PageWalk> walk_;
  std::shared_ptr<GroupRows> rows_;
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<codec::PieceReader> open_parquet(const base::File& file, const codec::RestartPoint& from) {
  return std::make_unique<ParquetReader>(file, from);
}

}  // namespace shardmill::shard
