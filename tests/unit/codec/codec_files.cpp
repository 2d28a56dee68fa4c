#include "codec/codec_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec::testing {

std::string text_like(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) {
    text += std::to_string(random() % 1000);
    text += random() % 7 == 0 ? std::string(random() % 600, 'z') : " word ";
  }
  text.resize(bytes);
  return text;
}

std::string noise(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string data(bytes, '\0');
  std::generate(data.begin(), data.end(), [&] { return static_cast<char>(random()); });
  return data;
}

std::string through(const std::string& command, std::string_view plain) {
  const shardmill::testing::TemporaryFolder folder;
  return shardmill::testing::command_output("( " + command + " ) < " + folder.write("plain", plain));
}

bool has_program(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

namespace {

using Pieces = std::vector<std::unique_ptr<Piece>>;

void prepare_all(Pieces& pieces, Schedule schedule) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (schedule == Schedule::reading_only) return;
  if (schedule != Schedule::in_order) std::shuffle(order.begin(), order.end(), std::mt19937_64(order.size()));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) pieces[order[i]]->prepare();
  };
  std::vector<std::thread> threads;
  if (schedule == Schedule::threads) {
    for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
}

void read_piece(Piece& piece, Outcome& outcome) {
  outcome.piece_bytes.push_back(piece.compressed_bytes());
  try {
    for (auto bytes = piece.read(); !bytes.empty(); bytes = piece.read()) {
      outcome.plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      outcome.largest_span = std::max(outcome.largest_span, bytes.size());
    }
  } catch (const Error& error) {
    outcome.errors.emplace_back(error.what());
  }
}

Outcome read_open_file(base::File& file, Schedule schedule) {
  constexpr std::size_t kAtOnce = 12;
  Outcome outcome;
  const auto reader =
      open(file, [&](const Error& warning) { outcome.warnings.emplace_back(warning.what()); });
  for (bool more = true; more;) {
    Pieces pieces;
    while (more && pieces.size() < kAtOnce) {
      pieces.push_back(reader->next());
      more = pieces.back() != nullptr;
      if (!more) pieces.pop_back();
    }
    prepare_all(pieces, schedule);
    for (const auto& piece : pieces) read_piece(*piece, outcome);
  }
  return outcome;
}

}  // namespace

Outcome read_file(const std::string& path, Schedule schedule) {
  base::File file = base::File::open_read(path);
  return read_open_file(file, schedule);
}

Outcome read_bytes(std::string_view compressed, Schedule schedule) {
  static const shardmill::testing::TemporaryFolder folder;  // one for all: some tests read very many files
  return read_file(folder.write("bytes", compressed), schedule);
}

Outcome read_pipe(std::string_view compressed) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::thread feeder([&] {
    std::mt19937_64 random(compressed.size());
    for (std::size_t done = 0; done < compressed.size();) {
      const std::size_t size = std::min<std::size_t>(compressed.size() - done, 1 + random() % 50'000);
      done +=
          static_cast<std::size_t>(std::max<ssize_t>(0, ::write(ends[1], compressed.data() + done, size)));
    }
    ::close(ends[1]);
  });
  base::File file(ends[0], "-");
  Outcome outcome = read_open_file(file, Schedule::in_order);
  feeder.join();
  return outcome;
}

std::string encode(const EncoderOptions& options, std::string_view plain, std::size_t cut) {
  std::string compressed;
  const auto encoder = make_encoder(options, [&](std::span<const std::byte> bytes) {
    compressed.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  while (!plain.empty()) {
    encoder->write(base::as_bytes(plain.substr(0, cut)));
    plain.remove_prefix(std::min(cut, plain.size()));
  }
  encoder->finish();
  return compressed;
}

}  // namespace shardmill::codec::testing
