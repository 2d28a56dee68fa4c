#include "manifest/index_kind.hpp"

#include <algorithm>

namespace shardmill::manifest {

namespace {

constexpr std::string_view kNone = "none";

}  // namespace

std::string_view name(IndexKind kind) {
  switch (kind) {
    case IndexKind::wids:
      return "wids";
    case IndexKind::dali:
      return "dali";
    case IndexKind::energon:
      return "energon";
    case IndexKind::speechbrain:
      return "speechbrain";
    case IndexKind::amphion:
      return "amphion";
    case IndexKind::lhotse:
      return "lhotse";
    case IndexKind::kaldi:
      return "kaldi";
    case IndexKind::shar:
      return "shar";
    case IndexKind::huggingface:
      break;
  }
  return "huggingface";
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
  return kind != IndexKind::amphion;
}

bool needs_manifests(IndexKind kind) {
  switch (kind) {
    case IndexKind::speechbrain:
    case IndexKind::amphion:
    case IndexKind::kaldi:
    case IndexKind::shar:
    case IndexKind::huggingface:
      return true;
    default:
      return false;
  }
}

}  // namespace shardmill::manifest
