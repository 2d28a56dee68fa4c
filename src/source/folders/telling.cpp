#include "source/folders/telling.hpp"

#include <utility>

#include "base/io/file.hpp"
#include "source/archive_entries.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

bool is_remark(const TreeCorpus& corpus, std::string_view path) {
  return corpus.above(path.substr(path.rfind('/') + 1)) == TreeCorpus::Above::remarks;
}

}  // namespace

bool Telling::add(const std::string& archive) {
  const std::unique_ptr<TreeCorpus> corpus = corpus_->make({});
  const auto tells = [&](std::string_view path) {
    return corpus->role(path) == TreeCorpus::Role::text &&
           (is_remark(*corpus, path) || corpus->loses_by_key());
  };
  base::File file = base::File::open_read(archive);
  const auto entries = open_entries(file, {.wanted = tells, .limit_bytes = text_limit_bytes(file.size())});
  const std::size_t before = told_->size();
  std::vector<ArchiveItem> items;
  for (bool more = true; more;) {
    items.clear();
    more = entries->read(items);
    for (ArchiveItem& item : items) {
      if (const auto* error = std::get_if<Error>(&item)) throw Error(*error);
      auto& entry = std::get<ArchiveEntry>(item);
      std::string bytes(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
      std::string content = text_content(std::move(bytes), entry.place);
      has_transcripts_ = has_transcripts_ || !is_remark(*corpus, entry.path);
      told_->push_back(
          {.path = std::move(entry.path), .place = std::move(entry.place), .content = std::move(content)});
    }
  }
  return told_->size() > before;
}

std::function<void(const LoseUtterance&)> Telling::promised() {
  if (!has_transcripts_) return {};
  ArchivedTree tree = *archived_tree(*corpus_, options_);
  tell(tree);
  const std::shared_ptr<TreeCorpus> corpus = tree.begin();
  corpus->all_read();
  promised_ = std::make_shared<shard::KeySet>();
  corpus->report_rest([&](const LostAudio& lost) { promised_->insert(lost.key); });
  return [corpus](const LoseUtterance& lose) { corpus->report_rest(lose); };
}

void Telling::tell(ArchivedTree& tree) const {
  if (told_->empty()) return;
  tree.begin = [begin = tree.begin, told = told_] {
    std::shared_ptr<TreeCorpus> corpus = begin();
    for (const Told& text : *told)
      corpus->read({.path = text.path, .place = text.place, .content = text.content});
    return corpus;
  };
  tree.promised = promised_;
}

}  // namespace shardmill::source
