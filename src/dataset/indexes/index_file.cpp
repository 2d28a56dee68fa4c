#include "dataset/indexes/index_file.hpp"

#include <utility>

namespace shardmill::dataset {

manifest::Checksum write_whole(const std::string& folder, std::string name, std::string_view text) {
  IndexFile file(folder, std::move(name));
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
