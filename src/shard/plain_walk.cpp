#include "shard/plain_walk.hpp"

#include <algorithm>
#include <string_view>

#include "archive/tar_parser.hpp"
#include "base/error.hpp"

namespace shardmill::shard {

namespace {

/// The dot that ends the key; npos for a name without one, and for a name that a loader skips.
std::size_t key_end(std::string_view name) {
  const std::size_t base = name.rfind('/') + 1;  // 0 without a slash
  const std::size_t dot = name.find('.', base);
  const bool is_meta = name.starts_with("__");
  return dot == base || is_meta ? std::string_view::npos : dot;
}

bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
}

}  // namespace

ShardLayout layout_of(const base::File& tar) {
  archive::TarWalk walk = archive::walk_tar(tar);
  ShardLayout layout{.samples = {}, .end_offset = walk.end_offset};
  std::string_view last_key;
  for (archive::TarWalk::Place& file : walk.files) {
    const std::size_t dot = key_end(file.name);
    if (dot == std::string_view::npos || std::any_of(file.name.begin(), file.name.end(), is_blank)) {
      throw Error("loaders read this name in different ways, so no index fits them all",
                  {.path = tar.path(), .member = file.name, .offset = file.header_offset},
                  "shardmill repack gives it a name that all loaders read in the same way");
    }
    const std::string_view key = std::string_view(file.name).substr(0, dot);
    if (layout.samples.empty() || key != last_key)
      layout.samples.push_back({.header_offset = file.header_offset, .members = {}});
    last_key = key;
    layout.samples.back().members.push_back({.name = file.name,
                                             .is_name_in_header = file.is_name_in_header,
                                             .extension = file.name.substr(dot + 1),
                                             .offset = file.offset,
                                             .bytes = file.bytes});
  }
  return layout;
}

namespace {

// If one block follows another, more are read at once, up to this number of bytes.
constexpr std::size_t kMostWindowBytes = std::size_t{64} << 10;

}  // namespace

PlainWalk::PlainWalk(const base::File& file, KeyRule rule, std::uint64_t member_limit_bytes)
    : file_(file),
      file_bytes_(file.size()),
      member_limit_bytes_(member_limit_bytes),
      grouper_(*this, rule),
      members_(*this),
      parser_(members_, member_limit_bytes) {}

std::optional<PlainWalk::Item> PlainWalk::next() {
  while (found_.empty() && !is_at_end_) step();
  if (found_.empty()) return std::nullopt;
  Item item = std::move(found_.front());
  found_.pop_front();
  return item;
}

void PlainWalk::step() {
  const std::uint64_t left = file_bytes_ - parser_.offset();
  if (left == 0) {
    parser_.finish();
    grouper_.finish(parser_.offset());
    is_at_end_ = true;
  } else if (const std::uint64_t skippable = parser_.skippable(); skippable > 0) {
    parser_.skip(std::min(skippable, left));
  } else {
    feed_block();
  }
}

void PlainWalk::feed_block() {
  const std::uint64_t offset = parser_.offset();
  const std::uint64_t window_end = window_begin_ + window_.size();
  if (offset < window_begin_ || offset >= window_end) {
    const bool goes_on = offset == window_end && !window_.empty();
    const std::size_t wanted =
        goes_on ? std::min(2 * window_.size(), kMostWindowBytes) : archive::kTarBlockBytes;
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, file_bytes_ - offset)));
    window_begin_ = offset;
    if (file_.read_at(window_, offset) < window_.size())
      throw Error("the file became shorter while it was read", {.path = file_.path(), .offset = offset});
  }
  const auto rest =
      std::span(std::as_const(window_)).subspan(static_cast<std::size_t>(offset - window_begin_));
  parser_.feed(rest.first(std::min(rest.size(), archive::kTarBlockBytes)));
}

void PlainWalk::on_sample(GroupedSample&& sample) {
  FoundSample found{.grouped = std::move(sample), .sizes = {}};
  for (const Member& member : found.grouped.sample.members) {
    while (sizes_.front().first != member.tar_offset) sizes_.pop_front();  // of members without a key
    found.sizes.push_back(sizes_.front().second);
    sizes_.pop_front();
  }
  found_.emplace_back(std::move(found));
}

void PlainWalk::on_finding(ShardFinding&& finding) {
  if (!grouper_.tells(finding)) found_.emplace_back(std::move(finding));
}

void PlainWalk::Members::on_member(archive::TarMember&& member) {
  walk_.sizes_.emplace_back(member.tar_offset, 0);
  walk_.grouper_.on_member(std::move(member));
}

void PlainWalk::Members::on_finding(ShardFinding&& finding) {
  walk_.grouper_.on_finding(std::move(finding));
}

bool PlainWalk::Members::takes_parts(const archive::TarMember& member, std::uint64_t size) {
  if (size > walk_.member_limit_bytes_) return false;
  coming_ = {.name = member.name,
             .header_offset = member.header_offset,
             .tar_offset = member.tar_offset,
             .bytes = {}};
  walk_.sizes_.emplace_back(member.tar_offset, size);
  return true;
}

void PlainWalk::Members::on_parts_end(bool is_whole) {
  if (is_whole) walk_.grouper_.on_member(std::move(coming_));
}

}  // namespace shardmill::shard
