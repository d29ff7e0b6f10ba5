#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <ulna/symbolic/evaluate.hpp>
#include <ulna/symbolic/rebuild.hpp>
#include <ulna/symbolic/refining.hpp>

#include "network.hpp"

namespace ulna {
namespace {

using namespace symbolic_detail;

class Opening {
 public:
  Opening(Network& network, std::mt19937& random) : network_(network), random_(random) {
    for (std::size_t i = 1; i < network.atoms().size(); ++i) {
      const Atom& atom = network.atoms()[i];
      if (atom.kind == Kind::sum && atom.users > 0) rows_.push_back(static_cast<int>(i));
    }
  }

  // Opens one term of one sum, if one that can be opened is met in a few attempts.
  void open_one() {
    for (int attempt = 0; attempt < 20 && !rows_.empty(); ++attempt) {
      const int row = rows_[below(rows_.size())];
      const Terms terms = network_.atoms()[row].sum;
      if (terms.empty()) continue;
      const std::size_t k = below(terms.size());
      const Terms open = opened(terms[k]);
      if (open.empty()) continue;
      Terms rest = terms;
      rest.erase(rest.begin() + static_cast<long>(k));
      network_.replace_sum(row, merged(rest, 1, open, terms[k].factor));
      return;
    }
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  // The atom of a term in other words; nothing when there are none.
  Terms opened(const Term& term) {
    const Atom atom = network_.atoms()[term.atom];
    if (atom.kind == Kind::sum) return atom.sum;
    if (atom.kind != Kind::product) return {};
    const bool first = below(2) == 0;
    const int inner = first ? atom.a.atom : atom.b.atom, outer = first ? atom.b.atom : atom.a.atom;
    const Atom part = network_.atoms()[inner];
    Terms out;
    if (part.kind == Kind::sum) {
      for (const Term& t : part.sum)
        out =
            merged(out, 1, {{t.factor, t.atom == 0 ? outer : network_.product(t.atom, outer)}}, 1);
    } else if (part.kind == Kind::product) {
      const bool left = below(2) == 0;
      const int x = left ? part.a.atom : part.b.atom, y = left ? part.b.atom : part.a.atom;
      out = {{1, network_.product(x, network_.product(y, outer))}};
    }
    return out;
  }

  Network& network_;
  std::mt19937& random_;
  std::vector<int> rows_;
};

struct Form {
  std::unique_ptr<Graph> graph;
  std::vector<Expression> outputs;
  OperationCount count;
};

class Refining {
 public:
  explicit Refining(const RefiningOptions& options) : options_(options), random_(options.seed) {}

  void run(std::span<const Expression> outputs, const Graph& graph) {
    auto current = std::make_shared<Form>();
    current->graph = std::make_unique<Graph>();
    copy(outputs, graph, *current);
    offer(current);
    std::vector<double> inputs(graph.input_names().size());
    for (double& x : inputs) x = 0.3 + chance();
    const std::vector<double> expected = evaluate(current->outputs, inputs, *current->graph);
    for (int round = 0; round < options_.rounds; ++round) {
      const auto next = std::make_shared<Form>(changed(*current));
      // Values at a random point: a form that differs is no form of the same expressions.
      if (!close(evaluate(next->outputs, inputs, *next->graph), expected)) continue;
      const double warmth = options_.warmth * (1 - static_cast<double>(round) / options_.rounds);
      const double worse = weight(next->count) - weight(current->count);
      if (worse > 0 && !(chance() < std::exp(-worse / std::max(warmth, 1e-9)))) continue;
      current = next;
      offer(current);
    }
  }

  const std::map<int, std::shared_ptr<Form>>& front() const { return front_; }

  static void copy(std::span<const Expression> outputs, const Graph& from, Form& to) {
    const Graph::Scope scope(*to.graph);
    for (const std::string& name : from.input_names()) to.graph->input(name);
    to.outputs = rebuild(outputs, from, [](const Expression&) { return std::nullopt; });
  }

 private:
  static bool close(const std::vector<double>& a, const std::vector<double>& b) {
    double size = 0, apart = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      size = std::max(size, std::abs(b[k]));
      apart = std::max(apart, std::abs(a[k] - b[k]));
    }
    return apart <= 1e-11 * size;
  }
  double weight(const OperationCount& n) const {
    if (options_.weight) return options_.weight(n);
    return n.multiplications + n.divisions + n.square_roots + n.additions;
  }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  OperationCount count(const Form& form) const {
    return options_.count ? options_.count(form.outputs, *form.graph)
                          : count_operations(form.outputs, *form.graph);
  }

  Form changed(const Form& from) {
    Network network(from.outputs, *from.graph, false, options_.known);
    Opening opening(network, random_);
    for (auto k = 1 + random_() % 4; k > 0; --k) opening.open_one();
    network.count_users();
    FactoringOptions steps;
    steps.known = options_.known;
    steps.seed = 1 + static_cast<unsigned>(random_() % 1000000);
    take_steps(network, steps);
    Form to;
    to.graph = std::make_unique<Graph>();
    for (const std::string& name : from.graph->input_names()) to.graph->input(name);
    to.outputs = network.write(*to.graph);
    to.count = count(to);
    return to;
  }

  // Kept unless a kept one is as good in both; drops those that are not any more.
  void offer(const std::shared_ptr<Form>& form) {
    form->count = count(*form);
    const auto multiplications = [](const Form& f) {
      return f.count.multiplications + f.count.divisions + f.count.square_roots;
    };
    const int m = multiplications(*form), a = form->count.additions;
    for (const auto& [key, kept] : front_)
      if (key <= m && kept->count.additions <= a) return;
    std::erase_if(front_, [&](const auto& entry) {
      return entry.first >= m && entry.second->count.additions >= a;
    });
    front_[m] = form;
  }

  RefiningOptions options_;
  std::mt19937 random_;
  std::map<int, std::shared_ptr<Form>> front_;
};

}  // namespace

std::vector<RefinedForm> refined(std::span<const Expression> outputs, Graph& graph,
                                 const RefiningOptions& options) {
  Refining refining(options);
  refining.run(outputs, graph);
  std::vector<RefinedForm> out;
  const Graph::Scope scope(graph);
  for (const auto& [m, form] : refining.front())
    out.push_back(
        {rebuild(form->outputs, *form->graph, [](const Expression&) { return std::nullopt; }),
         form->count});
  return {out.rbegin(), out.rend()};
}

}  // namespace ulna
