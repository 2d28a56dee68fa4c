#include "dataset/summed_file.hpp"

#include <filesystem>
#include <utility>

#include "base/io/folder.hpp"

namespace shardmill::dataset {

SummedFile::SummedFile(const std::string& folder, std::string name) : name_(std::move(name)) {
  const std::string path = base::inside(folder, name_);
  base::make_folders(std::filesystem::path(path).parent_path());
  file_.emplace(path);
}

void SummedFile::write(std::string_view text) {
  hash_.update(base::as_bytes(text));
  file_->write(text);
}

manifest::Checksum SummedFile::commit() {
  file_->commit();
  return {.sha256 = base::to_hex(hash_.digest()), .path = name_};
}

}  // namespace shardmill::dataset
