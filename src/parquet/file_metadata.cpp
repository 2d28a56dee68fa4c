#include "parquet/file_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"
#include "parquet/compact.hpp"

namespace shardmill::parquet {

namespace {

using Type = CompactReader::Type;

constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::size_t kTailBytes = 8;  // the size of the footer, and the magic
constexpr std::uint64_t kMostFooterBytes = std::uint64_t{256} << 20;
constexpr std::size_t kDeepestColumn = 32;

bool is_magic(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), base::as_bytes(magic));
}

std::uint64_t checked_size(std::int64_t value, std::string_view what) {
  if (value < 0) throw Error(fmt::format("{} is negative", what));
  return static_cast<std::uint64_t>(value);
}

template <typename Kind>
Kind checked_kind(std::int64_t value, Kind last, std::string_view what) {
  if (value < 0 || value > static_cast<std::int64_t>(last)) throw Error(fmt::format("{} is unknown", what));
  return static_cast<Kind>(value);
}

/// An element of the schema as it is written.
struct Element {
  SchemaNode node;
  bool has_type = false;
  std::uint64_t children = 0;
};

struct ConvertedType {
  Meaning meaning = Meaning::plain;
  Unit unit = Unit::milliseconds;
};

ConvertedType converted_type(std::int64_t number) {
  switch (number) {
    case 0:  // UTF8
    case 4:  // ENUM
      return {Meaning::text};
    case 1:
    case 2:
      return {Meaning::map};
    case 3:
      return {Meaning::list};
    case 5:
      return {Meaning::decimal};
    case 6:
      return {Meaning::date};
    case 7:
      return {Meaning::time, Unit::milliseconds};
    case 8:
      return {Meaning::time, Unit::microseconds};
    case 9:
      return {Meaning::timestamp, Unit::milliseconds};
    case 10:
      return {Meaning::timestamp, Unit::microseconds};
    case 11:
    case 12:
    case 13:
    case 14:
      return {Meaning::unsigned_integer};
    case 19:
      return {Meaning::json};
    default:
      return {};
  }
}

class FooterReader {
 public:
  explicit FooterReader(std::span<const std::byte> footer) : in_(footer) {}

  FileMetadata read() {
    std::optional<std::uint64_t> rows;
    in_.fields([&](int field, Type type) {
      switch (field) {
        case 2:
          return in_.elements(type, [&](Type element) { read_element(element); });
        case 3:
          rows = checked_size(in_.integer(type), "its number of rows");
          return;
        case 4:
          return in_.elements(type, [&](Type element) { read_group(element); });
        case 5:
          return in_.elements(type, [&](Type element) { read_note(element); });
        case 8:
          throw Error("is encrypted, and encrypted columns are not read");
        default:
          in_.skip(type);
      }
    });
    if (!rows) throw Error("does not say how many rows the file has");
    file_.rows = *rows;
    make_tree();
    check_groups();
    return std::move(file_);
  }

 private:
  void read_element(Type type) {
    Element element;
    SchemaNode& node = element.node;
    bool has_logical_type = false;
    in_.fields(type, [&](int field, Type kind) {
      switch (field) {
        case 1:
          node.type = checked_kind(in_.integer(kind), Physical::fixed_bytes, "the type of a column");
          element.has_type = true;
          return;
        case 2:
          node.fixed_bytes = static_cast<std::uint32_t>(
              std::min<std::uint64_t>(checked_size(in_.integer(kind), "a size"), UINT32_MAX));
          return;
        case 3:
          node.repetition =
              checked_kind(in_.integer(kind), Repetition::repeated, "the repetition of a column");
          return;
        case 4:
          node.name = in_.text(kind);
          return;
        case 5:
          element.children = checked_size(in_.integer(kind), "a number of columns");
          return;
        case 6: {
          const ConvertedType converted = converted_type(in_.integer(kind));
          if (has_logical_type) return;
          node.meaning = converted.meaning;
          node.unit = converted.unit;
          node.is_utc = true;
          return;
        }
        case 7:
          node.scale = static_cast<std::int32_t>(in_.integer(kind));
          return;
        case 10:
          has_logical_type = read_logical_type(kind, node);
          return;
        default:
          in_.skip(kind);
      }
    });
    elements_.push_back(std::move(element));
  }

  /// False for a type that is not known here, as of a newer version.
  bool read_logical_type(Type type, SchemaNode& node) {
    bool is_known = false;
    const auto set = [&](Meaning meaning) {
      node.meaning = meaning;
      is_known = true;
    };
    in_.fields(type, [&](int member, Type kind) {
      switch (member) {
        case 1:
        case 4:
          set(Meaning::text);
          break;
        case 2:
          set(Meaning::map);
          break;
        case 3:
          set(Meaning::list);
          break;
        case 5:
          set(Meaning::decimal);
          in_.fields(kind, [&](int field, Type inner) {
            if (field == 1) return void(node.scale = static_cast<std::int32_t>(in_.integer(inner)));
            in_.skip(inner);
          });
          return;
        case 6:
          set(Meaning::date);
          break;
        case 7:
        case 8:
          set(member == 7 ? Meaning::time : Meaning::timestamp);
          return read_time(kind, node);
        case 10:
          set(Meaning::plain);
          in_.fields(kind, [&](int field, Type inner) {
            if (field != 2) return in_.skip(inner);
            if (!in_.truth(inner)) node.meaning = Meaning::unsigned_integer;
          });
          return;
        case 12:
          set(Meaning::json);
          break;
        case 14:
          set(Meaning::uuid);
          break;
        case 15:
          set(Meaning::float16);
          break;
        default:
          break;
      }
      in_.skip(kind);
    });
    return is_known;
  }

  void read_time(Type type, SchemaNode& node) {
    node.is_utc = false;
    in_.fields(type, [&](int field, Type kind) {
      if (field == 1) return void(node.is_utc = in_.truth(kind));
      if (field != 2) return in_.skip(kind);
      in_.fields(kind, [&](int unit, Type inner) {
        constexpr std::array kUnits{Unit::milliseconds, Unit::microseconds, Unit::nanoseconds};
        if (unit < 1 || unit > 3) throw Error("a time has an unknown unit");
        node.unit = kUnits[static_cast<std::size_t>(unit - 1)];
        in_.skip(inner);
      });
    });
  }

  void read_group(Type type) {
    RowGroup group;
    std::optional<std::uint64_t> rows;
    in_.fields(type, [&](int field, Type kind) {
      if (field == 1) return in_.elements(kind, [&](Type element) { read_chunk(element, group); });
      if (field == 3) return void(rows = checked_size(in_.integer(kind), "the number of rows of a group"));
      in_.skip(kind);
    });
    if (!rows) throw Error("does not say how many rows a group has");
    group.rows = *rows;
    file_.groups.push_back(std::move(group));
  }

  void read_chunk(Type type, RowGroup& group) {
    std::optional<Chunk> chunk;
    in_.fields(type, [&](int field, Type kind) {
      switch (field) {
        case 1:
          if (!in_.text(kind).empty()) throw Error("has columns in other files, which are not read");
          return;
        case 3:
          chunk = read_chunk_metadata(kind);
          return;
        case 8:
        case 9:
          throw Error("is encrypted, and encrypted columns are not read");
        default:
          in_.skip(kind);
      }
    });
    if (!chunk) throw Error("does not say where a column is");
    group.chunks.push_back(*chunk);
  }

  Chunk read_chunk_metadata(Type type) {
    Chunk chunk;
    std::uint64_t dictionary = 0;
    bool has_place = false;
    in_.fields(type, [&](int field, Type kind) {
      const auto number = [&](std::string_view what) { return checked_size(in_.integer(kind), what); };
      switch (field) {
        case 1:
          types_.push_back(checked_kind(in_.integer(kind), Physical::fixed_bytes, "the type of a column"));
          return;
        case 4:
          chunk.packing = checked_kind(in_.integer(kind), Packing::lz4, "the compression of a column");
          return;
        case 5:
          chunk.values = number("the number of values of a column");
          return;
        case 6:
          chunk.plain_bytes = number("the size of a column");
          return;
        case 7:
          chunk.bytes = number("the size of a column");
          return;
        case 9:
          chunk.begin = number("the place of a column");
          has_place = true;
          return;
        case 11:
          dictionary = number("the place of a dictionary");
          return;
        default:
          in_.skip(kind);
      }
    });
    if (!has_place) throw Error("does not say where a column is");
    // Some writers say 0 when there is no dictionary.
    if (dictionary > 0) chunk.begin = std::min(chunk.begin, dictionary);
    return chunk;
  }

  void read_note(Type type) {
    std::string key;
    std::string value;
    in_.fields(type, [&](int field, Type kind) {
      if (field == 1) return void(key = in_.text(kind));
      if (field == 2) return void(value = in_.text(kind));
      in_.skip(kind);
    });
    file_.notes.emplace_back(std::move(key), std::move(value));
  }

  void make_tree() {
    if (elements_.empty()) throw Error("names no columns");
    elements_.front().node.repetition = Repetition::required;
    if (elements_.front().has_type) throw Error("its first element should be the table, and is a column");
    add_node(0, 0, 0);
    if (file_.nodes.size() != elements_.size()) throw Error("has columns that belong to nothing");
    if (file_.leaves.empty()) throw Error("names no columns");
  }

  /// The next element, and all below it. Returns the number of its node.
  std::size_t add_node(std::uint32_t definition, std::uint32_t repeats, std::size_t depth) {
    if (file_.nodes.size() >= elements_.size()) throw Error("names fewer columns than it says");
    if (depth > kDeepestColumn) throw Error("its columns are nested too deeply");
    const std::size_t number = file_.nodes.size();
    const Element& element = elements_[number];
    SchemaNode node = element.node;
    if (node.repetition != Repetition::required) ++definition;
    if (node.repetition == Repetition::repeated) ++repeats;
    node.definition = definition;
    node.repeats = repeats;
    const bool is_leaf = element.children == 0;
    if (is_leaf && number > 0) {
      if (!element.has_type) throw Error(fmt::format("the column '{}' has no type", printable(node.name)));
      if (node.type == Physical::fixed_bytes && node.fixed_bytes == 0)
        throw Error(fmt::format("the column '{}' has values of no size", printable(node.name)));
      node.leaf = file_.leaves.size();
      file_.leaves.push_back(number);
    }
    file_.nodes.push_back(std::move(node));
    for (std::uint64_t i = 0; i < element.children; ++i) {
      const std::size_t child = add_node(definition, repeats, depth + 1);
      file_.nodes[number].children.push_back(child);
    }
    return number;
  }

  void check_groups() const {
    std::uint64_t rows = 0;
    std::size_t chunk = 0;
    for (const RowGroup& group : file_.groups) {
      if (group.chunks.size() != file_.leaves.size())
        throw Error(fmt::format("a group of rows has {} columns, and the table has {}", group.chunks.size(),
                                file_.leaves.size()));
      for (std::size_t leaf = 0; leaf < group.chunks.size(); ++leaf, ++chunk) {
        if (chunk >= types_.size() || types_[chunk] != file_.leaf(leaf).type)
          throw Error(
              fmt::format("a group of rows has another type in the column '{}'", file_.path_of(leaf)));
        const bool is_flat = file_.leaf(leaf).repeats == 0;
        if (is_flat && group.chunks[leaf].values != group.rows)
          throw Error(fmt::format("a group of {} rows has {} values in the column '{}'", group.rows,
                                  group.chunks[leaf].values, file_.path_of(leaf)));
      }
      if (rows + group.rows < rows) throw Error("its groups have too many rows");
      rows += group.rows;
    }
    if (rows != file_.rows)
      throw Error(fmt::format("says that the file has {} rows, and its groups have {}", file_.rows, rows));
  }

  CompactReader in_;
  FileMetadata file_;
  std::vector<Element> elements_;
  std::vector<Physical> types_;  // of all chunks
};

void check_places(const FileMetadata& metadata) {
  for (const RowGroup& group : metadata.groups) {
    for (std::size_t leaf = 0; leaf < group.chunks.size(); ++leaf) {
      const Chunk& chunk = group.chunks[leaf];
      const bool is_inside = chunk.begin >= kMagic.size() && chunk.begin <= metadata.footer_begin &&
                             chunk.bytes <= metadata.footer_begin - chunk.begin;
      if (!is_inside)
        throw Error(fmt::format("the column '{}' should be at bytes {} to {}, which are not in the data",
                                metadata.path_of(leaf), chunk.begin, chunk.begin + chunk.bytes));
    }
  }
}

FileMetadata read_footer(std::span<const std::byte> footer, const std::string& path, std::uint64_t begin) {
  try {
    FileMetadata metadata = FooterReader(footer).read();
    metadata.footer_begin = begin;
    check_places(metadata);
    return metadata;
  } catch (const Error& error) {
    throw Error("its Parquet footer is damaged: " + error.problem(), {.path = path, .offset = begin});
  }
}

}  // namespace

std::string FileMetadata::path_of(std::size_t leaf) const {
  std::string path;
  std::size_t at = 0;
  while (at != leaves[leaf]) {
    // Nodes are numbered in depth-first order.
    const auto& children = nodes[at].children;
    at = *(std::upper_bound(children.begin(), children.end(), leaves[leaf]) - 1);
    path += (path.empty() ? "" : ".") + printable(nodes[at].name);
  }
  return path;
}

bool has_parquet_magic(std::span<const std::byte> first) {
  return is_magic(first, kMagic) || is_magic(first, kEncryptedMagic);
}

FileMetadata read_file_metadata(const base::File& file) {
  const std::uint64_t size = file.size();
  const auto damage = [&](std::string problem, std::uint64_t offset) {
    return Error(std::move(problem), {.path = file.path(), .offset = offset});
  };
  std::array<std::byte, kTailBytes> tail{};
  if (size < kMagic.size() + kTailBytes || file.read_at(tail, size - kTailBytes) != kTailBytes)
    throw damage("is too short for a Parquet file", 0);
  const auto magic = std::span(tail).last(kMagic.size());
  if (is_magic(magic, kEncryptedMagic)) throw damage("is an encrypted Parquet file, which is not read", 0);
  if (!is_magic(magic, kMagic))
    throw damage("is no whole Parquet file: it does not end with PAR1, so it may have been cut", size);
  const std::uint64_t bytes = little_endian(std::span(tail).first(kTailBytes - kMagic.size()));
  if (bytes > size - kTailBytes - kMagic.size())
    throw damage(fmt::format("its Parquet footer should have {} bytes, and the file has {}", bytes, size),
                 size - kTailBytes);
  if (bytes > kMostFooterBytes)
    throw damage(
        fmt::format("its Parquet footer has {} bytes, and at most {} are read", bytes, kMostFooterBytes),
        size - kTailBytes);
  std::vector<std::byte> footer(static_cast<std::size_t>(bytes));
  const std::uint64_t begin = size - kTailBytes - bytes;
  if (file.read_at(footer, begin) != footer.size())
    throw damage("the file became shorter while it was read", begin);
  return read_footer(footer, file.path(), begin);
}

}  // namespace shardmill::parquet
