#include "base/system/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {

namespace {

using End = CommandResult::End;
using std::chrono::milliseconds;

CommandResult run_sh(const std::string& script, milliseconds limit = milliseconds(20'000),
                     std::uint64_t limit_bytes = 1 << 20) {
  return run_bounded({"sh", "-c", script}, limit, limit_bytes);
}

TEST(BoundedCommand, GivesBothOutputsAndTheStatus) {
  const CommandResult result = run_sh("echo a; echo b >&2; exit 3");
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_FALSE(result.is_good());
  EXPECT_EQ(result.out, "a\n");
  EXPECT_EQ(result.err, "b\n");
  EXPECT_EQ(ending(result, milliseconds(1)), "failed with exit status 3");
  EXPECT_TRUE(run_sh("cat").is_good()) << "there is no input";
}

TEST(BoundedCommand, TakesAllOfALargeOutput) {
  const CommandResult result =
      run_sh("head -c 1000000 /dev/zero; head -c 500000 /dev/zero >&2", milliseconds(60'000), 2'000'000);
  EXPECT_TRUE(result.is_good());
  EXPECT_EQ(result.out.size(), 1'000'000);
  EXPECT_EQ(result.err.size(), 500'000);
}

TEST(BoundedCommand, SaysWhatIsMissingOrNoProgram) {
  EXPECT_EQ(run_bounded({"no-such-program"}, milliseconds(1000), 1000).end, End::missing);
  EXPECT_EQ(run_bounded({"/dev/null/x"}, milliseconds(1000), 1000).end, End::missing);
  const CommandResult folder = run_bounded({"/tmp"}, milliseconds(1000), 1000);
  EXPECT_EQ(folder.end, End::not_started);
  EXPECT_EQ(ending(folder, milliseconds(1)), "could not be started: Permission denied");
}

TEST(BoundedCommand, AFolderOnThePathThatIsClosedHidesNothing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every folder";
  const testing::TemporaryFolder folder;
  const std::string closed = folder.file("closed");
  ASSERT_EQ(::mkdir(closed.c_str(), 0), 0);
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", (closed + ":" + path).c_str(), 1), 0);
  EXPECT_EQ(run_bounded({"no-such-program"}, milliseconds(1000), 1000).end, End::missing);
  EXPECT_TRUE(run_sh("true").is_good());
  ASSERT_EQ(::setenv("PATH", path.c_str(), 1), 0);
}

TEST(BoundedCommand, EndsWhatTakesTooLong) {
  const auto start = std::chrono::steady_clock::now();
  const CommandResult result = run_sh("echo begun; sleep 1000 & sleep 1000", milliseconds(300));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  EXPECT_EQ(result.end, End::out_of_time);
  EXPECT_EQ(result.out, "begun\n");
  EXPECT_EQ(ending(result, milliseconds(300)), "gave no answer in 0.3 s");
}

TEST(BoundedCommand, EndsWhatClosedItsOutputAndStays) {
  EXPECT_EQ(run_sh("exec >&- 2>&-; sleep 1000", milliseconds(300)).end, End::out_of_time);
}

TEST(BoundedCommand, DoesNotWaitForWhatIsLeftBehind) {
  const auto start = std::chrono::steady_clock::now();
  const CommandResult result = run_sh("sleep 1000 & echo done");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  EXPECT_TRUE(result.is_good());
  EXPECT_EQ(result.out, "done\n");
}

TEST(BoundedCommand, EndsWhatWritesTooMuch) {
  const CommandResult result = run_sh("yes", milliseconds(60'000), 10'000);
  EXPECT_EQ(result.end, End::too_much_output);
  EXPECT_EQ(ending(result, milliseconds(1)), "wrote without an end");
}

TEST(BoundedCommand, NamesTheSignal) {
  const CommandResult result = run_sh("kill -SEGV $$");
  EXPECT_EQ(result.end, End::killed);
  EXPECT_EQ(ending(result, milliseconds(1)), "was ended by signal 11 (Segmentation fault)");
}

}  // namespace

namespace {

std::string run(const std::string& command, std::uint64_t limit_bytes = 1 << 20) {
  const auto bytes = output_of(command, limit_bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string problem_of(const std::string& command, std::uint64_t limit_bytes = 1 << 20) {
  try {
    run(command, limit_bytes);
  } catch (const Error& error) {
    return error.problem();
  }
  return "none";
}

TEST(ShellCommand, GivesItsOutput) {
  EXPECT_EQ(run("printf 'a%s' b"), "ab");
  EXPECT_EQ(run("head -c 1000000 /dev/zero").size(), 1'000'000);
  EXPECT_EQ(run("true"), "");
}

TEST(ShellCommand, GetsNoInput) {
  EXPECT_EQ(run("cat"), "");
}

TEST(ShellCommand, FailsWhereTheCommandDoes) {
  EXPECT_EQ(problem_of("printf x; exit 3"), "failed with exit status 3");
  EXPECT_EQ(problem_of("kill -9 $$"), "was ended by signal 9");
  EXPECT_EQ(problem_of("/no/such/program 2>/dev/null"), "failed with exit status 127");
}

TEST(ShellCommand, FailsWhereAnyProgramOfAPipelineDoes) {
  EXPECT_EQ(problem_of("(printf x; exit 3) | cat"), "failed with exit status 3");
  EXPECT_EQ(run("yes | head -n 2"), "y\ny\n") << "one that could not write on has not failed";
}

TEST(ShellCommand, SaysWhatTheProgramSaidLast) {
  EXPECT_EQ(problem_of("echo first >&2; printf 'why\\n\\n' >&2; exit 2"), "failed with exit status 2: why");
  EXPECT_EQ(problem_of("yes chat | head -c 300000 >&2; echo end >&2; exit 2"),
            "failed with exit status 2: end");
}

TEST(ShellCommand, IsKilledIfItTakesLong) {
  EXPECT_FALSE(output_if_soon("printf a; sleep 60", milliseconds(50), 100));
  EXPECT_FALSE(output_if_soon("yes", milliseconds(60'000), 100));
  EXPECT_EQ(output_if_soon("printf a", milliseconds(60'000), 100).value().size(), 1);
  EXPECT_THROW(output_if_soon("exit 3", milliseconds(60'000), 100), Error);
}

TEST(ShellCommand, NamesRelativePaths) {
  EXPECT_THAT(relative_paths_in("sox -v 0.9 'my/a b.wav' -t wav - | /bin/cat x.$y ../z.wav > $HOME/a"),
              ::testing::ElementsAre("0.9", "my/a", "b.wav", "../z.wav"));
}

TEST(ShellCommand, NamesTheFirstArguments) {
  EXPECT_THAT(first_arguments("sox -v 2 a.wav -t wav - | cat b.wav"),
              ::testing::ElementsAre("-v", "2", "a.wav", "-t", "wav", "-"));
  for (const char* const worked_out :
       {"cat 'a.wav'", "cat $a.wav", "cat *.wav", "cd x; cat a.wav", "cat x || cat a.wav", "cat < a.wav",
        "(cat a.wav)", "A=b.wav cat", "test -f a.wav", ""}) {
    EXPECT_THAT(first_arguments(worked_out), ::testing::IsEmpty()) << worked_out;
  }
}

TEST(ShellCommand, RunsInAnotherFolder) {
  EXPECT_EQ(run(run_from_folder("pwd | cat", "/usr/../usr/bin")), "/usr/bin\n");
  EXPECT_EQ(run_from_folder("a", "it's"), "cd -- 'it'\\''s' && a");
}

TEST(ShellCommand, NamesTheFilesThatItReads) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("a.wav", "x");
  EXPECT_THAT(files_read_by("sox -v 2 " + file + " -t wav - | cat"), ::testing::ElementsAre(file));
  EXPECT_THAT(files_read_by(run_from_folder("cat a.wav b.wav", folder.path().string())),
              ::testing::ElementsAre(file));
  EXPECT_THAT(files_read_by("cat b.wav"), ::testing::IsEmpty());
  const std::string odd = folder.write("it's' && b/c.wav", "x");
  EXPECT_THAT(files_read_by(run_from_folder("cat c.wav", odd.substr(0, odd.rfind('/')))),
              ::testing::ElementsAre(odd));
}

TEST(ShellCommand, QuotesAWord) {
  EXPECT_EQ(shell_quoted("a/b-c_1.wav"), "a/b-c_1.wav");
  for (const std::string word : {"", "two words", "it's", "$(touch x)", "a*", "~", "ä", "a\nb"})
    EXPECT_EQ(run("printf %s " + shell_quoted(word)), word);
}

TEST(ShellCommand, EndsACommandThatWritesTooMuch) {
  EXPECT_EQ(problem_of("yes", 1000), "writes more than 1000 bytes");
}

}  // namespace

}  // namespace shardmill::base
