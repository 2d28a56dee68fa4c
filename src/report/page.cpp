#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "base/version.hpp"
#include "manifest/json_fields.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

/// The colours are Okabe and Ito's, which colour-blind people can tell apart; the yellow is darker, to be
/// visible on paper. Only system fonts are used.
constexpr std::string_view kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c2126; --quiet: #5d6670; --faint: #e4e7ea; --panel: #f6f7f8; --bar: #5f7183;
  --d0: #0072b2; --d1: #e69f00; --d2: #009e73; --d3: #d55e00; --d4: #56b4e9; --d5: #cc79a7; --d6: #b5a400;
  --dx: #9aa1a8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e6e8ea; --quiet: #9aa3ac; --faint: #2c3238; --panel: #1c2125; --bar: #8296aa;
    --d0: #3c9ad6; --d1: #e6a51a; --d2: #1fb58a; --d3: #e2703a; --d4: #7cc7f2; --d5: #d68fb5; --d6: #d3c53a;
    --dx: #6f7780;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
}
main { max-width: 1008px; margin: 0 auto; padding: 40px 24px 64px; }
.kicker { margin: 0; color: var(--quiet); font-size: 13px; letter-spacing: .04em; }
h1 { margin: 0 0 20px; font-size: 30px; line-height: 1.2; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 0 0 4px; font-size: 20px; line-height: 1.3; font-weight: 650; }
h3 { margin: 20px 0 4px; font-size: 15px; font-weight: 650; }
section { margin-top: 44px; }
section > h3:first-child { margin-top: 0; }
.lead { margin: 0 0 14px; max-width: 76ch; overflow-wrap: anywhere; }
.note, footer { color: var(--quiet); font-size: 14px; }
footer { margin-top: 56px; padding-top: 12px; border-top: 1px solid var(--faint); }
code, pre { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: 0; padding: 10px 14px; background: var(--panel); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(164px, 1fr)); gap: 12px; margin: 0; }
.figures > div { padding: 12px 16px; background: var(--panel); border-radius: 8px; }
.figures dt { color: var(--quiet); font-size: 13px; }
.figures dd { margin: 0; font-size: 24px; line-height: 1.3; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures .more { color: var(--quiet); font-size: 13px; font-weight: 400; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 0 16px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 0 0 6px; padding: 0; list-style: none;
  font-size: 14px; overflow-wrap: anywhere; }
.swatch { display: inline-block; width: 10px; height: 10px; margin-right: 7px; border-radius: 2px; }
.scroll { overflow-x: auto; margin-top: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { color: var(--quiet); font-weight: 500; text-align: left; vertical-align: bottom; }
th, td { padding: 5px 16px 5px 0; border-bottom: 1px solid var(--faint); vertical-align: top;
  overflow-wrap: anywhere; }
th, td:first-child { overflow-wrap: break-word; }
th:empty { padding: 0; }
th.number, td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
.examples { margin: 0; padding-left: 16px; }
svg { display: block; width: 100%; height: auto; margin: 6px 0; }
svg.slim { display: none; }
svg text { fill: var(--quiet); font-size: 12px; font-variant-numeric: tabular-nums; }
.strong { fill: var(--ink); }
.y, .end { text-anchor: end; }
.x { text-anchor: middle; }
.grid { stroke: var(--faint); }
.zero { stroke: var(--quiet); }
.level { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 5 4; }
.hit { fill: transparent; }
g:hover > .hit { fill: var(--ink); fill-opacity: .09; }
.bar { fill: var(--bar); }
.soft { fill: var(--bar); fill-opacity: .45; }
.d0 { fill: var(--d0); background: var(--d0); }
.d1 { fill: var(--d1); background: var(--d1); }
.d2 { fill: var(--d2); background: var(--d2); }
.d3 { fill: var(--d3); background: var(--d3); }
.d4 { fill: var(--d4); background: var(--d4); }
.d5 { fill: var(--d5); background: var(--d5); }
.d6 { fill: var(--d6); background: var(--d6); }
.dx { fill: var(--dx); background: var(--dx); }
@media (max-width: 640px) {
  section { overflow-x: auto; }
  svg.roomy { display: none; }
  svg.slim { display: block; }
  td:first-child:not(.number) { min-width: 7em; }
}
@media (max-width: 480px) {
  main { padding: 24px 14px 40px; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { padding: 7px 0; border-bottom: 1px solid var(--faint); }
  td, td.number { padding: 1px 0; border: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  td[data-heading]:not([data-heading=""])::before { content: attr(data-heading) ": "; color: var(--quiet); }
}
@media print {
  :root { --paper: #fff; --ink: #000; --quiet: #444; --faint: #ccc; --panel: #f3f3f3; --bar: #5f7183; }
  body { font-size: 11pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  .figures { grid-template-columns: repeat(5, 1fr); gap: 6px; }
  .figures > div { padding: 6px 8px; }
  .figures dd { font-size: 17px; }
  .pairs { grid-template-columns: 1fr 1fr; }
  section { margin-top: 28px; }
  h2, h3, .lead, .legend { break-after: avoid; }
  svg, tr, .lead, .figures { break-inside: avoid; }
  .scroll { overflow: visible; }
}
)css";

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
  const std::uint64_t without = dataset.samples - std::min(dataset.samples, dataset.with_text);
  add_figure(html, "text", without == 0 ? "all" : base::format_count(dataset.with_text),
             without == 0
                 ? "samples have a transcript"
                 : fmt::format("samples have a transcript, {} have none", base::format_count(without)));
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
