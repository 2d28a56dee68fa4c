#include "archive/container.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <exception>
#include <new>

#include "base/error.hpp"

namespace shardmill::archive {

namespace {

struct Magic {
  std::string_view format;
  std::string_view bytes;
};

constexpr std::array<Magic, 5> kMagics{{{"zip", {"PK\x03\x04", 4}},
                                        {"zip", {"PK\x05\x06", 4}},
                                        {"7z", {"7z\xBC\xAF\x27\x1C", 6}},
                                        {"rar", {"Rar!\x1A\x07\x00", 7}},
                                        {"rar", {"Rar!\x1A\x07\x01\x00", 8}}}};

/// libarchive turns names of entries into the encoding of the locale. Every program starts with the locale C,
/// where names that are not ASCII are lost. This object gives its thread a locale with UTF-8 while it lives.
class Utf8Names {
 public:
  Utf8Names() : old_(locale() != nullptr ? ::uselocale(locale()) : nullptr) {}
  ~Utf8Names() {
    if (old_ != nullptr) ::uselocale(old_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  static ::locale_t locale() {
    static const ::locale_t kUtf8 = [] {
      for (const char* name : {"C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
        if (const auto found = ::newlocale(LC_CTYPE_MASK, name, nullptr); found != nullptr) return found;
      }
      return ::locale_t{};
    }();
    return kUtf8;
  }

  ::locale_t old_;
};

}  // namespace

std::string_view container_format(std::span<const std::byte> first) {
  const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
  for (const Magic& magic : kMagics) {
    if (text.starts_with(magic.bytes)) return magic.format;
  }
  return {};
}

struct Container::State {
  const base::File& file;
  std::string member{};
  ::archive* reader = nullptr;
  std::uint64_t position = 0;
  std::exception_ptr thrown{};  // while the file was read: libarchive passes no exceptions on
  Bytes buffer{};

  static State& of(void* state) { return *static_cast<State*>(state); }

  static la_ssize_t read(::archive* reader, void* state, const void** bytes) {
    State& self = of(state);
    try {
      constexpr std::size_t kReadBytes = std::size_t{1} << 18;
      self.buffer.resize(kReadBytes);
      const std::size_t got = self.file.read_at(self.buffer, self.position);
      self.position += got;
      *bytes = self.buffer.data();
      return static_cast<la_ssize_t>(got);
    } catch (...) {
      self.thrown = std::current_exception();
      ::archive_set_error(reader, EIO, "cannot be read");
      return ARCHIVE_FATAL;
    }
  }

  static la_int64_t seek(::archive* reader, void* state, la_int64_t offset, int whence) {
    State& self = of(state);
    const auto from = whence == SEEK_SET   ? la_int64_t{0}
                      : whence == SEEK_CUR ? static_cast<la_int64_t>(self.position)
                                           : static_cast<la_int64_t>(self.file.size());
    if (from + offset < 0) {
      ::archive_set_error(reader, EINVAL, "a place before its beginning is named in it");
      return ARCHIVE_FATAL;
    }
    self.position = static_cast<std::uint64_t>(from + offset);
    return from + offset;
  }

  static la_int64_t skip(::archive* /*reader*/, void* state, la_int64_t bytes) {
    State& self = of(state);
    const std::uint64_t left = self.file.size() - std::min(self.file.size(), self.position);
    const std::uint64_t skipped = std::min(left, static_cast<std::uint64_t>(std::max<la_int64_t>(bytes, 0)));
    self.position += skipped;
    return static_cast<la_int64_t>(skipped);
  }

  [[noreturn]] void refuse(const std::string& doing) const {
    if (thrown) std::rethrow_exception(thrown);
    const char* text = ::archive_error_string(reader);
    throw Error(fmt::format("{}: {}", doing, text != nullptr ? text : "no details"),
                {.path = file.path(), .member = member});
  }
};

Container::Container(const base::File& file) : state_(new State{.file = file}) {
  state_->reader = ::archive_read_new();
  if (state_->reader == nullptr) throw std::bad_alloc();
  try {
    ::archive_read_support_format_zip(state_->reader);
    ::archive_read_support_format_7zip(state_->reader);
    ::archive_read_support_format_rar(state_->reader);
    ::archive_read_support_format_rar5(state_->reader);
    ::archive_read_set_read_callback(state_->reader, &State::read);
    ::archive_read_set_seek_callback(state_->reader, &State::seek);
    ::archive_read_set_skip_callback(state_->reader, &State::skip);
    ::archive_read_set_callback_data(state_->reader, state_.get());
    if (::archive_read_open1(state_->reader) != ARCHIVE_OK) state_->refuse("cannot be opened as an archive");
  } catch (...) {
    ::archive_read_free(state_->reader);
    throw;
  }
}

Container::~Container() {
  ::archive_read_free(state_->reader);
}

std::optional<Container::Entry> Container::next() {
  state_->member.clear();
  ::archive_entry* entry = nullptr;
  const Utf8Names utf8_names;
  const int status = ::archive_read_next_header(state_->reader, &entry);
  if (status == ARCHIVE_EOF) return std::nullopt;
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) state_->refuse("the archive is damaged");
  const char* name = ::archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = ::archive_entry_pathname(entry);
  if (name == nullptr)
    throw Error("the name of an entry cannot be read: this machine has no locale with UTF-8",
                at(state_->file.path()), "install the locale C.UTF-8, or unpack the archive");
  Entry found{.path = name};
  found.is_file = ::archive_entry_filetype(entry) == AE_IFREG;
  found.is_link = ::archive_entry_filetype(entry) == AE_IFLNK || ::archive_entry_hardlink(entry) != nullptr;
  found.is_encrypted = ::archive_entry_is_encrypted(entry) != 0;
  state_->member = found.path;
  return found;
}

Bytes Container::read(std::uint64_t limit_bytes) {
  Bytes bytes;
  read([&](std::span<const std::byte> step) {
    bytes.insert(bytes.end(), step.begin(), step.end());
    if (bytes.size() > limit_bytes) {
      throw Error(fmt::format("unpacks to more than {} bytes", limit_bytes),
                  {.path = state_->file.path(), .member = state_->member});
    }
  });
  return bytes;
}

void Container::read(const std::function<void(std::span<const std::byte> bytes)>& take) {
  constexpr std::size_t kStepBytes = std::size_t{1} << 18;
  Bytes step(kStepBytes);
  for (;;) {
    const la_ssize_t got = ::archive_read_data(state_->reader, step.data(), step.size());
    if (got < 0) state_->refuse("this entry cannot be unpacked");
    if (got == 0) return;
    take(std::span(step).first(static_cast<std::size_t>(got)));
  }
}

std::uint64_t Container::consumed_bytes() const {
  return static_cast<std::uint64_t>(std::max<la_int64_t>(::archive_filter_bytes(state_->reader, -1), 0));
}

std::string libarchive_version() {
  const std::string_view text = ::archive_version_string();  // "libarchive 3.6.2"
  return std::string(text.substr(text.rfind(' ') + 1));
}

}  // namespace shardmill::archive
