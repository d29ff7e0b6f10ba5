#include "trace/request.hpp"

#include "trace/tracing.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace ulna::generate {
namespace {

/// Numbers to the last bit, words with their lengths: different data never give the same text.
class Text {
 public:
  Text& operator<<(double x) { return out_ += fmt::format("{:a} ", x), *this; }
  Text& operator<<(int x) { return out_ += fmt::format("{} ", x), *this; }
  Text& operator<<(const std::string& word) {
    return out_ += fmt::format("{}:{} ", word.size(), word), *this;
  }
  Text& operator<<(const Pose<double>& X) {
    for (int k = 0; k < 9; ++k) *this << X.rotation(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) *this << X.position(k);
    return *this;
  }
  template <class Item>
  Text& operator<<(const std::vector<Item>& list) {
    *this << static_cast<int>(list.size());
    for (const Item& item : list) *this << item;
    return *this;
  }
  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

/// The file this code was loaded from: another build may write other code.
void add_library(Text& text) {
  Dl_info here{};
  struct stat file {};
  if (dladdr(reinterpret_cast<const void*>(&request_text), &here) == 0 || !here.dli_fname) return;
  if (stat(here.dli_fname, &file) != 0) return;
  text << fmt::format("{} {}.{}", file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

void add_tree(Text& text, const Model& model) {
  text << model.name() << model.coordinates() << model.speeds() << model.coordinate_names()
       << model.speed_names();
  for (const TreeNode& node : model.topology().nodes) {
    text << node.parent << node.q << node.v << static_cast<int>(node.kind);
    for (const double x : {node.cos_phi, node.sin_phi, node.cos_alpha, node.sin_alpha, node.sigma,
                           node.h, node.offset})
      text << x;
    for (const double x : node.rotation) text << x;
  }
  const Parameters<double>& parameters = model.parameters();
  for (const double x : parameters.gravity) text << x;
  text << parameters.armature;
  for (const NodeParameters<double>& node : parameters.nodes) {
    text << node.mass;
    for (const double x : node.position) text << x;
    for (const double x : node.first_moment) text << x;
    for (const double x : node.second_moment) text << x;
  }
  for (const DegreeTerms& terms : model.degree_terms()) {
    text << terms.q << terms.v;
    for (const double x :
         {terms.multiplier, terms.offset, terms.damping, terms.friction, terms.stiffness,
          terms.rest, terms.rotor, terms.hardening, terms.backlash})
      text << x;
  }
}

void add_bodies(Text& text, const Model& model) {
  for (const Body& body : model.bodies()) text << body.name << body.node << body.X_NB;
  for (const Frame& frame : model.frames())
    text << frame.name << frame.body << frame.node << frame.X_NF;
  for (const Joint& joint : model.joints())
    text << joint.name << static_cast<int>(joint.type) << joint.parent << joint.child << joint.q
         << joint.v << joint.coordinates << joint.speeds << joint.first_node << joint.node_count
         << static_cast<int>(joint.reversed) << joint.mimicked;
}

}  // namespace

std::string request_text(const Model& model, const std::string& function,
                         const CompileOptions& options) {
  const TraceOptions& trace = options.trace;
  if (!is_plain_tree(model) || trace.thorough_seconds > 0) return {};
  Text text;
  add_library(text);
  text << function << trace.frame << trace.method << trace.speeds.name
       << static_cast<int>(options.angles_at_once) << options.pack
       << static_cast<int>(options.form);
  for (const auto& [name, formula] : trace.speeds.formulas) text << name << formula;
  add_tree(text, model);
  add_bodies(text, model);
  return text.str();
}

}  // namespace ulna::generate
