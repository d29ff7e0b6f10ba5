// Logs as machines and spreadsheets write them.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What was recorded of the planar arm.
struct LogRecord {
  double t, shoulder, elbow, upper_effort, lower_effort;
};
std::vector<LogRecord> records() {
  std::vector<LogRecord> out;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.01 * k;
    out.push_back({t, std::sin(2 * t), std::cos(3 * t), 10 * std::cos(t), 5 * std::sin(t)});
  }
  return out;
}

/// A log with these titles, of cells that `row` writes.
std::string log_of(const std::string& titles,
                   const std::function<std::string(const LogRecord&)>& row) {
  std::string text = titles + "\n";
  for (const LogRecord& record : records()) text += row(record) + "\n";
  return text;
}
std::string exact_text(double x) {
  std::ostringstream text;
  text.precision(17);
  text << x;
  return text.str();
}
std::string row_text(const std::vector<double>& cells, const std::string& delimiter = ",") {
  std::string text;
  for (const double x : cells) text += (text.empty() ? "" : delimiter) + exact_text(x);
  return text;
}
constexpr double one_degree = M_PI / 180;

class LogLayout : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string arm = folder.write("arm.yaml", planar_arm);
  const std::string plain =
      log_of("t,q.shoulder,q.elbow,tau.shoulder,tau.elbow", [](const LogRecord& r) {
        return row_text({r.t, r.shoulder, r.elbow, r.upper_effort, r.lower_effort});
      });
  Json along(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"inverse", arm, "--csv", folder.write("log.csv", text)};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  }
  std::string said(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"inverse", arm, "--csv", folder.write("log.csv", text)};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_cli(words);
    EXPECT_EQ(outcome.status, 0);
    return outcome.err;
  }
  /// The efforts are those of the plain log, to the digits that the layout keeps.
  void expect_the_same(const std::string& text, double tolerance = 1e-6) {
    const Json expected = along(plain), found = along(text);
    expect_json(found["tau"], expected["tau"], tolerance);
    expect_json(found["compared"], expected["compared"], tolerance);
  }
};

// Without brackets a unit is the last word; taken for SI it would be wrong by a factor.
TEST_F(LogLayout, UnitsWithoutBrackets) {
  expect_the_same(log_of(
      "time_ms,shoulder_deg,elbow_pos_deg,shoulder_torque_Nm,elbow_mNm", [](const LogRecord& r) {
        return row_text({1e3 * r.t + 5000, r.shoulder / one_degree, r.elbow / one_degree,
                         r.upper_effort, 1e3 * r.lower_effort});
      }));
  expect_the_same(log_of("timestamp [ns],q_1 deg,q_2 rad,tau_1,tau_2 Nm", [](const LogRecord& r) {
    return row_text(
        {1e9 * r.t + 2e9, r.shoulder / one_degree, r.elbow, r.upper_effort, r.lower_effort});
  }));
  expect_the_same(
      log_of("sec,shoulder (degrees),elbow [radians],M1 torque,M2 torque", [](const LogRecord& r) {
        return row_text({r.t, r.shoulder / one_degree, r.elbow, r.upper_effort, r.lower_effort});
      }));
  // Numbered joints, what was measured told by the unit alone.
  expect_the_same(log_of("t_s,J1 (deg),J2 (deg),M1 (Nm),M2 (Nm)", [](const LogRecord& r) {
    return row_text(
        {r.t, r.shoulder / one_degree, r.elbow / one_degree, r.upper_effort, r.lower_effort});
  }));
  // The place of a tool is no coordinate of hinges.
  EXPECT_THAT(said(log_of("t,q1,q2,frame 1 [m],axis 2 [A]",
                          [](const LogRecord& r) {
                            return row_text({r.t, r.shoulder, r.elbow, 7, 8});
                          })),
              HasSubstr("unused columns: frame 1 [m], axis 2 [A]"));
  // A word that is no unit of the quantity says nothing: it may belong to the name.
  expect_the_same(log_of("t,q_1_s,q_2_m,tau_1_t,tau_2_h", [](const LogRecord& r) {
    return row_text({r.t, r.shoulder, r.elbow, r.upper_effort, r.lower_effort});
  }));
}

TEST_F(LogLayout, PositionsBeyondTheLimitsMayBeInDegrees) {
  const std::string text = log_of("t,shoulder,elbow", [](const LogRecord& r) {
    return row_text({r.t, r.shoulder / one_degree, r.elbow});
  });
  const std::string err = said(text);
  EXPECT_THAT(err,
              HasSubstr("q.shoulder goes from -57.29 to 57.29 rad, its limits are -2.967 and"));
  EXPECT_THAT(err, HasSubstr("--column 'q.shoulder=shoulder*pi/180'"));
  EXPECT_THAT(err, Not(HasSubstr("q.elbow goes")));
  // What it proposes works.
  EXPECT_THAT(said(text, {"--column", "q.shoulder=shoulder*pi/180"}), Not(HasSubstr("goes from")));
}

TEST_F(LogLayout, EncodingsOfSpreadsheets) {
  const auto german = [](const std::string& degree_sign) {
    std::string text = log_of(
        "Zeit;shoulder [" + degree_sign + "];elbow [" + degree_sign + "];M1 torque;M2 torque",
        [](const LogRecord& r) {
          return row_text({r.t, r.shoulder / one_degree, r.elbow / one_degree, r.upper_effort,
                           r.lower_effort},
                          ";") +
                 "\r";
        });
    for (char& c : text)
      if (c == '.') c = ',';
    return text;
  };
  expect_the_same("\xEF\xBB\xBF" + german("\xC2\xB0"));
  std::string words = german("\xC2\xB0");
  words.replace(0, words.find('\n'),
                "Zeit;Winkel shoulder [\xC2\xB0];Winkel elbow [\xC2\xB0];"
                "Drehmoment shoulder [Nm];Drehmoment elbow [Nm]\r");
  expect_the_same(words);
  expect_the_same(german("\xB0"));  // Windows-1252
  std::string wide = "\xFF\xFE";
  for (const char c : german("\xB0")) wide += {c, '\0'};
  expect_the_same(wide);
}

TEST_F(LogLayout, ClockTimesAndWords) {
  const auto clock = [](double t) {
    const long ms = std::lround(1e3 * t) + 59000;  // passes a full minute and midnight
    char text[40];
    std::snprintf(text, sizeof text, "%02ld:%02ld:%02ld.%03ld", ms / 60000 % 60 ? 0L : 23L,
                  (59 + ms / 60000) % 60, ms / 1000 % 60, ms % 1000);
    return std::pair(ms < 60000, std::string(text));
  };
  expect_the_same(log_of("stamp,state,shoulder,elbow,tau.shoulder,tau.elbow,remark",
                         [&](const LogRecord& r) {
                           const auto [before, time] = clock(r.t);
                           return std::string(before ? "2024-02-29 " : "2024-03-01 ") + time +
                                  (r.t < 2 ? ",AUTO," : ",HOLD,") +
                                  row_text({r.shoulder, r.elbow, r.upper_effort, r.lower_effort}) +
                                  ",";
                         }),
                  1e-4);
  const std::string words = log_of("t,state,shoulder,elbow", [](const LogRecord& r) {
    return exact_text(r.t) + ",AUTO," + row_text({r.shoulder, r.elbow});
  });
  EXPECT_THAT(said(words), HasSubstr("unused columns: state"));
  expect_refusal({"inverse", arm, "--csv", folder.path("log.csv"), "--column", "q.elbow=state"},
                 {"this column holds words, such as 'AUTO'"});
  // Where a position is expected, what is no number is an error.
  const std::string bad =
      folder.write("bad.csv", log_of("t,shoulder,elbow", [](const LogRecord& r) {
                     return row_text({r.t, r.shoulder}) + "," + exact_text(r.elbow) + " rad";
                   }));
  expect_refusal({"inverse", arm, "--csv", bad}, {"bad.csv:2", "'elbow'", "rad'", "a number"});
}

// An empty cell matters where the column is used.
TEST_F(LogLayout, EmptyCells) {
  int row = 0;
  const std::string unused = log_of("t,shoulder,elbow,current", [&](const LogRecord& r) {
    return row_text({r.t, r.shoulder, r.elbow}) + (++row % 3 ? ",1" : ",");
  });
  EXPECT_EQ(along(unused)["t"].size(), 400u);
  EXPECT_THAT(said(unused), Not(HasSubstr("empty")));
  row = 0;
  const std::string used = log_of("t,shoulder,elbow,current", [&](const LogRecord& r) {
    return row_text({r.t, r.shoulder}) + (++row == 30 ? "," : "," + exact_text(r.elbow)) + ",1";
  });
  EXPECT_THAT(said(used), HasSubstr("the record in line 31 was left out"));
  EXPECT_THAT(said(used), HasSubstr("a gap of at most 5 intervals was interpolated"));
}

TEST_F(LogLayout, WhatWasNotRecordedIsSaid) {
  const std::string one = log_of("t,shoulder,v.shoulder", [](const LogRecord& r) {
    return row_text({r.t, r.shoulder, 0});
  });
  const std::string err = said(one);
  EXPECT_THAT(err, HasSubstr("elbow was not recorded and taken to rest at its neutral value"));
  EXPECT_THAT(err, HasSubstr("unused columns: v.shoulder"));
  EXPECT_THAT(said(plain), Not(HasSubstr("not recorded")));
}

TEST_F(LogLayout, RatesGapsAndNoiseAreToldOnTheTerminal) {
  const auto at = [](const std::function<double(double)>& time) {
    return log_of("t,shoulder,elbow", [&](const LogRecord& r) {
      return row_text({time(r.t), r.shoulder, r.elbow});
    });
  };
  EXPECT_THAT(said(at([](double t) { return 1000 * t; })),
              HasSubstr("0.1 records a second; if the times are not in seconds"));
  EXPECT_THAT(said(at([](double t) { return 1e9 * t; })), HasSubstr("--column 't=TITLE*1e-9'"));
  EXPECT_THAT(said(at([](double t) { return t < 2 ? t : t + 1; })),
              HasSubstr("a gap splits the log, 1.01 s at 1.99 s"));
  folder.write("back.csv", at([](double t) { return -t; }));
  expect_refusal({"inverse", arm, "--csv", folder.path("back.csv")}, {"times that ascend"});
  unsigned seed = 1;
  const std::string noisy = log_of("t,shoulder,elbow", [&](const LogRecord& r) {
    seed = 1664525 * seed + 1013904223;
    return row_text({r.t, r.shoulder + 0.02 * (seed / 4294967296.0 - 0.5), r.elbow});
  });
  EXPECT_THAT(said(noisy, {"--cutoff", "40"}), HasSubstr("amplifies the noise"));
}

TEST_F(LogLayout, UnitsTellEffortsFromCoordinates) {
  std::string text = "Zeit [s]\tshoulder [deg]\telbow [\xC2\xB0]\tM_shoulder [Nm]\telbow [N m]\n";
  for (int k = 0; k < 400; ++k) {
    const double t = 0.01 * k;
    text += std::to_string(t + 100) + "\t" + std::to_string(20 * std::sin(2 * t)) + "\t" +
            std::to_string(30 * std::cos(3 * t)) + "\t" + std::to_string(std::sin(t)) + "\t" +
            std::to_string(std::cos(t)) + "\n";
  }
  const Json out = run_json({"inverse", arm, "--csv", folder.write("log.csv", text)});
  EXPECT_EQ(out["compared"]["speeds"], Json({"shoulder", "elbow"}));
  const Outcome notes = run_cli({"inverse", arm, "--csv", folder.path("log.csv")});
  EXPECT_THAT(notes.err, HasSubstr("tau.shoulder from 'M_shoulder [Nm]'"));
  EXPECT_THAT(notes.err, HasSubstr("tau.elbow from 'elbow [N m]'"));
  EXPECT_THAT(notes.err, HasSubstr("q.elbow from 'elbow [\xC2\xB0]'"));
  std::string rows = "t,q1,q2\n";
  for (int k = 0; k < 200; ++k)
    rows += std::to_string(0.01 * k) + "," + std::to_string(std::sin(0.05 * k)) + ",0\n";
  expect_refusal({"identify", arm, folder.write("q.csv", rows)},
                 {"efforts of 0 of 2 speeds", "--column tau.JOINT=TITLE"});
}

}  // namespace
}  // namespace ulna::test
