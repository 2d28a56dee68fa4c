#include "dataset/environment.hpp"

#include <algorithm>

#include "archive/container.hpp"
#include "audio/flac_writer.hpp"
#include "audio/resample.hpp"
#include "audio/sndfile.hpp"
#include "base/version.hpp"
#include "codec/library_versions.hpp"
#include "dataset/indexes/sqlite_file.hpp"
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
  versions.emplace_back("tbb", pipeline::tbb_version());
  std::sort(versions.begin(), versions.end());
  versions.emplace(versions.begin(), "shardmill", base::version());
  return versions;
}

}  // namespace shardmill::dataset
