#pragma once
// An experiment as a functional mock-up unit (FMI 2.0 or 3.0, docs/fmu.md), for any program that
// imports such units: co-simulation and model exchange.
//
//   const FmuReport made = write_fmu("arm.yaml", "arm.fmu");
//
// Rigid trees and loops whose joints are under given efforts or classical controllers become
// generated C with a binary for this machine; all else runs on the library, which is packed with
// the files that it needs.

#include <string>
#include <vector>

#include "ulna/formats/read_experiment.hpp"

namespace ulna {

struct FmuOptions {
  int version = 2;  ///< of FMI: 2 or 3
  enum class Kind { automatic, source, library };
  Kind kind = Kind::automatic;
  /// Names (stepping.hpp); "open": what the experiment says nothing about, "all", "none".
  std::vector<std::string> inputs = {"open"};
  std::vector<std::string> outputs;  ///< channels; empty: those of the file, else q, v and tau
  /// Paths of numbers (parameters.hpp); "usual": constants, gains, masses of payloads; "none".
  std::vector<std::string> parameters = {"usual"};
  std::string compiler;  ///< when empty $CC if set, else cc
  ReadOptions read;
};

struct FmuReport {
  bool source = false;          ///< generated C, not the library
  std::string why_library;      ///< what generated C cannot say; empty for source FMUs
  bool model_exchange = false;  ///< besides co-simulation
  std::string why_no_exchange;
  std::vector<std::string> inputs, outputs, parameters, states;
  int indicators = 0;
  std::vector<std::string> files;  ///< in the FMU
  std::string warning;             ///< no binary, say
};

/// InputError for what cannot be an FMU, ComputationError where a compiler fails; the file appears
/// complete or not at all.
ULNA_API FmuReport write_fmu(const std::string& experiment_file, const std::string& fmu_file,
                             const FmuOptions& options = {});
/// Of an experiment made in code. Only generated C holds such an experiment: what the library must
/// run is an InputError that says why, and needs an experiment file. Parameters are gains that hold
/// for all joints of a controller, and masses of payloads.
ULNA_API FmuReport write_fmu(const Experiment& experiment, const std::string& fmu_file,
                             const FmuOptions& options = {});

}  // namespace ulna
