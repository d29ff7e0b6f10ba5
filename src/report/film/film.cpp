#include "ulna/report/internal/film.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "film/headless_browser.hpp"

namespace ulna {
namespace {

void require(bool good, const char* what, const std::string& found, const char* expected) {
  if (!good) throw InputError(Problem{{}, what, found + " found", expected, {}});
}

}  // namespace

std::vector<double> film_times(const StoredRun& run, const FilmOptions& options) {
  const auto size_fits = [](int pixels) { return pixels >= 16 && pixels <= 8192; };
  require(size_fits(options.width) && size_fits(options.height), "size",
          fmt::format("{}x{}", options.width, options.height), "16 to 8192 pixels each way");
  require(options.fps > 0 && options.fps <= 1000, "fps", fmt::format("{}", options.fps),
          "a number above 0, at most 1000");
  require(options.speed > 0 && std::isfinite(options.speed), "speed",
          fmt::format("{}", options.speed), "a number above 0");
  if (run.values.rows() == 0)
    throw InputError(Problem{{run.directory}, {}, "the run holds no records", "at least one", {}});
  const double start = run.values(0, 0), span = run.values(run.values.rows() - 1, 0) - start;
  // A step that is the end but for rounding is one.
  const double steps = std::floor(span * options.fps / options.speed * (1 + 1e-12) + 1e-9);
  require(steps < 100'000, "film", fmt::format("{:.0f} pictures", steps + 1),
          "at most 100 000: fewer pictures a second, or a higher speed");
  std::vector<double> times;
  for (long k = 0; k <= static_cast<long>(steps); ++k)
    times.push_back(start + std::min(span, static_cast<double>(k) * options.speed / options.fps));
  return times;
}

void film_run(const StoredRun& run, const ReportOptions& report, const FilmOptions& options,
              const std::function<bool(const std::string&)>& take) {
  const std::vector<double> times = film_times(run, options);
  ReportOptions film = report;
  film.film = true;
  const TemporaryFolder folder;
  const std::string page = folder.file("film.html");
  std::ofstream(page, std::ios::binary) << report_html(run, film);
  HeadlessBrowser browser(page, options.width, options.height);
  for (const double t : times) {
    browser.evaluate(fmt::format("ulnaFilm.show({})", t));
    if (!take(browser.screenshot())) return;
  }
}

}  // namespace ulna
