#include <algorithm>
#include <optional>
#include <utility>

#include "archive/tar_header.hpp"
#include "archive/tar_parser.hpp"
#include "base/error.hpp"

namespace shardmill::archive {

namespace {

constexpr std::size_t kWindowBytes = 4096;  // room for a transcript with its header, and the next header
constexpr std::size_t kNameBytes = 100;
constexpr std::uint64_t kMostExtensionBytes = std::uint64_t{1} << 20;

class Walker {
 public:
  explicit Walker(const base::File& tar) : tar_(tar), size_(tar.size()) {}

  TarWalk run() {
    while (at_ < size_) {
      const TarBlock block = block_at(at_);
      if (is_zero(block)) break;
      const auto header = read_header(block);
      if (!header) throw bad("this is no tar header: its checksum is wrong");
      if (!chain_offset_) chain_offset_ = at_;
      take(*header, name_field(block));
    }
    if (chain_offset_) throw bad("the tar ends after a header whose member is missing");
    walk_.end_offset = at_;
    return std::move(walk_);
  }

 private:
  Error bad(std::string problem) const {
    return Error(std::move(problem), {.path = tar_.path(), .offset = at_},
                 "shardmill inspect shows the damage");
  }

  TarBlock block_at(std::uint64_t offset) {
    if (offset < window_offset_ || offset + kTarBlockBytes > window_offset_ + window_.size()) {
      window_.resize(kWindowBytes);
      window_.resize(tar_.read_at(window_, offset));
      window_offset_ = offset;
      if (window_.size() < kTarBlockBytes) throw bad("the tar is cut off in a header");
    }
    return std::span(window_)
        .subspan(static_cast<std::size_t>(offset - window_offset_))
        .first<kTarBlockBytes>();
  }

  static std::string name_field(TarBlock block) {
    std::string name(kNameBytes, '\0');
    std::transform(block.begin(), block.begin() + kNameBytes, name.begin(),
                   [](std::byte byte) { return std::to_integer<char>(byte); });
    return name.substr(0, name.find('\0'));
  }

  void take(const TarHeader& header, const std::string& name_in_header) {
    const bool is_extension = std::string_view("xXgLK").find(header.type) != std::string_view::npos;
    const auto size = is_extension ? header.size : size_of(header);
    if (!size) throw bad("the size in this header is impossible");
    const std::uint64_t begin = at_ + kTarBlockBytes;
    const std::uint64_t bytes = has_data(header.type) ? *size : 0;
    if (bytes > size_ || begin > size_ - bytes) throw bad("the tar is cut off in a member");
    if (is_extension) {
      read_extension(header.type, begin, bytes);
    } else {
      if (header.type == 'S' || own_.sparse || global_.sparse)
        throw bad("a sparse file, whose bytes are not in one place");
      if (header.type == '0') {
        std::string name = name_of(header);
        const bool is_in_header = name == name_in_header;
        walk_.files.push_back({.name = std::move(name),
                               .is_name_in_header = is_in_header,
                               .header_offset = *chain_offset_,
                               .offset = begin,
                               .bytes = bytes});
      }
      if (header.type == '1' || header.type == '2') walk_.links.push_back(name_of(header));
      own_ = {};
      chain_offset_.reset();
    }
    at_ = std::min(begin + bytes + padding_bytes(bytes), size_);
  }

  /// Links, devices, folders and fifos have no data, even if their size field has a size.
  static bool has_data(char type) { return type < '1' || type > '6'; }

  std::optional<std::uint64_t> size_of(const TarHeader& header) const {
    return own_.size ? own_.size : global_.size ? global_.size : header.size;
  }

  std::string name_of(const TarHeader& header) const {
    return own_.path ? *own_.path : global_.path.value_or(header.name);
  }

  void read_extension(char type, std::uint64_t begin, std::uint64_t bytes) {
    if (type == 'K') return;  // the name of a link's target
    if (bytes > kMostExtensionBytes) throw bad("an extension header of absurd size");
    std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    if (tar_.read_at(data, begin) != data.size()) throw bad("the tar is cut off in an extended header");
    if (type == 'L') return read_long_name(data, own_);
    const std::string_view problem = read_pax(data, type == 'g' ? global_ : own_);
    if (!problem.empty()) throw bad(std::string(problem));
    if (type == 'g') chain_offset_.reset();  // it applies to all members that follow
  }

  const base::File& tar_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  TarWalk walk_;
  TarAttributes own_;
  TarAttributes global_;
  std::optional<std::uint64_t> chain_offset_;  // of the first header of the current member
  std::vector<std::byte> window_;
  std::uint64_t window_offset_ = 0;
};

}  // namespace

TarWalk walk_tar(const base::File& tar) {
  return Walker(tar).run();
}

}  // namespace shardmill::archive
