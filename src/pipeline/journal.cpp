#include "pipeline/journal.hpp"

#include <algorithm>

#include "base/hash/hash.hpp"
#include "base/io/binary_fields.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"

namespace shardmill::pipeline {

namespace {

// This changes whenever the layout of the body changes, or the way in which a file is cut into units. A
// journal of another version is not understood.
constexpr std::string_view kMagic = "shardmill journal 12";

// The number of the version follows it.
constexpr std::string_view kMagicOfAll = "shardmill journal ";

}  // namespace

std::string journal_path(const std::string& work_folder) {
  return work_folder + "/journal";
}

void write_journal(const std::string& path, const Journal& journal) {
  base::BinaryWriter out;
  out.put(kMagic);
  out.put(journal.fingerprint);
  out.put(std::span<const std::byte>(journal.body));
  const base::Xxh128 hash = base::xxh3_128(out.bytes());
  base::AtomicFile file(path);
  file.write(out.bytes());
  file.write(std::span<const std::byte>(hash.bytes));
  file.commit();
}

bool looks_like_journal(const std::string& path) {
  try {
    const base::File file = base::File::open_read(path);
    std::vector<std::byte> head(sizeof(std::uint64_t) + kMagicOfAll.size());  // after the length of the text
    head.resize(file.read_at(head, 0));
    const auto wanted = base::as_bytes(kMagicOfAll);
    return head.size() > wanted.size() && std::equal(wanted.rbegin(), wanted.rend(), head.rbegin());
  } catch (const Error&) {
    return false;
  }
}

std::optional<Journal> read_journal(const std::string& path) {
  if (!base::exists(path)) return std::nullopt;
  const std::string text = base::read_text(path);
  const auto bytes = base::as_bytes(text);
  const Error damaged("the journal of the unfinished run is damaged", at(path), Remedy::start_over);
  base::Xxh128 hash;
  if (bytes.size() < hash.bytes.size()) throw damaged;
  const auto content = bytes.first(bytes.size() - hash.bytes.size());
  std::copy(bytes.end() - static_cast<std::ptrdiff_t>(hash.bytes.size()), bytes.end(), hash.bytes.begin());
  if (base::xxh3_128(content) != hash) throw damaged;
  base::BinaryReader in(content);
  if (in.text() != kMagic) {
    throw Error("the unfinished run is of another version of shardmill", at(path),
                "finish it with that version", Remedy::start_over);
  }
  Journal journal;
  journal.fingerprint = in.text();
  const auto body = in.bytes();
  journal.body.assign(body.begin(), body.end());
  return journal;
}

}  // namespace shardmill::pipeline
