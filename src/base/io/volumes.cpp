#include "base/io/volumes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/letters.hpp"

namespace shardmill::base {

namespace {

namespace fs = std::filesystem;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_separator(char c) {
  return c == '.' || c == '_' || c == '-';
}

/// True for "x.zip" and "x.tar.gz": files that are cut.
bool has_ending_of_archive(std::string_view name) {
  constexpr std::array<std::string_view, 15> kEndings{
      ".zip",  ".7z",     ".tar",     ".tgz",    ".tbz",     ".tbz2",    ".txz", ".tzst",
      ".tlz4", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar.lz4", ".gz"};
  const std::string lower_name = lower(name);
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    return lower_name.size() > ending.size() && lower_name.ends_with(ending);
  });
}

/// Letters that name a compression, as in x.tar.gz, and no volume.
bool names_compression(std::string_view letters) {
  constexpr std::array<std::string_view, 7> kOthers{"gz", "xz", "bz", "lz", "br", "sz", "zstd"};
  return std::find(kOthers.begin(), kOthers.end(), letters) != kOthers.end();
}

/// The number with which a name ends: digits, or the letters after "part" or after a separator.
std::string_view number_at_end(std::string_view name) {
  std::size_t begin = name.size();
  if (!name.empty() && is_digit(name.back())) {
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    return name.substr(begin);
  }
  while (begin > 0 && is_letter(name[begin - 1])) --begin;
  const std::string_view run = name.substr(begin);
  constexpr std::string_view kPart = "part";
  const std::size_t part = run.rfind(kPart);
  return part == run.npos ? run : run.substr(part + kPart.size());
}

/// cn-celeb2_v2.tar.gzaa: the number follows the ending at once.
std::optional<VolumeName> read_name_without_separator(std::string_view name) {
  constexpr std::size_t kNumber = 2;
  if (name.size() <= kNumber) return std::nullopt;
  const std::string_view whole = name.substr(0, name.size() - kNumber);
  const std::string_view number = name.substr(whole.size());
  const bool is_number = std::all_of(number.begin(), number.end(), is_letter) ||
                         std::all_of(number.begin(), number.end(), is_digit);
  const bool is_word = number == "ip" || names_compression(number);  // x.gzip, x.targz
  if (!is_number || is_word || !has_ending_of_archive(whole)) return std::nullopt;
  return VolumeName{.whole = whole, .stem = whole, .number = number};
}

std::optional<VolumeName> read_name(std::string_view name) {
  constexpr std::size_t kMostDigits = 3;  // without "part": of longer ones, most are dates
  constexpr std::size_t kMostLetters = 4;
  if (const auto found = read_name_without_separator(name)) return found;
  const std::string_view number = number_at_end(name);
  if (number.empty()) return std::nullopt;
  const bool has_digits = is_digit(number.front());
  const std::string_view stem = name.substr(0, name.size() - number.size());
  std::string_view whole = stem;
  const auto drop_separator = [&] {
    const bool has_one = !whole.empty() && is_separator(whole.back());
    if (has_one) whole.remove_suffix(1);
    return has_one;
  };
  const bool is_apart = drop_separator();
  constexpr std::size_t kPartBytes = 4;
  const bool has_part = whole.size() > kPartBytes && lower(whole.substr(whole.size() - kPartBytes)) == "part";
  if (has_part) whole.remove_suffix(kPartBytes);
  const bool part_is_apart = has_part && drop_separator();
  if (whole.empty() || (!has_digits && number.size() > kMostLetters)) return std::nullopt;
  const VolumeName found{.whole = whole, .stem = stem, .number = number};
  if (!has_ending_of_archive(whole)) {
    // VoxCeleb's vox1_dev_wav_partaa.
    const bool is_like_split = part_is_apart && !has_digits && number.size() == 2;
    return is_like_split ? std::optional(found) : std::nullopt;
  }
  if (has_part) return found;
  if (!is_apart || (number.size() < 2 && !(has_digits && stem.ends_with('.')))) return std::nullopt;
  const bool is_long = number.size() == kMostLetters && number.front() == 'z';  // after yz
  const bool is_one = has_digits ? number.size() <= kMostDigits : number.size() == 2 || is_long;
  return is_one ? std::optional(found) : std::nullopt;
}

bool is_before(std::string_view number, std::string_view other) {
  return number.size() != other.size() ? number.size() < other.size() : number < other;
}

std::uint64_t value_of(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// The number after `number`: 07 -> 08, 9 -> 10, ay -> az -> ba.
std::string next(std::string_view number) {
  if (is_digit(number.front())) return fmt::format("{:0{}}", value_of(number) + 1, number.size());
  std::string result(number);
  for (std::size_t at = result.size(); at-- > 0;) {
    if (result[at] != 'z') {
      ++result[at];
      return result;
    }
    result[at] = 'a';
  }
  return "a" + result;
}

/// The program split makes its numbers longer in time: after yz comes zaaa, and after 89 comes 9000.
std::string next_of_split(std::string_view number) {
  const bool has_digits = is_digit(number.front());
  const char last = has_digits ? '9' : 'z';
  const bool is_last_of_its_length =
      number.front() == last - 1 && number.find_first_not_of(last, 1) == number.npos;
  if (!is_last_of_its_length) return {};
  return std::string(1, last) + std::string(number.size() + 1, has_digits ? '0' : 'a');
}

bool is_first(std::string_view number) {
  return is_digit(number.front()) ? value_of(number) <= 1 : number.find_first_not_of('a') == number.npos;
}

std::uint64_t bytes_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error("cannot examine", path);
  return static_cast<std::uint64_t>(status.st_size);
}

using Block = std::array<std::byte, 512>;

/// Lists that the program split has cut are read by themselves.
bool begins_like_text(const std::string& path) {
  Block first{};
  const File file = File::open_single(path);
  const auto bytes = std::span(first).first(file.read_at(first, 0));
  return std::none_of(bytes.begin(), bytes.end(), [](std::byte byte) {
    return byte < std::byte{0x20} && byte != std::byte{'\t'} && byte != std::byte{'\n'} &&
           byte != std::byte{'\r'};
  });
}

/// The end of a tar is two blocks of zeros.
bool ends_like_tar(const File& file) {
  std::array<std::byte, 1024> last{};
  if (file.size() < last.size() || file.read_at(last, file.size() - last.size()) != last.size()) return false;
  return std::all_of(last.begin(), last.end(), [](std::byte byte) { return byte == std::byte{}; });
}

/// A zip without a comment ends with a record of 22 bytes.
bool ends_like_zip(const File& file) {
  constexpr std::string_view kMark = "PK\5\6";
  std::array<char, 22> last{};
  if (file.size() < last.size()) return false;
  if (file.read_at(std::as_writable_bytes(std::span(last)), file.size() - last.size()) != last.size())
    return false;
  return std::string_view(last.data(), last.size()).starts_with(kMark);
}

bool begins_like_tar(std::string_view text) {
  constexpr std::size_t kTarMark = 257;
  return text.size() == std::tuple_size_v<Block> && text.substr(kTarMark).starts_with("ustar");
}

constexpr std::string_view kZip = "PK\3\4";

/// True for the formats whose first bytes always tell them, without zip.
bool begins_compressed(std::string_view text) {
  constexpr std::array<std::string_view, 6> kMarks{std::string_view("\x1F\x8B\x08"),
                                                   std::string_view("\xFD"
                                                                    "7zXZ\0",
                                                                    6),
                                                   std::string_view("\x28\xB5\x2F\xFD"),
                                                   std::string_view("\x04\x22\x4D\x18"),
                                                   std::string_view("7z\xBC\xAF\x27\x1C"),
                                                   std::string_view("1AY&SY")};
  constexpr std::size_t kBzip2Mark = 4;  // after "BZh9"
  if (text.starts_with("BZh")) text = text.substr(std::min(kBzip2Mark, text.size()));
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return text.starts_with(mark); });
}

std::string_view beginning_of(const File& file, Block& first) {
  const std::size_t got = file.read_at(first, 0);
  return {reinterpret_cast<const char*>(first.data()), got};
}

/// True if the file begins like an archive and, where the format says, ends like one.
bool is_like_whole_archive(const File& file) {
  Block first{};
  const std::string_view text = beginning_of(file, first);
  if (text.starts_with(kZip)) return ends_like_zip(file);
  if (begins_like_tar(text)) return ends_like_tar(file);
  return begins_compressed(text);
}

/// True if parts that count from 00 or 0 lack the first: the part 01 is in the middle of an archive. Old tars
/// have no mark at their beginning.
bool lacks_part_0(const std::string& path, const VolumeName& name) {
  const bool may_count_from_0 = is_digit(name.number.front()) && value_of(name.number) == 1;
  constexpr std::size_t kMostDigits = 2;  // 7-Zip counts from 001
  if (!may_count_from_0 || name.number.size() > kMostDigits || lower(name.whole).ends_with(".tar"))
    return false;
  Block first{};
  const std::string_view text = beginning_of(File::open_single(path), first);
  return !text.empty() && !text.starts_with("PK") && !begins_compressed(text) && !begins_like_tar(text);
}

/// Archives of a series, x.tar.00 and x.tar.01, may be called like the parts of one.
bool are_archives_each(const std::string& beginning, const std::vector<std::string>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](const std::string& number) {
    return is_like_whole_archive(File::open_single(beginning + number));
  });
}

/// All files beside `path` whose names have its stem, by their numbers.
std::vector<std::string> siblings(const fs::path& path, const VolumeName& name) {
  std::vector<std::string> numbers;
  const fs::path folder = path.parent_path();
  for (const fs::path& each : entries(folder.empty() ? "." : folder)) {
    const std::string file_name = each.filename().string();
    if (!file_name.starts_with(name.stem)) continue;
    const std::string_view number = std::string_view(file_name).substr(name.stem.size());
    const auto other = read_name(file_name);
    if (other && other->stem == name.stem && is_digit(number.front()) == is_digit(name.number.front()))
      numbers.emplace_back(number);
  }
  std::sort(numbers.begin(), numbers.end(), is_before);
  return numbers;
}

/// Throws Error for a number after which another is missing. Numbers count, or are the offsets of the
/// volumes.
void check_sequence(const std::string& beginning, const std::vector<std::string>& numbers) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    offset += bytes_of(beginning + numbers[i]);
    const std::string& after = numbers[i + 1];
    const bool is_offset =
        is_digit(after.front()) && value_of(numbers.front()) == 0 && value_of(after) == offset;
    if (after == next(numbers[i]) || after == next_of_split(numbers[i]) || is_offset) continue;
    throw Error(fmt::format("is cut into parts, and the part {} is missing, after {}{}",
                            printable(fs::path(beginning + next(numbers[i])).filename().string()),
                            printable(fs::path(beginning).filename().string()), numbers[i]),
                at(beginning + numbers.front()), "download it, too");
  }
}

}  // namespace

std::optional<VolumeName> volume_name(std::string_view file_name) {
  const auto found = read_name(file_name);
  if (found && found->stem.ends_with('.') && names_compression(found->number)) return std::nullopt;
  return found;
}

bool is_repeated_download(const std::string& path) {
  const auto name = volume_name(std::string_view(path).substr(path.rfind('/') + 1));
  if (!name || name->number.size() != 1 || !name->stem.ends_with('.')) return false;
  return exists(path.substr(0, path.size() - name->number.size() - 1));
}

std::vector<std::string> volumes_of(const std::string& path) {
  const std::string file_name = fs::path(path).filename().string();
  const auto name = volume_name(file_name);
  if (!name) return {};
  if (!has_ending_of_archive(name->whole) && begins_like_text(path)) return {};
  std::vector<std::string> numbers = siblings(path, *name);
  // x.tar.br may be the volume after x.tar.bq, or a tar of its own.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (names_compression(numbers[i]) && (i == 0 || next(numbers[i - 1]) != numbers[i]))
      numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(i--));
  }
  const std::string beginning = path.substr(0, path.size() - name->number.size());
  if (numbers.size() > 1 && are_archives_each(beginning, numbers)) return {};
  if (numbers.empty() || numbers.front() != name->number) {
    const std::string front = numbers.empty() ? std::string() : beginning + numbers.front();
    throw Error("is not the first part of the file that was cut", at(path),
                front.empty() ? "" : fmt::format("give the first part, {}", printable(front)));
  }
  if (!is_first(numbers.front()) || lacks_part_0(path, *name))
    throw Error("is a part of a file that was cut, and the parts before it are missing", at(path),
                "download them, too");
  check_sequence(beginning, numbers);
  if (numbers.size() < 2) return {};
  for (std::string& number : numbers) {
    number.insert(0, beginning);
    if (bytes_of(number) == 0)
      throw Error("is a part of a file that was cut, and is empty", at(number), "download it again");
  }
  return numbers;
}

namespace {

/// A source as it is given: "NAME=", "PREFIX:" or both, and the file.
struct Given {
  std::string_view before;
  std::string_view file;
};

Given read_given(std::string_view path) {
  Given given{.before = {}, .file = path};
  for (const char mark : {'=', ':'}) {
    const std::size_t at = given.file.find(mark);
    if (at == path.npos || exists(given.file)) continue;
    given.file.remove_prefix(at + 1);
  }
  given.before = path.substr(0, path.size() - given.file.size());
  return given;
}

}  // namespace

void drop_later_volumes(std::vector<std::string>& paths) {
  std::map<std::string, std::string> firsts;  // by the beginnings of their files
  for (const std::string& path : paths) {
    if (!volume_name(std::string_view(path).substr(path.rfind('/') + 1))) continue;
    const std::string file(read_given(path).file);
    const auto name = volume_name(std::string_view(file).substr(file.rfind('/') + 1));
    if (!name || !exists(file) || is_folder(file)) continue;
    const auto [known, is_new] = firsts.try_emplace(file.substr(0, file.size() - name->number.size()), path);
    if (!is_new && is_before(file, read_given(known->second).file)) known->second = path;
  }
  std::set<std::string> later;
  for (const auto& [beginning, path] : firsts) {
    const Given first = read_given(path);
    for (const std::string& volume : volumes_of(std::string(first.file))) {
      if (volume == first.file) continue;
      later.insert(volume);
      later.insert(std::string(first.before) + volume);
    }
  }
  if (later.empty()) return;
  std::erase_if(paths, [&](const std::string& path) { return later.contains(path); });
}

std::string words_on_last_volume(const std::string& path) {
  if (!volume_name(fs::path(path).filename().string())) return {};
  try {
    const auto volumes = volumes_of(path);
    return fmt::format(", and parts after {} may be missing",
                       printable(fs::path(volumes.empty() ? path : volumes.back()).filename().string()));
  } catch (const Error&) {
    return {};
  }
}

std::string_view saved_instead(std::span<const std::byte> first) {
  constexpr std::size_t kEnough = 256;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text = as_text(first.first(std::min(first.size(), kEnough)));
  if (text.starts_with("version https://git-lfs.github.com/spec/"))
    return "is a pointer of Git LFS, not the file: git lfs pull fetches that";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string page = lower(trimmed(text, " \t\r\n"));
  if (page.starts_with("<!doctype html") || page.starts_with("<html"))
    return "is an HTML page, not the file: the page may say why, such as that a login is needed";
  return {};
}

}  // namespace shardmill::base
