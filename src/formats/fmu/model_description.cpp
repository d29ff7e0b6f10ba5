#include "fmu/model_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out;
}

/// A variable with all that the two versions say of it.
struct Described {
  std::string name, unit, causality, variability, initial;
  bool has_start = false;
  double start = 0;
  int derivative_of = -1;  ///< place among the variables
};

class Description {
 public:
  Description(const FmuDescription& fmu, const FmuVariables& v) : fmu_(fmu), v_(v) { collect(); }

  std::string text() const {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + head() + interfaces() + units();
    out += fmt::format(
        "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n"
        "  <DefaultExperiment startTime=\"0\" stopTime=\"{}\" tolerance=\"{}\" stepSize=\"{}\"/>\n",
        fmu_.duration, fmu_.tolerance, fmu_.interval);
    return out + variables() + structure() + "</fmiModelDescription>\n";
  }

 private:
  bool three() const { return fmu_.version == 3; }

  void collect() {
    list_.push_back({"time", "s", "independent", "continuous", "", false, 0, -1});
    for (const FmuVariable& p : v_.parameters)
      list_.push_back({p.name, p.unit, "parameter", "fixed", "exact", true, p.start, -1});
    for (const FmuVariable& u : v_.inputs)
      list_.push_back({u.name, u.unit, "input", "continuous", "", true, u.start, -1});
    outputs_ = static_cast<int>(list_.size());
    for (const FmuVariable& y : v_.outputs)
      list_.push_back({y.name, y.unit, "output", "continuous", "calculated", false, 0, -1});
    states_ = static_cast<int>(list_.size());
    for (const FmuVariable& x : v_.states)
      list_.push_back({"state." + x.name, "", "local", "continuous", "calculated", false, 0, -1});
    rates_ = static_cast<int>(list_.size());
    for (std::size_t k = 0; k < v_.states.size(); ++k)
      list_.push_back({"der(state." + v_.states[k].name + ")", "", "local", "continuous",
                       "calculated", false, 0, states_ + static_cast<int>(k)});
    indicators_ = static_cast<int>(list_.size());
    for (int k = 0; k < v_.indicators; ++k)
      list_.push_back(
          {fmt::format("indicator.{}", k), "", "local", "continuous", "calculated", false, 0, -1});
    make_names_differ();
  }

  /// An input tau.joint1 and an output of the same name: the output gets another one.
  void make_names_differ() {
    std::set<std::string> taken;
    for (Described& d : list_)
      while (!taken.insert(d.name).second) d.name += d.causality == "output" ? ".now" : "_";
  }

  std::string head() const {
    return fmt::format(
        "<fmiModelDescription fmiVersion=\"{}.0\" modelName=\"{}\" {}=\"{}\"\n"
        "    description=\"{}\" generationTool=\"Ulna {}\" variableNamingConvention=\"flat\"{}>\n",
        fmu_.version, escaped(fmu_.name), three() ? "instantiationToken" : "guid",
        escaped(fmu_.token), escaped(fmu_.description), ULNA_VERSION,
        three() ? "" : fmt::format(" numberOfEventIndicators=\"{}\"", v_.indicators));
  }

  std::string interfaces() const {
    const std::string state = three() ? "State" : "state";
    const std::string common = fmt::format(
        "modelIdentifier=\"{}\" canGetAndSetFMU{}=\"true\" canSerializeFMU{}=\"true\"\n"
        "      providesDirectionalDerivative{}=\"true\"",
        fmu_.identifier, state, state, three() ? "s" : "");
    std::string sources;
    if (!three() && !fmu_.sources.empty()) {
      sources = "    <SourceFiles>\n";
      for (const std::string& file : fmu_.sources)
        if (file.ends_with(".c"))
          sources += fmt::format("      <File name=\"{}\"/>\n", escaped(file));
      sources += "    </SourceFiles>\n";
    }
    const auto element = [&](const char* name, const std::string& more) {
      return fmt::format("  <{} {}{}", name, common, more) +
             (sources.empty() ? "/>\n" : ">\n" + sources + fmt::format("  </{}>\n", name));
    };
    std::string out;
    // FMI 3 calls completedIntegratorStep, which keeps loops closed, only where it is asked for.
    if (v_.why_no_exchange.empty())
      out +=
          element("ModelExchange", three() ? "\n      needsCompletedIntegratorStep=\"true\"" : "");
    return out + element("CoSimulation", "\n      canHandleVariableCommunicationStepSize=\"true\"");
  }

  std::string units() const {
    std::set<std::string> names;
    for (const Described& d : list_)
      if (!d.unit.empty()) names.insert(d.unit);
    std::string out = "  <UnitDefinitions>\n";
    for (const std::string& name : names)
      out += fmt::format("    <Unit name=\"{}\"/>\n", escaped(name));
    return out + "  </UnitDefinitions>\n";
  }

  std::string attributes(const Described& d) const {
    std::string out;
    if (!d.unit.empty()) out += fmt::format(" unit=\"{}\"", escaped(d.unit));
    if (d.has_start) out += fmt::format(" start=\"{}\"", d.start);
    if (d.derivative_of >= 0)
      out += fmt::format(" derivative=\"{}\"", three() ? d.derivative_of : d.derivative_of + 1);
    return out;
  }

  std::string variables() const {
    std::string out = "  <ModelVariables>\n";
    for (std::size_t k = 0; k < list_.size(); ++k) {
      const Described& d = list_[k];
      const std::string common =
          fmt::format("name=\"{}\" valueReference=\"{}\" causality=\"{}\" variability=\"{}\"{}",
                      escaped(d.name), k, d.causality, d.variability,
                      d.initial.empty() ? "" : fmt::format(" initial=\"{}\"", d.initial));
      out += three()
                 ? fmt::format("    <Float64 {}{}/>\n", common, attributes(d))
                 : fmt::format("    <ScalarVariable {}>\n      <Real{}/>\n    </ScalarVariable>\n",
                               common, attributes(d));
    }
    return out + "  </ModelVariables>\n";
  }

  /// Elements for the variables first, ..., last - 1.
  std::string unknowns(int first, int last, const char* name) const {
    std::string out;
    for (int k = first; k < last; ++k)
      out += three() ? fmt::format("    <{} valueReference=\"{}\"/>\n", name, k)
                     : fmt::format("      <Unknown index=\"{}\"/>\n", k + 1);
    return out;
  }
  static std::string wrapped(const char* name, const std::string& inner) {
    return inner.empty() ? "" : fmt::format("    <{0}>\n{1}    </{0}>\n", name, inner);
  }

  std::string structure() const {
    const int all = static_cast<int>(list_.size());
    if (three())
      return "  <ModelStructure>\n" + unknowns(outputs_, states_, "Output") +
             unknowns(rates_, indicators_, "ContinuousStateDerivative") +
             unknowns(outputs_, indicators_, "InitialUnknown") +
             unknowns(indicators_, all, "EventIndicator") + "  </ModelStructure>\n";
    return "  <ModelStructure>\n" + wrapped("Outputs", unknowns(outputs_, states_, "")) +
           wrapped("Derivatives", unknowns(rates_, indicators_, "")) +
           wrapped("InitialUnknowns", unknowns(outputs_, indicators_, "")) +
           "  </ModelStructure>\n";
  }

  const FmuDescription& fmu_;
  const FmuVariables& v_;
  std::vector<Described> list_;
  int outputs_ = 0, states_ = 0, rates_ = 0, indicators_ = 0;
};

}  // namespace

std::string model_description(const FmuDescription& fmu, const FmuVariables& variables) {
  return Description(fmu, variables).text();
}

std::string build_description(const FmuDescription& fmu) {
  std::string files;
  for (const std::string& file : fmu.sources)
    if (file.ends_with(".c"))
      files += fmt::format("      <SourceFile name=\"{}\"/>\n", escaped(file));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"{}\">\n    <SourceFileSet language=\"C99\">\n{}"
      "    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
      fmu.identifier, files);
}

}  // namespace ulna
