#include "commands/sweep_summary.hpp"

#include <fmt/format.h>

#include <cmath>

#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli {

namespace {

/// Numbers in a reason differ from sample to sample; what is alike counts together.
std::string reason_kind(const std::string& text) {
  std::string kind;
  for (std::size_t k = 0; k < text.size() && kind.size() < 160; ++k) {
    const bool digit = text[k] >= '0' && text[k] <= '9';
    if (!digit)
      kind += text[k];
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json interval(const Interval& i) { return Json::array({number(i.low), number(i.high)}); }

Json measure_json(const StudySummary& s, const MeasureSummary& m) {
  Json item;
  item["name"] = m.name;
  item["count"] = m.statistics.count;
  const bool any = m.statistics.count > 0;  // else no sample has a value
  item["mean"] = number(any ? m.statistics.mean : NAN);
  item["mean_95"] = any ? interval(m.statistics.mean_confidence) : interval({NAN, NAN});
  item["deviation"] = number(any ? m.statistics.deviation : NAN);
  item["least"] = number(any ? m.statistics.least : NAN);
  item["largest"] = number(any ? m.statistics.largest : NAN);
  item["least_sample"] = m.least_sample;
  item["largest_sample"] = m.largest_sample;
  item["percentiles"] = Json::array();
  for (std::size_t k = 0; k < m.statistics.percentiles.size(); ++k) {
    Json one;
    one["level"] = SampleStatistics::levels()[k];
    one["value"] = number(m.statistics.percentiles[k]);
    one["confidence_95"] = interval(m.statistics.confidence[k]);
    item["percentiles"].push_back(one);
  }
  const auto& parameters = s.study->plan().parameters;
  for (std::size_t k = 0; k < m.correlations.size(); ++k)
    item["rank_correlations"][parameters[k].name] = number(m.correlations[k]);
  const auto& random = s.study->plan().random_parameters();
  for (std::size_t k = 0; k < m.indices.first.size(); ++k) {
    Json& one = item["sobol"][parameters[static_cast<std::size_t>(random[k])].name];
    one["first"] = number(m.indices.first[k]);
    one["first_95"] = interval(m.indices.first_confidence[k]);
    one["total"] = number(m.indices.total[k]);
    one["total_95"] = interval(m.indices.total_confidence[k]);
  }
  return item;
}

}  // namespace

StudySummary summarize(const Study& study, const StudyStore& store, const std::string& file) {
  // Ranks and points of pictures are of at most so many samples.
  constexpr long most_chosen = 65536, most_reasons = 1000;
  StudySummary s;
  s.file = file, s.description = study.description();
  s.study = &study, s.store = &store;
  s.samples = store.size(), s.done = store.done(), s.complete = s.done == s.samples;
  const std::size_t parameters = study.plan().parameters.size();
  const std::vector<std::string> names = study.measure_names();
  s.chosen.resize(parameters + names.size());
  store.each([&](const StudyStore::Sample& sample) {
    s.ok += sample.status == SampleStatus::ok;
    s.infeasible += sample.status == SampleStatus::infeasible;
    s.failed += sample.status == SampleStatus::failed;
    if (!stands_for_all(sample.number - store.first(), store.size(), most_chosen)) return;
    for (std::size_t k = 0; k < s.chosen.size(); ++k) s.chosen[k].push_back(sample.values[k]);
  });
  store.each_reason([&](const StudyStore::Sample& sample, const std::string& text) {
    std::string kind = sample.status == SampleStatus::failed ? reason_kind(text) : text;
    if (std::ssize(s.reasons) >= most_reasons && !s.reasons.count(kind)) kind = "other reasons";
    auto& [count, first] = s.reasons[kind];
    if (count++ == 0) first = sample.number;
  });
  const bool whole = store.first() == 0 && store.size() == study.total();
  for (std::size_t m = 0; m < names.size(); ++m) {
    MeasureSummary one;
    one.name = names[m];
    const ValueReader values = store.reader(static_cast<int>(parameters + m));
    one.statistics = sample_statistics(values);
    long at = store.first();
    values([&](std::span<const double> some) {
      for (const double value : some) {
        if (one.least_sample < 0 && value == one.statistics.least) one.least_sample = at;
        if (one.largest_sample < 0 && value == one.statistics.largest) one.largest_sample = at;
        ++at;
      }
    });
    for (std::size_t p = 0; p < parameters; ++p)
      one.correlations.push_back(rank_correlation(s.chosen[p], s.chosen[parameters + m]));
    if (study.plan().indices && whole && study.plan().ensemble() == study.total())
      one.indices = sobol_indices(values, study.plan().random_count());
    s.measures.push_back(std::move(one));
  }
  return s;
}

Json summary_json(const StudySummary& s, const SweepRun& run) {
  Json out = json_object();
  out["study"] = s.file;
  out["complete"] = s.complete;
  out["samples"] = s.samples;
  out["done"] = s.done;
  out["ok"] = s.ok;
  out["infeasible"] = s.infeasible;
  out["failed"] = s.failed;
  out["reasons"] = Json::array();
  for (const auto& [text, how] : s.reasons) {
    Json one;
    one["reason"] = text, one["count"] = how.first, one["first_sample"] = how.second;
    out["reasons"].push_back(one);
  }
  out["measures"] = Json::array();
  for (const MeasureSummary& m : s.measures) out["measures"].push_back(measure_json(s, m));
  out["ranks"] = run.ranks;
  out["threads"] = run.threads;
  out["wall_seconds"] = run.seconds;
  out["samples_per_second"] = run.seconds > 0 ? double(run.computed) / run.seconds : 0.0;
  if (run.costs.messages > 0)
    out["hand_out"] = {{"messages", run.costs.messages},
                       {"message_seconds", run.costs.message_seconds},
                       {"rows", run.costs.rows},
                       {"row_seconds", run.costs.row_seconds}};
  return out;
}

void print_summary(const StudySummary& s, const SweepRun& run) {
  print(heading(fmt::format("{}: {} samples, {} ok, {} infeasible, {} failed{}", printable(s.file),
                            s.samples, s.ok, s.infeasible, s.failed,
                            s.complete ? "" : fmt::format(", {} missing", s.samples - s.done))));
  std::vector<std::string> names;
  Eigen::MatrixXd numbers(static_cast<long>(s.measures.size()), 7);
  for (std::size_t k = 0; k < s.measures.size(); ++k) {
    const SampleStatistics& one = s.measures[k].statistics;
    names.push_back(s.measures[k].name);
    if (one.count == 0) {
      numbers.row(static_cast<long>(k)).setConstant(NAN);
      continue;
    }
    numbers.row(static_cast<long>(k)) << one.mean, one.deviation, one.least, one.percentiles[1],
        one.percentiles[3], one.percentiles[5], one.largest;
  }
  print(Table()
            .words("measure", names)
            .matrix({"mean", "deviation", "least", "5 %", "median", "95 %", "largest"}, numbers)
            .text());
  const auto& parameters = s.study->plan().parameters;
  for (const MeasureSummary& m : s.measures) {
    if (m.indices.first.empty()) continue;
    print(heading(fmt::format("\nSobol indices of {}", printable(m.name))));
    const auto& random = s.study->plan().random_parameters();
    std::vector<std::string> who;
    Eigen::MatrixXd table(static_cast<long>(random.size()), 6);
    for (std::size_t k = 0; k < random.size(); ++k) {
      who.push_back(parameters[static_cast<std::size_t>(random[k])].name);
      table.row(static_cast<long>(k)) << m.indices.first[k], m.indices.first_confidence[k].low,
          m.indices.first_confidence[k].high, m.indices.total[k], m.indices.total_confidence[k].low,
          m.indices.total_confidence[k].high;
    }
    print(Table()
              .words("parameter", who)
              .matrix({"first order", "from", "to", "total", "from", "to"}, table)
              .text());
  }
  for (const auto& [text, how] : s.reasons)
    print(
        fmt::format("{} times: {} (first: --sample {})\n", how.first, printable(text), how.second));
  print(fmt::format("{} samples in {:.3g} s, {:.4g} per second, {} process{} of {} thread{}\n",
                    run.computed, run.seconds, double(run.computed) / std::max(run.seconds, 1e-9),
                    run.ranks, run.ranks == 1 ? "" : "es", run.threads,
                    run.threads == 1 ? "" : "s"));
}

void print_row(const Study& study, long sample, const StudyRow& row, bool json) {
  const std::vector<std::string> titles = study.parameter_titles(), names = study.measure_names();
  if (json) {
    Json out = json_object();
    out["sample"] = sample;
    out["status"] = name_of(row.status);
    for (std::size_t k = 0; k < titles.size(); ++k) {
      const SampleParameter& parameter = study.plan().parameters[k];
      const std::string* word = parameter.word(row.parameters[k]);
      out["parameters"][parameter.name] = word ? Json(*word) : number(row.parameters[k]);
    }
    for (std::size_t k = 0; k < names.size(); ++k)
      out["measures"][names[k]] = number(row.measures[k]);
    if (!row.reason.empty()) out["reason"] = row.reason;
    return print_json(out);
  }
  print(heading(fmt::format("sample {}: {}{}", sample, name_of(row.status),
                            row.reason.empty() ? "" : ": " + printable(row.reason))));
  for (std::size_t k = 0; k < titles.size(); ++k) {
    const std::string* word = study.plan().parameters[k].word(row.parameters[k]);
    print(fmt::format("{} = {}\n", printable(titles[k]),
                      word ? printable(*word) : fmt::format("{}", row.parameters[k])));
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    print(fmt::format("{} = {}\n", printable(names[k]), row.measures[k]));
}

}  // namespace ulna::cli
