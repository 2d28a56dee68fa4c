// Downloads: the volumes of a file that was cut, x.zip.partaa, x.zip.partab, x.tar.gz.001, …; and what was
// saved in place of a file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::base {

/// The name of a volume.
struct VolumeName {
  std::string_view
      whole;              // the name of the file that was cut: "x.zip"; "vox1_dev_wav" of vox1_dev_wav_partaa
  std::string_view stem;  // the beginning of the names of all volumes: "x.zip.part"
  std::string_view number;  // "aa" or "001"
};

/// True for x.zip.1 beside x.zip: a download that was repeated, and no part.
bool is_repeated_download(const std::string& path);

/// Reads a file name by its form. nullopt for names that no program gives to volumes.
std::optional<VolumeName> volume_name(std::string_view file_name);

/// The volumes of the file whose first volume is `path`, in their order. Empty if `path` is not a volume, or
/// the only one, or if each of the files is an archive of its own. Throws Error if a volume in the middle is
/// missing or empty, or if `path` is not the first.
std::vector<std::string> volumes_of(const std::string& path);

/// Removes from `paths` the volumes that belong to a first volume among them. A path may have a NAME= in
/// front.
void drop_later_volumes(std::vector<std::string>& paths);

/// The end of a message about a file that ends too early: ", and parts after x.zip.partab may be missing".
/// Empty for files that are no volumes.
std::string words_on_last_volume(const std::string& path);

/// What was saved in place of a file, by its first bytes: "is an HTML page, not the file: ...". Empty if they
/// are no pointer of Git LFS and no page of a web server.
std::string_view saved_instead(std::span<const std::byte> first);

}  // namespace shardmill::base
