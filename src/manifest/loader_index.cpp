#include "manifest/loader_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unordered_set>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

namespace {

using base::JsonWriter;

/// "a/x.tar" -> "a/x"; a name without ".tar" stays as it is.
std::string_view without_tar(std::string_view name) {
  constexpr std::string_view kTar = ".tar";
  if (name.ends_with(kTar)) name.remove_suffix(kTar.size());
  return name;
}

void append_number(std::string& out, std::uint64_t number) {
  for (unsigned shift = 0; shift < 64; shift += 8) out += static_cast<char>(number >> shift & 0xff);
}

}  // namespace

void check_for_wids(const ShardLayout& layout, const std::string& path) {
  constexpr std::string_view kAdvice =
      "leave wids out, or repack: shardmill gives all members short names of their own";
  std::unordered_set<std::string_view> names;
  for (const ShardLayout::Sample& sample : layout.samples) {
    for (const ShardLayout::Member& member : sample.members) {
      const Where where{.path = path, .member = member.name};
      if (!member.is_name_in_header)
        throw Error("wids knows only names of up to 100 bytes in the member's own header", where,
                    std::string(kAdvice));
      if (!names.insert(member.name).second)
        throw Error("wids finds members by their names, and this one is there twice", where,
                    std::string(kAdvice));
    }
  }
}

std::string wids_index(std::vector<IndexedShard> shards) {
  std::sort(shards.begin(), shards.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::string out;
  JsonWriter json(out, JsonWriter::Layout::indented);
  json.begin_object().member("__kind__", "wids-shard-index-v1").member("wids_version", 1);
  json.key("shardlist").begin_array();
  for (const IndexedShard& shard : shards) {
    json.begin_object().member("url", shard.name).member("nsamples", shard.samples);
    json.member("filesize", shard.bytes).end_object();
  }
  json.end_array().end_object();
  return out + '\n';
}

std::string dali_index_name(std::string_view shard_name) {
  return std::string(without_tar(shard_name)) + ".idx";
}

std::string dali_index(const ShardLayout& layout) {
  std::string out = fmt::format("v1.2 {}\n", layout.samples.size());
  for (const ShardLayout::Sample& sample : layout.samples) {
    for (const ShardLayout::Member& member : sample.members) {
      if (&member != &sample.members.front()) out += ' ';
      fmt::format_to(std::back_inserter(out), "{} {} {} {}", member.extension, member.offset, member.bytes,
                     member.name);
    }
    out += '\n';
  }
  return out;
}

std::string energon_index_name(std::string_view shard_name) {
  return std::string(without_tar(shard_name)) + ".tar.idx";
}

std::string energon_index(const ShardLayout& layout) {
  std::string out;
  out.reserve(8 * (layout.samples.size() + 1));
  for (const ShardLayout::Sample& sample : layout.samples) append_number(out, sample.header_offset);
  append_number(out, layout.end_offset);
  return out;
}

std::string energon_info(const std::vector<IndexedShard>& shards) {
  std::string out;
  JsonWriter json(out, JsonWriter::Layout::indented);
  json.begin_object().key("shard_counts").begin_object();
  for (const IndexedShard& shard : shards) json.member(shard.name, shard.samples);
  json.end_object().end_object();
  return out + '\n';
}

std::string energon_split(const std::vector<IndexedShard>& shards) {
  std::string out = "split_parts:\n  train:\n";
  for (const IndexedShard& shard : shards) {
    if (shard.name.find_first_of("{}\\") != std::string::npos)
      throw Error("Energon would take the braces or the backslash in its name for a pattern", at(shard.name),
                  "rename the shard");
    out += "  - ";
    base::append_json_string(out, shard.name);  // YAML reads this, too
    out += '\n';
  }
  return out + "exclude: []\n";
}

std::string energon_dataset() {
  return "__module__: megatron.energon\n__class__: CrudeWebdataset\n";
}

std::string lhotse_index_name(std::string_view file_name) {
  return std::string(file_name) + ".idx";
}

std::string lhotse_rooted_name(std::string_view listed_path) {
  std::string_view path = listed_path;
  if (const std::size_t scheme = path.find("://"); scheme != std::string_view::npos)
    path.remove_prefix(scheme + 3);
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  std::string name = std::filesystem::path(path).lexically_normal().string();
  if (name.starts_with("..") || name.empty())
    throw Error("Lhotse's indexes repeat this path below a folder, and it leads out of the folder",
                at(std::string(listed_path)), "name the place of the dataset without '..'",
                Remedy::list_root);
  return fmt::format("{}/{}.idx", kLhotseFolder, name);
}

std::string lhotse_tar_index(const ShardLayout& layout, std::uint64_t tar_bytes) {
  return lhotse_tar_index(energon_index(layout), tar_bytes);
}

std::string lhotse_tar_index(std::string_view energon_index, std::uint64_t tar_bytes) {
  constexpr std::size_t kNumberBytes = 8;
  std::string out(
      energon_index.substr(0, energon_index.size() - std::min(kNumberBytes, energon_index.size())));
  append_number(out, tar_bytes);
  return out;
}

std::string lhotse_index(std::span<const std::uint64_t> places) {
  std::string out;
  out.reserve(8 * places.size());
  for (const std::uint64_t place : places) append_number(out, place);
  return out;
}

}  // namespace shardmill::manifest
