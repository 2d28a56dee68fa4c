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

manifest::Checksum write_whole(const std::string& folder, std::string name, std::string_view text) {
  SummedFile file(folder, std::move(name));
  file.write(text);
  return file.commit();
}

GrowingList::GrowingList(const std::string& folder, std::string name, std::string_view brackets)
    : file_(folder, std::move(name)), end_(brackets.substr(1)) {
  file_.write(brackets.substr(0, 1));
}

void GrowingList::add(std::string_view entry) {
  file_.write(entries_++ == 0 ? "\n" : ",\n");
  file_.write(entry);
}

manifest::Checksum GrowingList::commit() {
  file_.write("\n");
  file_.write(end_);
  file_.write("\n");
  return file_.commit();
}

}  // namespace shardmill::dataset
