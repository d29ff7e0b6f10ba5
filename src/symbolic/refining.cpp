#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <ulna/symbolic/internal/evaluate.hpp>
#include <ulna/symbolic/internal/rebuild.hpp>
#include <ulna/symbolic/internal/refining.hpp>

#include "closing.hpp"

namespace ulna {
namespace {

using namespace symbolic_detail;

class Opening {
 public:
  Opening(Network& network, std::mt19937& random) : network_(network), random_(random) {}

  // Opens one term of one sum, if one that can be opened is met in a few attempts; the sum.
  int open_one() {
    for (int attempt = 0; attempt < 200 && network_.size() > 1; ++attempt) {
      const int row = static_cast<int>(1 + below(static_cast<std::size_t>(network_.size() - 1)));
      if (!network_.is_row(row) || network_.atom(row).known) continue;
      const Terms terms = network_.atom(row).sum;
      const std::size_t k = below(terms.size());
      const Terms open = opened(terms[k]);
      if (open.empty()) continue;
      Terms rest = terms;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      network_.replace_sum(row, merged(rest, 1, open, terms[k].factor));
      return row;
    }
    return 0;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  // The atom of a term in other words; nothing when there are none.
  Terms opened(const Term& term) {
    const Atom atom = network_.atom(term.atom);
    if (atom.kind == Kind::sum) return atom.sum;
    if (atom.kind != Kind::product) return {};
    const bool first = below(2) == 0;
    const int inner = first ? atom.a.atom : atom.b.atom, outer = first ? atom.b.atom : atom.a.atom;
    const Atom part = network_.atom(inner);
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
};

struct Form {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<Expression> outputs;
  OperationCount count;
};

// Forms none of which is as short as another in both counts, by multiplications.
class Front {
 public:
  bool wants(int multiplications, int additions) const {
    for (const auto& [m, form] : forms_)
      if (m <= multiplications && form->count.additions <= additions) return false;
    return true;
  }
  void offer(const std::shared_ptr<Form>& form) {
    const int m = multiplications(form->count), a = form->count.additions;
    if (!wants(m, a)) return;
    std::erase_if(forms_, [&](const auto& entry) {
      return entry.first >= m && entry.second->count.additions >= a;
    });
    forms_[m] = form;
  }
  const std::map<int, std::shared_ptr<Form>>& forms() const { return forms_; }
  static int multiplications(const OperationCount& n) {
    return n.multiplications + n.divisions + n.square_roots;
  }

 private:
  std::map<int, std::shared_ptr<Form>> forms_;
};

class Refining {
 public:
  explicit Refining(const RefiningOptions& options) : options_(options), random_(options.seed) {}

  void run(std::span<const Expression> outputs, const Graph& graph) {
    names_.assign(graph.input_names().begin(), graph.input_names().end());
    inputs_.resize(names_.size());
    for (double& x : inputs_) x = 0.3 + chance();
    auto given = blank();
    {
      const Graph::Scope scope(*given->graph);
      given->outputs = rebuild(outputs, graph, [](const Expression&) { return std::nullopt; });
    }
    given->count = count(*given);
    expected_ = evaluate(given->outputs, inputs_, *given->graph);
    front_.offer(given);
    anneal(given);
  }

  const Front& front() const { return front_; }

 private:
  // The network is made anew now and then, without what has been left behind in it.
  static constexpr int rounds_between_cleanings = 200;

  void anneal(std::shared_ptr<Form> form) {
    for (int round = 0; round < options_.rounds;) {
      Network network(form->outputs, *form->graph, false, options_.known);
      const int end = std::min(options_.rounds, round + rounds_between_cleanings);
      for (; round < end; ++round)
        attempt(network, 1 - static_cast<double>(round) / options_.rounds);
      form = written(network);
    }
  }

  void attempt(Network& network, double left) {
    network.forget_changes();
    const double before = weight(network.cost());
    Opening opening(network, random_);
    std::vector<int> rows;
    for (auto k = 1 + random_() % 4; k > 0; --k) rows.push_back(opening.open_one());
    const std::vector<int> changed = network.take_changed();
    rows.insert(rows.end(), changed.begin(), changed.end());
    std::erase(rows, 0);
    Closing(
        network, [this](const NetworkCost& n) { return weight(n); }, &random_)
        .run(rows);
    const double worse = weight(network.cost()) - before;
    const double warmth = std::max(options_.warmth * left, 1e-9);
    if (worse > 0 && !(chance() < std::exp(-worse / warmth)))
      network.undo(0);
    else if (front_.wants(network.cost().multiplications, network.cost().additions))
      offer(written(network));
  }

  // Constants pass through many products and quotients on the way: what has lost digits is dropped.
  void offer(const std::shared_ptr<Form>& form) {
    const std::vector<double> values = evaluate(form->outputs, inputs_, *form->graph);
    double size = 0, apart = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      size = std::max(size, std::abs(expected_[k]));
      apart = std::max(apart, std::abs(values[k] - expected_[k]));
    }
    if (apart <= 1e-13 * size) front_.offer(form);
  }

  std::shared_ptr<Form> blank() const {
    auto form = std::make_shared<Form>();
    for (const std::string& name : names_) form->graph->input(name);
    return form;
  }

  std::shared_ptr<Form> written(const Network& network) const {
    auto form = blank();
    form->outputs = network.write(*form->graph);
    form->count = count(*form);
    return form;
  }

  double weight(const NetworkCost& n) const {
    if (!options_.weight) return n.multiplications + n.additions;
    OperationCount count;
    count.multiplications = n.multiplications;
    count.additions = n.additions;
    return options_.weight(count);
  }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  OperationCount count(const Form& form) const {
    return options_.count ? options_.count(form.outputs, *form.graph)
                          : count_operations(form.outputs, *form.graph);
  }

  RefiningOptions options_;
  std::mt19937 random_;
  std::vector<std::string> names_;
  std::vector<double> inputs_, expected_;
  Front front_;
};

}  // namespace

std::vector<RefinedForm> refined(std::span<const Expression> outputs, Graph& graph,
                                 const RefiningOptions& options) {
  Refining refining(options);
  refining.run(outputs, graph);
  std::vector<RefinedForm> out;
  const Graph::Scope scope(graph);
  for (const auto& [m, form] : refining.front().forms())
    out.push_back(
        {rebuild(form->outputs, *form->graph, [](const Expression&) { return std::nullopt; }),
         form->count});
  return {out.rbegin(), out.rend()};
}

}  // namespace ulna
