#include "source/shared_tree.hpp"

#include <mutex>
#include <utility>

namespace shardmill::source {

namespace {

class SharedTree final : public TreeCorpus {
 public:
  explicit SharedTree(std::shared_ptr<TreeCorpus> tree) : tree_(std::move(tree)) {}

  // These go by the path alone.
  Role role(std::string_view path) const override { return tree_->role(path); }
  std::string_view awaited(std::string_view path) const override { return tree_->awaited(path); }
  Above above(std::string_view name) const override { return tree_->above(name); }
  Packed packed() const override { return tree_->packed(); }
  Packed packed_as(std::string_view packed_name) const override { return tree_->packed_as(packed_name); }
  bool is_pack(std::string_view path) const override { return tree_->is_pack(path); }
  std::string packed_name(std::string_view path) const override { return tree_->packed_name(path); }
  bool loses_by_key() const override { return tree_->loses_by_key(); }

  void read(const TreeText&) override {}
  void all_read() override {}
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    const std::lock_guard lock(mutex_);
    return tree_->find(audio);
  }
  bool take_link(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    return tree_->take_link(path);
  }
  void report_rest(const Lose& lose) const override {
    const std::lock_guard lock(mutex_);
    tree_->report_rest(lose);
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const std::lock_guard lock(mutex_);
    return tree_->belongs_to(key, packed_name);
  }

 private:
  std::shared_ptr<TreeCorpus> tree_;
  mutable std::mutex mutex_;
};

}  // namespace

std::shared_ptr<TreeCorpus> share_tree(std::shared_ptr<TreeCorpus> tree) {
  return std::make_shared<SharedTree>(std::move(tree));
}

}  // namespace shardmill::source
