#include "codec/codec_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
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

/// Calls prepare() for some pieces, on its own threads if the schedule says so.
class Preparation {
 public:
  Preparation(Pieces& pieces, Schedule schedule)
      : pieces_(pieces), order_(pieces.size()), done_(pieces.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const bool shuffled = schedule == Schedule::random || schedule == Schedule::threads;
    if (shuffled) std::shuffle(order_.begin(), order_.end(), std::mt19937_64(order_.size()));
    const bool threaded = schedule == Schedule::threads || schedule == Schedule::overlapping;
    for (int i = 0; threaded && i < 3; ++i) threads_.emplace_back([this] { work(); });
    if (schedule == Schedule::reading_only) std::fill(done_.begin(), done_.end(), char{true});
    if (!threaded && schedule != Schedule::reading_only) work();
    if (schedule == Schedule::threads) join();
  }
  ~Preparation() { join(); }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  void wait_for(std::size_t piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_[piece] != 0; });
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < order_.size(); i = next_++) {
      pieces_[order_[i]]->prepare();
      const std::lock_guard lock(mutex_);
      done_[order_[i]] = char{true};
      changed_.notify_all();
    }
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  Pieces& pieces_;
  std::vector<std::size_t> order_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> done_;
  std::vector<std::thread> threads_;
};

void read_piece(Piece& piece, Outcome& outcome) {
  outcome.piece_bytes.push_back(piece.compressed_bytes());
  const std::size_t before = outcome.plain.size();
  try {
    for (auto bytes = piece.read(); !bytes.empty(); bytes = piece.read()) {
      outcome.plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      outcome.largest_span = std::max(outcome.largest_span, bytes.size());
    }
  } catch (const Error& error) {
    outcome.errors.emplace_back(error.what());
  }
  outcome.piece_plain_bytes.push_back(outcome.plain.size() - before);
}

std::unique_ptr<PieceReader> open_any(base::File& file, TrailingSink on_trailing) {
  return open(file, std::move(on_trailing));
}

Outcome read_open_file(base::File& file, Schedule schedule, bool ignore_trailing = false,
                       const Opener& opener = open_any) {
  constexpr std::size_t kAtOnce = 12;
  Outcome outcome;
  TrailingSink on_trailing;
  if (ignore_trailing) {
    on_trailing = [&](const Error& warning) { outcome.warnings.emplace_back(warning.what()); };
  }
  const auto reader = opener(file, std::move(on_trailing));
  for (bool more = true; more;) {
    Pieces pieces;
    while (more && pieces.size() < kAtOnce) {
      pieces.push_back(reader->next());
      more = pieces.back() != nullptr;
      if (!more) pieces.pop_back();
    }
    Preparation preparation(pieces, schedule);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      preparation.wait_for(i);
      read_piece(*pieces[i], outcome);
    }
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

Outcome read_bytes_by(const Opener& open, std::string_view compressed, Schedule schedule,
                      bool ignore_trailing) {
  static const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("bytes", compressed));
  return read_open_file(file, schedule, ignore_trailing, open);
}

Outcome read_ignoring_trailing(std::string_view compressed) {
  const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("bytes", compressed));
  return read_open_file(file, Schedule::in_order, true);
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

Progress decode_in_steps(std::unique_ptr<StreamDecoder> decoder, std::string_view file, std::size_t in,
                         std::size_t out, std::string& plain) {
  MultiStreamDecoder streams(std::move(decoder));
  std::vector<std::byte> room(out);
  Progress last;
  plain.clear();
  do {
    const std::string_view piece = file.substr(0, in);
    last = streams.decode(base::as_bytes(piece), room, piece.size() == file.size());
    plain.append(reinterpret_cast<const char*>(room.data()), last.produced);
    file.remove_prefix(last.consumed);
  } while (last.problem.empty() && (!file.empty() || last.produced > 0));
  return last;
}

void expect_all_damage_found(const std::function<std::unique_ptr<StreamDecoder>()>& make,
                             std::string_view file, std::string_view plain) {
  constexpr std::size_t kRoom = 1000;
  std::string got;
  ASSERT_EQ(decode_in_steps(make(), file, file.size(), kRoom, got).problem, "");
  ASSERT_EQ(got, plain);
  for (std::size_t cut = 1; cut < file.size(); ++cut) {
    EXPECT_NE(decode_in_steps(make(), file.substr(0, cut), cut, kRoom, got).problem, "") << cut;
    EXPECT_TRUE(plain.starts_with(got)) << cut;
  }
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string changed(file);
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    const Progress last = decode_in_steps(make(), changed, changed.size(), kRoom, got);
    EXPECT_TRUE(!last.problem.empty() || got == plain) << bit;
  }
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
