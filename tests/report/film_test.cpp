// When the pictures of a film are taken.

#include "ulna/report/internal/film.hpp"

#include <gmock/gmock.h>

namespace ulna {
namespace {

StoredRun run_from(double start, double end) {
  StoredRun run;
  run.columns = {"t[s]"};
  run.values.resize(2, 1);
  run.values << start, end;
  return run;
}

TEST(Film, GoesFromTheFirstRecordToTheLast) {
  const std::vector<double> times = film_times(run_from(1, 3), {});
  ASSERT_EQ(times.size(), 51u);  // 2 s of 25 pictures, and the last
  EXPECT_EQ(times.front(), 1);
  EXPECT_EQ(times.back(), 3);
}

TEST(Film, AnEndOffByRoundingCounts) {
  EXPECT_EQ(film_times(run_from(0, 0.1 + 0.2 - 1e-17), {.fps = 10}).size(), 4u);
  EXPECT_EQ(film_times(run_from(0, 0.35), {.fps = 10}).size(), 4u);
  EXPECT_EQ(film_times(run_from(5, 5), {}).size(), 1u);
}

TEST(Film, SpeedIsTimeOfTheRunInASecond) {
  const std::vector<double> slow = film_times(run_from(0, 1), {.fps = 10, .speed = 0.5});
  ASSERT_EQ(slow.size(), 21u);
  EXPECT_DOUBLE_EQ(slow[1], 0.05);
  EXPECT_THROW(film_times(run_from(0, 1), {.speed = 0}), InputError);
  EXPECT_THROW(film_times(run_from(0, 1), {.width = 4}), InputError);
  EXPECT_THROW(film_times(run_from(0, 1e9), {}), InputError);
}

}  // namespace
}  // namespace ulna
