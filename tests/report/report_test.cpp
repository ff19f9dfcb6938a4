#include "report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <limits>

#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

Report small_report() {
  Report report{.title = "a <title>", .facts = {"one fact"}};
  ReportTable table{.columns = {{.title = "name", .is_number = false},
                                {.title = "size", .help = "in words", .dispensable = 2, .first = SortFirst::largest}},
                    .rows = {{"</script>", {0.1 + 0.2, "0.30", true}}, {"\xFF", {NAN, "–"}}},
                    .omitted = 3,
                    .prose = true};
  ReportSection section{.id = "one",
                        .name = "One",
                        .title = "found",
                        .mood = Mood::bad,
                        .lead = true,
                        .notes = {{"finding", "advice"}},
                        .contrasts = {{"as printed", "as found"}},
                        .table = std::move(table),
                        .code = "a && b"};
  section.figures.push_back(
      {.title = "figure",
       .spec = R"({"mark": "point"})",
       .wide = true,
       .square = true,
       .data = {{"x", std::vector<double>{1.23456789, 3, INFINITY}}, {"y", std::vector<std::string>{"a", "b", "c"}}}});
  report.sections.push_back(std::move(section));
  return report;
}

TEST(ReportJson, HasSectionsTablesAndFigures) {
  const std::string json = report_to_json(small_report());
  EXPECT_TRUE(json.starts_with(R"({"schema":"darboux-report/1","title":"a \u003ctitle>")")) << json;
  EXPECT_TRUE(
      mentions(json, {R"("facts":["one fact"])", R"("id":"one","name":"One","title":"found","mood":"bad","lead":true)",
                      R"({"title":"name","kind":"text"})",
                      R"({"title":"size","kind":"number","help":"in words","dispensable":2,"first":"largest"})",
                      R"("omitted":3,"prose":true)", R"("contrasts":[{"paper":"as printed","here":"as found"}])",
                      R"("height":230,"wide":true,"square":true)", R"({"finding":"finding","advice":"advice"})",
                      R"("spec":{"mark":"point"})", R"("code":"a && b")", "Made by darboux 0."}));
}

TEST(ReportJson, HasLegendsVerdictsAndSmallTables) {
  Report report = small_report();
  ReportSection& section = report.sections.front();
  const ReportTable small{.caption = "per second", .columns = {{.title = "n"}}, .rows = {{{2.0, "2"}}}};
  section.numbers = {small};
  section.legend = {{.label = "chain 1", .colour = "var(--chain-1)"}};
  section.contrasts = {
      {.paper = "p", .here = "long: 1; 2; 3", .verdict = "confirmed", .brief = "short", .numbers = {small}}};
  const std::string table =
      R"json({"columns":[{"title":"n","kind":"number"}],"rows":[[{"value":2.0,"text":"2"}]],"omitted":0,"caption":"per second"})json";
  const std::string contrast =
      R"json("contrasts":[{"paper":"p","here":"short","verdict":"confirmed","numbers":[)json" + table + "]}]";
  const std::string legend = R"json("legend":[{"label":"chain 1","colour":"var(--chain-1)"}])json";
  const std::string numbers = R"json("numbers":[)json" + table + R"json(],"table")json";
  EXPECT_TRUE(mentions(report_to_json(report), {legend, contrast, numbers}));
}

TEST(ReportJson, HasNoWordOnWhatIsAsUsual) {
  Report report = small_report();
  ReportSection& section = report.sections.front();
  section.contrasts.clear();
  section.table->prose = false;
  section.figures.front().wide = false;
  section.figures.front().square = false;
  const std::string json = report_to_json(report);
  for (const char* field : {"contrasts", "prose", "wide", "square", "numbers", "legend", "verdict"})
    EXPECT_EQ(json.find('"' + std::string(field) + '"'), std::string::npos) << field;
}

TEST(ReportJson, TablesKeepEveryBitAndFiguresSixDigits) {
  const std::string json = report_to_json(small_report());
  EXPECT_TRUE(
      mentions(json, {R"({"value":0.30000000000000004,"text":"0.30","alarm":true})", R"({"value":null,"text":"–"})",
                      R"({"name":"x","values":[1.23457,3,null]})", R"({"name":"y","values":["a","b","c"]})"}));
}

TEST(ReportJson, NothingInItEndsAScriptAndAllOfItIsUtf8) {
  const std::string json = report_to_json(small_report());
  EXPECT_EQ(json.find('<'), std::string::npos);
  EXPECT_TRUE(mentions(json, {R"(\u003c/script>)", "\xEF\xBF\xBD"}));
}

TEST(FillPage, PutsTheReportWhereThePageWantsIt) {
  const std::string page = std::string(report_page_start) + "<script id=data>@DATA@</script>the end @DATA@";
  const std::string filled = fill_page(page, "page.html", small_report());
  EXPECT_TRUE(filled.starts_with(std::string(report_page_start) + R"(<script id=data>{"schema")"));
  EXPECT_TRUE(filled.ends_with("}</script>the end @DATA@")) << "the first place only";
}

TEST(FillPage, RefusesWhatIsNoPage) {
  for (const std::string page : {"", "@DATA@", "<!doctype html>\n<!-- darboux report -->"})
    EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)fill_page(page, "my.html", small_report()); }),
                         {"my.html", "no page for reports"}));
}

}  // namespace
}  // namespace darboux
