#pragma once
// One HTML file with the robot moving and its plots beside it (docs/report.md). All that the page
// shows is computed here and embedded: the channels of the run, the shapes of the robot and the
// poses of its bodies at every record. The page itself is made from web/ when Ulna is built.
//
// Channels are single precision, poses 16 bits for each number (of the extent of the motion, and of
// a quaternion): about 40 kB for each second of a 7-joint arm at 200 Hz, and nothing of it shows.

#include <string>

#include "ulna/formats/run_directory.hpp"

namespace ulna {

/// Was the page compiled in? Without npm at build time it is not.
ULNA_API bool has_report_page();

struct ReportOptions {
  std::string title;  ///< empty: the experiment's name, or the robot's
  /// Other runs of the same bodies: their lines are dashed, their robots translucent.
  std::vector<const StoredRun*> compare = {};
  bool film = false;  ///< the robot alone, without plots and controls, for film.hpp
};

/// The report of a run. ComputationError when the page was not compiled in.
ULNA_API std::string report_html(const StoredRun& run, const ReportOptions& options = {});

/// The report of a robot at q, with a slider for each one-degree joint.
ULNA_API std::string pose_html(const Model& model, const VectorRef& q,
                               const ReportOptions& options = {});

/// The data of these pages: one JSON object, safe inside <script>.
ULNA_API std::string report_json(const StoredRun& run, const ReportOptions& options = {});
ULNA_API std::string pose_json(const Model& model, const VectorRef& q,
                               const ReportOptions& options = {});

}  // namespace ulna
