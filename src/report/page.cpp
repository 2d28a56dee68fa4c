#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "base/version.hpp"
#include "manifest/seal.hpp"
#include "report/sections.hpp"
#include "report/shared.hpp"
#include "report/style.hpp"

namespace shardmill::report {

namespace {

constexpr std::size_t kLongestName = 80;

void add_figure(page::MarkupWriter& html, std::string_view what, const std::string& figure,
                const std::string& more) {
  html.open("div").element("dt", what).element("dd", figure);
  html.element("dd", more, {{"class", "more"}}).close();
}

void add_figures(page::MarkupWriter& html, const ReportFacts& facts) {
  const manifest::DatasetRecord& dataset = *facts.records.dataset;
  const double spread = dataset.balance.max_seconds - dataset.balance.min_seconds;
  html.open("dl", {{"class", "figures"}});
  add_figure(html, "audio", base::format_audio(dataset.seconds),
             base::format_count(dataset.samples, "sample"));
  if (dataset.with_text) {
    const std::uint64_t without = dataset.samples - std::min(dataset.samples, *dataset.with_text);
    add_figure(html, "text", without == 0 ? "all" : base::format_count(*dataset.with_text),
               without == 0
                   ? "samples have a transcript"
                   : fmt::format("samples have a transcript, {} have none", base::format_count(without)));
  }
  add_figure(html, "shards", base::format_count(dataset.shards),
             fmt::format("{} each", base::format_audio(dataset.balance.mean_seconds)));
  add_figure(html, "spread", format_spread(spread), "from the emptiest to the fullest shard");
  add_figure(html, "size", base::format_size(dataset.bytes),
             fmt::format("{}; audio files {}",
                         facts.records.shards->front().codec == "none" ? "plain tar"
                                                                       : facts.records.shards->front().codec,
                         base::format_size(dataset.audio_bytes)));
  add_figure(html, "left out", base::format_count(dataset.rejects),
             dataset.rejects == 0 ? "nothing" : "see below");
  html.close();
}

void add_sections(page::MarkupWriter& html, const ReportFacts& facts) {
  if (facts.records.dataset->seconds == 0) {
    html.element("p", "There is no audio in this dataset.", {{"class", "lead"}});
  } else {
    add_balance(html, facts);
    add_ranks(html, facts);
    add_steps(html, facts);
    add_mix(html, facts);
    add_durations(html, facts);
    add_formats(html, facts);
    add_quality(html, facts);
  }
  add_rejects(html, facts);
  add_run(html, facts);
}

}  // namespace

std::string folder_name(const ReportFacts& facts) {
  return page::shortened(std::filesystem::path(base::canonical(facts.records.folder)).filename().string(),
                         kLongestName);
}

std::string whole_page(const std::string& name, const std::function<void(page::MarkupWriter&)>& add_content) {
  std::string text;
  page::MarkupWriter html(text);
  html.literal("<!DOCTYPE html>\n").open("html", {{"lang", "en"}}).open("head");
  html.empty("meta", {{"charset", "utf-8"}});
  html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.element("title", name + " \u2013 shardmill report");
  html.open("style").literal(kReportStyle).close().close().open("body").open("main");
  html.open("header").element("p", "shardmill report", {{"class", "kicker"}}).element("h1", name);
  add_content(html);
  html.element("footer", fmt::format("From the records of the dataset, by shardmill {}.", base::version()));
  html.close().close().close();
  manifest::end_sealed_page(text);
  return text;
}

std::string report_page(const ReportFacts& facts) {
  return whole_page(folder_name(facts), [&](page::MarkupWriter& html) {
    add_figures(html, facts);
    html.close();
    add_sections(html, facts);
  });
}

}  // namespace shardmill::report
