#include "dataset/environment.hpp"

#include <algorithm>

#include "archive/container.hpp"
#include "audio/ffmpeg.hpp"
#include "audio/flac.hpp"
#include "audio/resample.hpp"
#include "audio/sndfile.hpp"
#include "base/version.hpp"
#include "codec/codec.hpp"
#include "dataset/forms/sqlite_file.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

base::LibraryVersions all_versions(const base::LibraryVersions& more) {
  base::LibraryVersions versions = base::library_versions();
  const base::LibraryVersions codecs = codec::library_versions();
  versions.insert(versions.end(), codecs.begin(), codecs.end());
  versions.insert(versions.end(), more.begin(), more.end());
  versions.emplace_back("libflac", audio::libflac_version());
  versions.emplace_back("libsndfile", audio::libsndfile_version());
  versions.emplace_back("libsoxr", audio::libsoxr_version());
  versions.emplace_back("libarchive", archive::libarchive_version());
  versions.emplace_back("libsqlite3", libsqlite3_version());
  if (const std::string ffmpeg = audio::used_ffmpeg_version(); !ffmpeg.empty())
    versions.emplace_back("ffmpeg", ffmpeg);
  versions.emplace_back("tbb", pipeline::tbb_version());
  std::sort(versions.begin(), versions.end());
  versions.emplace(versions.begin(), "shardmill", base::version());
  return versions;
}

std::vector<std::pair<std::string, std::string>> not_built_in() {
  auto missing = codec::missing_libraries();
  if (!audio::sndfile_reads_mpeg()) {
    missing.emplace_back("MP3", "its samples cannot be decoded; libsndfile can from version 1.1 on");
  }
  return missing;
}

}  // namespace shardmill::dataset
