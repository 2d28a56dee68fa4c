// IndexKind: the index files that other projects' loaders want besides shards.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::manifest {

enum class IndexKind {
  wids,
  dali,
  energon,
  speechbrain,
  amphion,
  lhotse,
  kaldi,
  shar,
  huggingface,
  nemo,
  mds,
  funasr,
  parquet
};

inline constexpr std::array kAllIndexKinds{
    IndexKind::wids,   IndexKind::dali,   IndexKind::energon, IndexKind::speechbrain, IndexKind::amphion,
    IndexKind::lhotse, IndexKind::kaldi,  IndexKind::shar,    IndexKind::huggingface, IndexKind::nemo,
    IndexKind::mds,    IndexKind::funasr, IndexKind::parquet};

/// "wids" and so on.
std::string_view name(IndexKind kind);
std::optional<IndexKind> index_kind_by_name(std::string_view name);
/// "wids,dali", or "none".
std::string names(const std::vector<IndexKind>& kinds);
/// Reads what names() wrote; nullopt for anything else.
std::optional<std::vector<IndexKind>> index_kinds_by_names(std::string_view names);

/// True when the index contains places in the plain tar, so that it is useless for compressed shards.
bool needs_plain_tar(IndexKind kind);
/// True when the index is made from manifests, which only shards made by shardmill have.
bool needs_manifests(IndexKind kind);

/// The kind that has a file of this name in the folder of a dataset, the first of two; nullopt: none has.
std::optional<IndexKind> index_kind_of(std::string_view file);

}  // namespace shardmill::manifest
