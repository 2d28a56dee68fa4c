#include "manifest/index_kind.hpp"

#include <algorithm>
#include <array>

#include "manifest/form_names.hpp"
#include "manifest/layout.hpp"
#include "manifest/loader_index.hpp"
#include "manifest/recipe_list.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::string_view kNone = "none";

bool is_below(std::string_view file, std::string_view folder) {
  return file.size() > folder.size() && file.starts_with(folder) && file[folder.size()] == '/';
}

bool is_beside(std::string_view file, std::string_view folder) {
  return is_below(file, folder) && file.ends_with(".idx");
}

bool is_beside_tar(std::string_view file) {
  return is_beside(file, kShardFolder) && file.ends_with(".tar.idx");
}

struct Kind {
  IndexKind kind;
  std::string_view name;
  bool needs_plain_tar;
  bool needs_manifests;
  bool (*has)(std::string_view file);  // Lhotse's files beside the tars are Energon's
};

constexpr std::array<Kind, kAllIndexKinds.size()> kKinds{{
    {IndexKind::wids, "wids", true, false, [](std::string_view file) { return file == kWidsIndex; }},
    {IndexKind::dali, "dali", true, false,
     [](std::string_view file) { return is_beside(file, kShardFolder) && !is_beside_tar(file); }},
    {IndexKind::energon, "energon", true, false,
     [](std::string_view file) { return is_below(file, kEnergonFolder) || is_beside_tar(file); }},
    {IndexKind::speechbrain, "speechbrain", true, true,
     [](std::string_view file) { return file == kSpeechBrainList || file == kSpeechBrainTable; }},
    {IndexKind::amphion, "amphion", false, true,
     [](std::string_view file) { return is_below(file, kAmphionFolder); }},
    {IndexKind::lhotse, "lhotse", true, false,
     [](std::string_view file) {
       return is_beside(file, kManifestFolder) || file == lhotse_index_name(kAllSamples) ||
              is_beside(file, kLhotseFolder);
     }},
    {IndexKind::kaldi, "kaldi", true, true,
     [](std::string_view file) { return is_below(file, kKaldiFolder); }},
    {IndexKind::shar, "shar", true, true, [](std::string_view file) { return is_below(file, kSharFolder); }},
    {IndexKind::huggingface, "huggingface", true, true,
     [](std::string_view file) { return file == kCard || file == kCroissant; }},
    {IndexKind::nemo, "nemo", true, true, [](std::string_view file) { return is_below(file, kNemoFolder); }},
    {IndexKind::mds, "mds", true, true, [](std::string_view file) { return is_below(file, kMdsFolder); }},
    {IndexKind::funasr, "funasr", false, true,
     [](std::string_view file) { return file == kFunasrList || file == kFunasrNanoList; }},
    {IndexKind::parquet, "parquet", true, true,
     [](std::string_view file) { return is_below(file, kParquetFolder); }},
}};

constexpr bool each_stands_at_its_number() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].kind != kAllIndexKinds[i] || static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(each_stands_at_its_number());

const Kind& of(IndexKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view name(IndexKind kind) {
  return of(kind).name;
}

std::optional<IndexKind> index_kind_by_name(std::string_view wanted) {
  const auto found = std::find_if(kAllIndexKinds.begin(), kAllIndexKinds.end(),
                                  [&](IndexKind kind) { return name(kind) == wanted; });
  return found == kAllIndexKinds.end() ? std::nullopt : std::optional(*found);
}

std::string names(const std::vector<IndexKind>& kinds) {
  std::string text;
  for (const IndexKind kind : kinds) {
    if (!text.empty()) text += ',';
    text += name(kind);
  }
  return text.empty() ? std::string(kNone) : text;
}

std::optional<std::vector<IndexKind>> index_kinds_by_names(std::string_view names) {
  std::vector<IndexKind> kinds;
  if (names == kNone) return kinds;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const auto kind = index_kind_by_name(names.substr(begin, end - begin));
    if (!kind) return std::nullopt;
    if (std::find(kinds.begin(), kinds.end(), *kind) == kinds.end()) kinds.push_back(*kind);
    begin = end + 1;
  }
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

bool needs_plain_tar(IndexKind kind) {
  return of(kind).needs_plain_tar;
}

bool needs_manifests(IndexKind kind) {
  return of(kind).needs_manifests;
}

std::optional<IndexKind> index_kind_of(std::string_view file) {
  for (const Kind& kind : kKinds) {
    if (kind.has(file)) return kind.kind;
  }
  return std::nullopt;
}

}  // namespace shardmill::manifest
