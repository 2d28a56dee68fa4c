#include "dataset/loader_limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace shardmill::dataset {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

// NeMo: nemo/collections/common/data/lhotse/nemo_adapters.py, audio[^/]*_(\d+)[^/]*\.tar
bool has_nemo_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t end = name.rfind(".tar");
  const std::size_t audio = name.find("audio");
  if (end == std::string_view::npos || audio == std::string_view::npos || audio > end) return false;
  name = name.substr(audio, end - audio);
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == '_' && is_digit(name[i + 1])) return true;
  }
  return false;
}

bool is_foreign_container(std::string_view container) {
  constexpr std::array<std::string_view, 19> kForeign{
      "mp4", "m4a", "m4b",      "mov", "3gp", "aac", "webm", "mkv",    "mka", "asf",
      "wma", "wmv", "matroska", "amr", "awb", "avi", "flv",  "mpegts", "ts"};
  return std::find(kForeign.begin(), kForeign.end(), container) != kForeign.end();
}

std::vector<LoaderLimit> loader_limits(const ShardForm& form) {
  std::vector<LoaderLimit> limits;
  if (form.codec == codec::Codec::zstd || form.codec == codec::Codec::lz4) {
    limits.push_back({.id = "codec",
                      .loader = "WeNet and NeMo",
                      .text = fmt::format("they cannot read {} and skip every shard without an error",
                                          codec::name(form.codec))});
  }
  if (!has_nemo_name(fmt::format("{}_0.tar", form.prefix))) {
    limits.push_back({.id = "prefix",
                      .loader = "NeMo's Lhotse reader",
                      .text = "it reads only shards with names like audio_0.tar"});
  }
  if (form.containers.size() > 1) {
    limits.push_back({.id = "mixed_containers",
                      .loader = "Hugging Face datasets",
                      .text = fmt::format("it stops if the first five samples mix {}",
                                          fmt::join(form.containers, " and "))});
  }
  std::vector<std::string_view> foreign;
  for (const std::string& container : form.containers) {
    if (is_foreign_container(container)) foreign.push_back(container);
  }
  if (!foreign.empty()) {
    limits.push_back(
        {.id = "foreign_audio",
         .loader = "loaders that decode with libsndfile (NeMo, Lhotse, DALI and soundfile)",
         .text = fmt::format("they cannot decode {}; loaders with FFmpeg can (torchcodec, and torchaudio "
                             "where it was built with it)",
                             fmt::join(foreign, " and "))});
  }
  if (form.has_text_members) {
    limits.push_back(
        {.id = "text_members",
         .loader = "NeMo's Lhotse reader",
         .text = "with .txt members in the shards, slice_length and max_open_streams drop samples"});
  }
  return limits;
}

}  // namespace shardmill::dataset
