#include "archive/tar_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/tar_header.hpp"

namespace shardmill::archive {
namespace {

constexpr std::size_t kMaxExtensionBytes = std::size_t{1} << 20;
constexpr unsigned kMaxChain = 64;
constexpr std::size_t kFirstReserveBytes = std::size_t{16} << 20;

}  // namespace

TarParser::TarParser(TarSink& sink, std::uint64_t member_limit_bytes, std::uint64_t start_offset)
    : sink_(sink),
      member_limit_bytes_(member_limit_bytes),
      offset_(start_offset),
      seen_header_(start_offset > 0) {}

void TarParser::feed(std::span<const std::byte> bytes) {
  while (!bytes.empty()) bytes = bytes.subspan(take(bytes));
}

std::size_t TarParser::take(std::span<const std::byte> bytes) {
  switch (state_) {
    case State::header:
    case State::sparse_map:
      return take_block(bytes);
    case State::member:
      return take_member(bytes);
    case State::extension:
      return take_extension(bytes);
    case State::skip:
    case State::padding:
      return take_skipped(bytes);
    case State::search:
      return take_searched(bytes);
    case State::ended:
      break;
  }
  return take_after_end(bytes);
}

std::size_t TarParser::take_block(std::span<const std::byte> bytes) {
  const std::size_t taken = std::min(bytes.size(), kTarBlockBytes - block_fill_);
  offset_ += taken;
  if (taken == kTarBlockBytes) {
    on_block(bytes.first<kTarBlockBytes>());
    return taken;
  }
  std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(block_fill_));
  block_fill_ += taken;
  if (block_fill_ == kTarBlockBytes) {
    block_fill_ = 0;
    on_block(block_);
  }
  return taken;
}

std::size_t TarParser::take_member(std::span<const std::byte> bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  offset_ += taken;
  left_ -= taken;
  Bytes& out = member_.bytes;
  if (out.capacity() < out.size() + taken) {
    out.reserve(std::min(static_cast<std::size_t>(size_), std::max(2 * out.capacity(), out.size() + taken)));
  }
  out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  if (left_ == 0) end_member();
  return taken;
}

std::size_t TarParser::take_extension(std::span<const std::byte> bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  offset_ += taken;
  left_ -= taken;
  if (size_ <= kMaxExtensionBytes) {
    extension_.insert(extension_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  if (left_ == 0) end_extension();
  return taken;
}

std::size_t TarParser::take_skipped(std::span<const std::byte> bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  if (in_parts_) sink_.on_part(bytes.first(taken));
  skip(taken);
  return taken;
}

void TarParser::skip(std::uint64_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  if (left_ > 0) return;
  end_parts(true);
  if (state_ == State::skip) end_chain();
  left_ = state_ == State::skip ? padding_bytes(size_) : 0;
  state_ = left_ > 0 ? State::padding : State::header;
}

std::size_t TarParser::take_searched(std::span<const std::byte> bytes) {
  constexpr std::size_t kKept = kTarBlockBytes - 1;
  if (!carry_.empty()) {
    const std::uint64_t carry_offset = offset_ - carry_.size();
    const std::size_t kept = carry_.size();
    const auto seam = bytes.first(std::min(bytes.size(), kKept));
    carry_.insert(carry_.end(), seam.begin(), seam.end());
    if (const auto found = find_header(carry_, boundary_from(carry_offset))) {
      // The header begins in the bytes that were kept; take_block() adds its rest from `bytes`.
      block_fill_ = kept - *found;
      std::copy_n(carry_.begin() + static_cast<std::ptrdiff_t>(*found), block_fill_, block_.begin());
      resume(carry_offset + *found);
      return 0;
    }
    if (bytes.size() < kTarBlockBytes) {
      offset_ += bytes.size();
      if (carry_.size() > kKept) carry_.erase(carry_.begin(), carry_.end() - kKept);
      return bytes.size();
    }
  }
  if (const auto found = find_header(bytes, boundary_from(offset_))) {
    offset_ += *found;
    resume(offset_);
    return *found;
  }
  offset_ += bytes.size();
  const auto kept = bytes.last(std::min(bytes.size(), kKept));
  carry_.assign(kept.begin(), kept.end());
  return bytes.size();
}

std::size_t TarParser::take_after_end(std::span<const std::byte> bytes) {
  end_.add(bytes, offset_);
  offset_ += bytes.size();
  return bytes.size();
}

void TarParser::on_block(TarBlock block) {
  if (state_ == State::sparse_map) {
    if (block[kTarBlockBytes - 8] != std::byte{0}) return;
    state_ = left_ > 0 ? State::skip : State::header;
    if (left_ == 0) end_chain();
    return;
  }
  if (is_zero(block)) return on_zero_block();
  std::optional<TarHeader> header = read_header(block);
  if (!header) return on_bad_block(block, "this is no tar header: its checksum is wrong");
  if (std::exchange(zero_block_seen_, false)) {
    report(ShardProblem::lone_zero_block, offset_ - 2 * kTarBlockBytes, kTarBlockBytes,
           "a single zero block, where most readers stop; members follow it");
  }
  seen_header_ = true;
  if (!in_chain()) chain_offset_ = offset_ - kTarBlockBytes;
  ++chain_length_;
  if (!header->size && !attributes_.size) return on_bad_block(block, "the size in this header is impossible");
  on_header(std::move(*header));
}

void TarParser::on_header(TarHeader header) {
  constexpr std::string_view kExtensions = "xXgLK";
  if (kExtensions.find(header.type) != std::string_view::npos) return begin_extension(header);

  const bool name_may_be_cut = just_resumed_ && header.name_is_full && !attributes_.path;
  const TarAttributes& given = attributes_;
  member_.name = given.path ? *given.path : global_.path.value_or(std::move(header.name));
  size_ = given.size ? *given.size : global_.size.value_or(header.size.value_or(0));
  just_resumed_ = false;
  if (header.type == '0') {
    if (!distrust_.empty()) return refuse(ShardProblem::bad_extension, std::string(distrust_), size_);
    if (name_may_be_cut) {
      return refuse(ShardProblem::bad_extension, "the rest of its name is lost in damaged data", size_);
    }
    if (given.sparse_name) member_.name = *given.sparse_name;
    if (given.sparse || global_.sparse) return refuse(ShardProblem::sparse_file, "a sparse file", size_);
    return begin_regular(size_);
  }
  NoFile other = no_file(header);
  refuse(other.problem, std::move(other.text), other.has_data ? size_ : 0);
  if (header.type == 'S' && header.sparse_map_continues) state_ = State::sparse_map;
}

void TarParser::on_zero_block() {
  if (in_chain()) {
    report(ShardProblem::bad_extension, chain_offset_, offset_ - kTarBlockBytes - chain_offset_,
           "an extension header without a member");
    end_chain();
  }
  if (zero_block_seen_) {
    state_ = State::ended;
    end_.begin(offset_ - 2 * kTarBlockBytes);
  }
  zero_block_seen_ = true;
}

void TarParser::on_bad_block(TarBlock block, std::string_view why) {
  const std::uint64_t block_offset = offset_ - kTarBlockBytes;
  const bool tar_so_far = seen_header_ || zero_block_seen_;
  report(tar_so_far ? ShardProblem::bad_header : ShardProblem::not_a_tar, block_offset, kTarBlockBytes,
         std::string(tar_so_far ? why : "this is no tar"));
  boundary_offset_ = block_offset;
  search_offset_ = block_offset;
  search_from(block.subspan(1));
}

void TarParser::begin_extension(const TarHeader& header) {
  extension_type_ = header.type;
  extension_.clear();
  size_ = header.size.value_or(0);
  left_ = size_;
  if (size_ > kMaxExtensionBytes) distrust_ = "its extension header is larger than 1 MiB";
  if (chain_length_ > kMaxChain) distrust_ = "too many extension headers come before it";
  state_ = State::extension;
  if (left_ == 0) end_extension();
}

void TarParser::end_extension() {
  std::string_view problem;
  if (size_ <= kMaxExtensionBytes) {
    switch (extension_type_) {
      case 'g':
        problem = read_pax(extension_, global_);
        break;
      case 'L':
        read_long_name(extension_, attributes_);
        break;
      case 'K':
        break;
      default:
        problem = read_pax(extension_, attributes_);
    }
  }
  if (!problem.empty()) distrust_ = problem;
  left_ = padding_bytes(size_);
  state_ = left_ > 0 ? State::padding : State::header;
}

void TarParser::begin_regular(std::uint64_t size) {
  if (is_odd_name(member_.name)) {
    report(ShardProblem::odd_name, chain_offset_, size,
           "its name is empty, absolute, or holds '..' or control characters");
  }
  member_.header_offset = chain_offset_;
  member_.tar_offset = offset_;
  if (size > 0 && sink_.takes_parts(member_, size)) {
    in_parts_ = true;
    left_ = size;
    state_ = State::skip;
    return;
  }
  if (size > member_limit_bytes_) {
    return refuse(ShardProblem::oversized_member,
                  fmt::format("its size of {} bytes is above the bound of {}", size, member_limit_bytes_),
                  size);
  }
  member_.bytes.reserve(std::min<std::uint64_t>(size, kFirstReserveBytes));
  left_ = size;
  state_ = State::member;
  if (left_ == 0) end_member();
}

void TarParser::refuse(ShardProblem problem, std::string text, std::uint64_t bytes_to_skip) {
  report(problem, chain_offset_, bytes_to_skip, std::move(text));
  size_ = bytes_to_skip;
  left_ = bytes_to_skip;
  state_ = left_ > 0 ? State::skip : State::header;
  if (left_ == 0) end_chain();
}

void TarParser::end_member() {
  TarMember done = std::move(member_);
  end_chain();
  left_ = padding_bytes(size_);
  state_ = left_ > 0 ? State::padding : State::header;
  sink_.on_member(std::move(done));
}

void TarParser::end_chain() {
  chain_length_ = 0;
  attributes_ = {};
  distrust_ = {};
  member_ = {};
}

void TarParser::end_parts(bool is_whole) {
  if (std::exchange(in_parts_, false)) sink_.on_parts_end(is_whole);
}

void TarParser::search_from(std::span<const std::byte> kept) {
  carry_.assign(kept.begin(), kept.end());
  block_fill_ = 0;
  zero_block_seen_ = false;
  end_chain();
  state_ = State::search;
}

std::optional<std::size_t> TarParser::boundary_from(std::uint64_t offset) const {
  if (!boundary_offset_) return std::nullopt;
  return static_cast<std::size_t>(padding_bytes(offset - *boundary_offset_));
}

void TarParser::resume(std::uint64_t found_offset) {
  report(ShardProblem::resumed, found_offset, found_offset - search_offset_,
         "reading continues at the next header");
  carry_.clear();
  just_resumed_ = true;
  state_ = State::header;
}

void TarParser::gap() {
  if (state_ == State::ended) return;
  end_parts(false);
  std::uint64_t begin = offset_ - block_fill_;
  if (in_chain()) begin = chain_offset_;
  if (state_ == State::search) begin = search_offset_;
  report(ShardProblem::gap, begin, offset_ - begin, "bytes are missing here: the compressed data is damaged");
  boundary_offset_.reset();
  search_offset_ = offset_;
  search_from({});
}

void TarParser::finish() {
  end_parts(false);
  if (state_ != State::ended) {
    report_cut_end();
  } else if (auto finding = end_.finding(offset_)) {
    sink_.on_finding(std::move(*finding));
  }
  state_ = State::ended;
  end_ = {};
}

void TarParser::report_cut_end() {
  const bool in_header = block_fill_ > 0 || state_ == State::sparse_map;
  if (state_ == State::search) {
    if (!seen_header_) return;  // not_a_tar was reported already
    report(ShardProblem::truncated, search_offset_, offset_ - search_offset_,
           fmt::format("no further header was found in {} bytes", offset_ - search_offset_));
  } else if (state_ == State::member || state_ == State::skip) {
    report(ShardProblem::truncated, chain_offset_, left_,
           fmt::format("the tar ends inside this member: {} of {} bytes are missing", left_, size_));
  } else if (in_header || in_chain()) {
    const std::uint64_t begin = in_chain() ? chain_offset_ : offset_ - block_fill_;
    report(ShardProblem::truncated, begin, block_fill_ > 0 ? kTarBlockBytes - block_fill_ : left_,
           "the tar ends inside a header");
  } else if (!seen_header_ && !zero_block_seen_) {
    report(ShardProblem::not_a_tar, offset_, 0, "there is no data");
  } else {
    report(ShardProblem::no_end, offset_, 0,
           zero_block_seen_ ? "the tar ends with one zero block instead of two"
                            : "the tar ends without end blocks: it may have been cut between two members");
  }
}

void TarParser::report(ShardProblem problem, std::uint64_t offset, std::uint64_t bytes, std::string text) {
  std::string name = member_.name.empty() ? attributes_.path.value_or("") : member_.name;
  sink_.on_finding({problem, std::move(name), offset, bytes, std::move(text)});
}

}  // namespace shardmill::archive
