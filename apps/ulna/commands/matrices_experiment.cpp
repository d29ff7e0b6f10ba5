#include "commands/matrices_experiment.hpp"

#include <fmt/format.h>

#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"

namespace ulna::cli::matrices_experiment_detail {
namespace {

struct NamedMatrix {
  const char* key;
  Matrix4<double> matrix;
};

/// The names of `ulna matrices ROBOT --json`.
std::vector<NamedMatrix> matrices_of(const LinkMatrices& link) {
  return {{"relative_position", link.relative_position.matrix},
          {"absolute_position", link.absolute_position.matrix},
          {"relative_velocity_local", link.relative_velocity_local.matrix},
          {"relative_velocity_base", link.relative_velocity_base.matrix},
          {"absolute_velocity", link.absolute_velocity.matrix},
          {"relative_acceleration_local", link.relative_acceleration_local.matrix},
          {"relative_acceleration_base", link.relative_acceleration_base.matrix},
          {"absolute_acceleration", link.absolute_acceleration.matrix},
          {"inertia_local", link.inertia_local.matrix},
          {"inertia_base", link.inertia_base.matrix},
          {"link_action", link.link_action.matrix},
          {"joint_action", link.joint_action.matrix}};
}

/// The links that were asked for; all when none was.
std::vector<LinkMatrices> chosen_links(const Model& model, const std::vector<LinkMatrices>& links,
                                       const std::vector<std::string>& names) {
  if (names.empty()) return links;
  std::vector<LinkMatrices> some;
  for (const std::string& name : names) {
    const int body = model.body(name);
    for (const LinkMatrices& link : links)
      if (link.body == body) some.push_back(link);
  }
  if (some.empty())
    throw InputError(Problem{{}, "--body", "the world is no link", "a body of the robot", {}});
  return some;
}

Json links_to_json(const Model& model, const std::vector<LinkMatrices>& links) {
  Json list = Json::array();
  for (const LinkMatrices& link : links) {
    Json out;
    out["body"] = model.bodies()[link.body].name;
    out["parent"] = model.bodies()[link.parent].name;
    out["joint"] = model.joints()[link.joint].name;
    for (const NamedMatrix& named : matrices_of(link))
      out[named.key] = matrix_to_json(named.matrix);
    out["screws"] = Json::array();
    for (const ScrewMatrix<double>& L : link.screws)
      out["screws"].push_back(matrix_to_json(L.matrix));
    list.push_back(std::move(out));
  }
  return list;
}

void print_links(const Model& model, const std::vector<LinkMatrices>& links) {
  for (const LinkMatrices& link : links) {
    print(heading(fmt::format("{}, held by {} through {}", model.bodies()[link.body].name,
                              model.bodies()[link.parent].name, model.joints()[link.joint].name)));
    for (const NamedMatrix& named : matrices_of(link)) {
      print(fmt::format("  {}\n", named.key));
      print(matrix_text(named.matrix));
    }
    print("\n");
  }
}

struct LinksAt {
  double t;
  std::vector<LinkMatrices> links;
};

/// Bodies that something may push: wrenches, contacts, rolling.
std::vector<int> loaded_bodies(const Experiment& e) {
  std::vector<char> loaded(e.model->bodies().size(), 0);
  for (const AppliedWrench& w : e.wrenches) loaded[static_cast<std::size_t>(w.body)] = 1;
  if (!e.contacts.empty() || !e.nonholonomic.empty()) loaded.assign(loaded.size(), 1);
  std::vector<int> bodies;
  for (std::size_t b = 1; b < loaded.size(); ++b)
    if (loaded[b]) bodies.push_back(static_cast<int>(b));
  return bodies;
}

/// The matrices at every record: those of the state there and of what pushes the bodies there.
std::vector<LinksAt> along(const ReadExperiment& read, const ExperimentOptions& options,
                           const std::vector<std::string>& names) {
  const Model& model = *read.experiment.model;
  const std::vector<int> loaded = loaded_bodies(read.experiment);
  ReadExperiment state = read;
  state.experiment.record.channels = {"q", "v", "a"};
  for (const int body : loaded)
    state.experiment.record.channels.push_back("external." + model.bodies()[body].name);
  const long nq = model.coordinates(), nv = model.speeds();
  std::vector<LinksAt> records;
  run_experiment(state, options, [&](double t, std::span<const double> row) {
    const Eigen::Map<const Eigen::VectorXd> all(row.data(), static_cast<long>(row.size()));
    std::vector<ExternalWrench> wrenches;
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      const long first = nq + 2 * nv + 6 * static_cast<long>(k);
      wrenches.push_back({.body = loaded[k],
                          .force = all.segment<3>(first),
                          .moment = all.segment<3>(first + 3),
                          .expressed_in = 0});
    }
    records.push_back(
        {t, chosen_links(model,
                         link_matrices(model, model.normalized(all.head(nq)), all.segment(nq, nv),
                                       all.segment(nq + nv, nv), wrenches),
                         names)});
  });
  return records;
}

/// One row per record; titles such as link1.absolute_position.14, row and column of the matrix.
RecordTable table_of(const Model& model, const std::vector<LinksAt>& records) {
  RecordTable table;
  table.titles = {"t[s]"};
  for (const LinkMatrices& link : records.front().links)
    for (const NamedMatrix& named : matrices_of(link))
      for (int entry = 0; entry < 16; ++entry)
        table.titles.push_back(fmt::format("{}.{}.{}{}", model.bodies()[link.body].name, named.key,
                                           entry / 4 + 1, entry % 4 + 1));
  table.values.resize(std::ssize(records), std::ssize(table.titles));
  for (Eigen::Index r = 0; r < table.values.rows(); ++r) {
    const LinksAt& at = records[static_cast<std::size_t>(r)];
    table.values(r, 0) = at.t;
    Eigen::Index column = 1;
    for (const LinkMatrices& link : at.links)
      for (const NamedMatrix& named : matrices_of(link))
        for (int entry = 0; entry < 16; ++entry)
          table.values(r, column++) = named.matrix(entry / 4, entry % 4);
  }
  return table;
}

}  // namespace
}  // namespace ulna::cli::matrices_experiment_detail

namespace ulna::cli {

int run_matrices_experiment(const ExperimentOptions& options,
                            const std::vector<std::string>& bodies,
                            const std::optional<std::string>& output) {
  ReadExperiment read = load(options, Question::inverse);
  read.experiment = inverse_of(read.experiment);
  const Model& model = *read.experiment.model;
  const std::vector<matrices_experiment_detail::LinksAt> records =
      matrices_experiment_detail::along(read, options, bodies);
  const RecordTable table = matrices_experiment_detail::table_of(model, records);
  require_finite(table.values, "a matrix");
  if (output) write_table(*output, table, read.experiment.name);
  if (options.json) {
    Json out = json_object();
    out["experiment"] = read.experiment.name;
    if (output) {
      out["outputs"] = {*output};
    } else {
      out["records"] = Json::array();
      for (const matrices_experiment_detail::LinksAt& at : records)
        out["records"].push_back(
            {{"t", at.t}, {"links", matrices_experiment_detail::links_to_json(model, at.links)}});
    }
    print_json(out);
  } else if (output) {
    print(fmt::format("wrote {} ({} records of {} matrices)\n", printable(*output), records.size(),
                      (table.titles.size() - 1) / 16));
  } else {
    for (const matrices_experiment_detail::LinksAt& at : records) {
      print(heading(fmt::format("t = {:.9g} s", at.t)));
      matrices_experiment_detail::print_links(model, at.links);
    }
  }
  return 0;
}

}  // namespace ulna::cli
