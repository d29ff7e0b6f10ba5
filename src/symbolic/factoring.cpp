#include <ulna/symbolic/factoring.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <unordered_map>

#include "factors.hpp"
#include "network.hpp"

namespace ulna {
namespace {

using namespace symbolic_detail;

// A rewriting and what it saves.
struct Step {
  enum class Kind { factor, number, pair, scale } kind;
  int gain = 0;
  std::vector<int> rows;  // the sums it changes
  int x = 0, y = 0;       // factor: the common factor x; pair: the two atoms
  double number = 0;      // number: the common magnitude; pair: the multiple of x to build;
                          // scale: what the sum is multiplied by
};

class Factoring {
 public:
  Factoring(Network& network, const FactoringOptions& options)
      : network_(network), options_(options), random_(options.seed) {}

  void run() {
    for (int sweep = 0; sweep < options_.max_steps; ++sweep) {
      std::vector<Step> steps = find_steps();
      if (steps.empty() || (sweep == 0 && pair_count_ > large)) return;
      if (options_.seed != 0) std::shuffle(steps.begin(), steps.end(), random_);
      std::stable_sort(steps.begin(), steps.end(),
                       [](const Step& a, const Step& b) { return a.gain > b.gain; });
      std::set<int> changed;
      for (const Step& step : steps) {
        const bool free = std::none_of(step.rows.begin(), step.rows.end(),
                                       [&](int row) { return changed.count(row) > 0; });
        if (!free) continue;
        apply(step);
        changed.insert(step.rows.begin(), step.rows.end());
        if (options_.one_step_at_a_time && pair_count_ < small) break;
      }
      network_.count_users();
    }
  }

 private:
  struct Pair {
    int x, y;
    std::int64_t ratio;
    bool operator==(const Pair&) const = default;
  };
  struct PairHash {
    std::size_t operator()(const Pair& p) const {
      const std::uint64_t h =
          (static_cast<std::uint64_t>(p.x) << 32 | static_cast<std::uint32_t>(p.y)) ^
          static_cast<std::uint64_t>(p.ratio) * 0x9e3779b97f4a7c15ULL;
      return (h ^ (h >> 29)) * 0xff51afd7ed558ccdULL;
    }
  };

  std::vector<Step> find_steps() {
    std::vector<Step> steps;
    pairs_.clear();
    order_.clear();
    pair_count_ = 0;
    const int count = static_cast<int>(network_.atoms().size());
    for (int row = 1; row < count; ++row) {
      const Atom& atom = network_.atoms()[row];
      if (atom.kind != Kind::sum || atom.users == 0 || atom.sum.size() < 2) continue;
      find_common_factors(row, steps);
      find_common_numbers(row, steps);
      note_pairs(row);
      find_scale(row, steps);
    }
    for (const Pair& key : order_) {
      const std::vector<int>& rows = pairs_[key];
      Step step = pair_step(key.x, key.y, rows);
      if (step.gain > 0) steps.push_back(std::move(step));
    }
    return steps;
  }

  // A product that this sum alone uses.
  bool own_product(const Term& t) const {
    const Atom& atom = network_.atoms()[t.atom];
    return atom.kind == Kind::product && atom.users == 1;
  }

  void find_common_factors(int row, std::vector<Step>& steps) {
    std::map<int, int> products;  // by factor
    for (const Term& t : network_.atoms()[row].sum) {
      if (!own_product(t)) continue;
      const Atom& atom = network_.atoms()[t.atom];
      ++products[atom.a.atom];
      if (atom.b.atom != atom.a.atom) ++products[atom.b.atom];
    }
    for (const auto& [factor, count] : products) {
      if (count < 2) continue;
      Terms inner, rest;
      split(row, factor, inner, rest);
      // A sum that is there already costs nothing; a number common to all is taken out.
      int gain = count - 1;
      const double scale = common_scale(inner);
      if (!is_unit(scale)) gain += count - 1;
      for (Term& t : inner) t.factor /= scale;
      if (network_.find_sum(inner).factor != 0) gain += count - 1;
      steps.push_back({Step::Kind::factor, gain, {row}, factor, 0, 0});
    }
  }

  // The magnitude all factors have, or one.
  static double common_scale(const Terms& terms) {
    const double scale = std::abs(terms.front().factor);
    for (const Term& t : terms)
      if (!nearly_equal(std::abs(t.factor), scale)) return 1;
    return scale;
  }

  void split(int row, int factor, Terms& inner, Terms& rest) const {
    for (const Term& t : network_.atoms()[row].sum) {
      const Atom& atom = network_.atoms()[t.atom];
      if (own_product(t) && (atom.a.atom == factor || atom.b.atom == factor)) {
        const int other = atom.a.atom == factor ? atom.b.atom : atom.a.atom;
        inner = merged(inner, 1, {{t.factor, other}}, 1);
      } else {
        rest.push_back(t);
      }
    }
  }

  void find_common_numbers(int row, std::vector<Step>& steps) {
    std::map<double, int> magnitudes;
    for (const Term& t : network_.atoms()[row].sum) {
      const double c = std::abs(t.factor);
      if (t.atom != 0 && c != 1 && network_.uses(c, t.atom) == 1) ++magnitudes[c];
    }
    for (const auto& [number, count] : magnitudes)
      if (count > 1) steps.push_back({Step::Kind::number, count - 1, {row}, 0, 0, number});
  }

  // A sum of which only multiples are needed may as well be built as another multiple of itself, so
  // that its terms are multiples which are there already.
  void find_scale(int row, std::vector<Step>& steps) {
    if (scaled_.count(row) > 0) return;
    const Atom& atom = network_.atoms()[row];
    const std::vector<double> multiples = network_.magnitudes(row);
    int uses = 0;
    for (double c : multiples) uses += network_.uses(c, row);
    if (uses != atom.users) return;
    Step best{Step::Kind::scale, 0, {row}, 0, 0, 1};
    std::set<double> candidates(multiples.begin(), multiples.end());
    for (const Term& t : atom.sum) {
      candidates.insert(1 / std::abs(t.factor));
      if (t.atom == 0) continue;
      for (double m : network_.magnitudes(t.atom)) candidates.insert(m / std::abs(t.factor));
    }
    for (double c : candidates) {
      int gain = 0;
      for (double k : multiples) gain += nearly_equal(k, c);
      for (const Term& t : atom.sum) {
        if (t.atom == 0) continue;
        gain += !is_unit(t.factor) && network_.uses(t.factor, t.atom) == 1;
        const double scaled = std::abs(c * t.factor);
        gain -= !nearly_equal(scaled, 1) && !has_multiple(t.atom, scaled, std::abs(t.factor));
      }
      if (gain > best.gain) best.gain = gain, best.number = c;
    }
    if (best.gain > 0) steps.push_back(best);
  }

  // Whether c x is computed anyway, apart from one use of old x.
  bool has_multiple(int x, double c, double old) const {
    for (double m : network_.magnitudes(x))
      if (nearly_equal(m, c) && network_.uses(m, x) > (m == old ? 1 : 0)) return true;
    return false;
  }

  void note_pairs(int row) {
    const Terms& terms = network_.atoms()[row].sum;
    pair_count_ += terms.size() * (terms.size() - 1) / 2;
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t j = i + 1; j < terms.size(); ++j)
        note_pair({terms[i].atom, terms[j].atom, ratio_key(terms[j].factor / terms[i].factor)},
                  row);
  }

  void note_pair(const Pair& pair, int row) {
    std::vector<int>& rows = pairs_[pair];
    rows.push_back(row);
    if (rows.size() == 2) order_.push_back(pair);
  }

  double factor_of(int row, int atom) const {
    for (const Term& t : network_.atoms()[row].sum)
      if (t.atom == atom) return t.factor;
    return 0;
  }

  // Multiplications by numbers in x's (or y's) terms of these sums that nothing else needs.
  int numbers_saved(int atom, const std::vector<int>& rows) const {
    if (atom == 0) return 0;
    std::map<double, int> count;
    for (int row : rows) ++count[std::abs(factor_of(row, atom))];
    int saved = 0;
    for (const auto& [c, n] : count)
      if (c != 1 && network_.uses(c, atom) == n) ++saved;
    return saved;
  }

  Step pair_step(int x, int y, const std::vector<int>& rows) const {
    Step step{Step::Kind::pair, 0, rows, x, y, 0};
    const double ratio = factor_of(rows[0], y) / factor_of(rows[0], x);
    std::set<double> scales;
    for (int row : rows) scales.insert(std::abs(factor_of(row, x)));
    const int before =
        static_cast<int>(rows.size()) - 1 + numbers_saved(x, rows) + numbers_saved(y, rows);
    int best = 1 << 20;
    std::set<double> candidates = scales;
    candidates.insert(1.0);
    candidates.insert(std::abs(1 / ratio));
    for (double c : candidates) {
      int cost = new_number(c, x, rows) + new_number(c * ratio, y, rows);
      for (double other : scales) cost += !nearly_equal(other, c);
      if (cost < best) best = cost, step.number = c;
    }
    step.gain = before - best;
    return step;
  }

  // Whether c x is a multiplication that was not needed by others than these sums.
  int new_number(double c, int x, const std::vector<int>& rows) const {
    c = std::abs(c);
    if (x == 0 || nearly_equal(c, 1)) return 0;
    int here = 0;
    for (int row : rows) here += std::abs(factor_of(row, x)) == c;
    return network_.uses(c, x) > here ? 0 : 1;
  }

  void apply(const Step& step) {
    switch (step.kind) {
      case Step::Kind::factor: {
        Terms inner, rest;
        split(step.rows[0], step.x, inner, rest);
        if (inner.size() < 2) return;
        const double scale = common_scale(inner);
        for (Term& t : inner) t.factor /= scale;
        const Term sum = network_.sum(inner);
        const int product = network_.product(sum.atom, step.x);
        network_.replace_sum(step.rows[0], merged(rest, 1, {{scale * sum.factor, product}}, 1));
        break;
      }
      case Step::Kind::number: {
        Terms inner, rest;
        for (const Term& t : network_.atoms()[step.rows[0]].sum) {
          const bool taken = t.atom != 0 && std::abs(t.factor) == step.number &&
                             network_.uses(step.number, t.atom) == 1;
          if (taken)
            inner.push_back({std::copysign(1.0, t.factor), t.atom});
          else
            rest.push_back(t);
        }
        if (inner.size() < 2) return;
        network_.replace_sum(step.rows[0], {});  // or it would be found as a multiple of itself
        const Term sum = network_.sum(inner);
        network_.replace_sum(step.rows[0],
                             merged(rest, 1, {{step.number * sum.factor, sum.atom}}, 1));
        break;
      }
      case Step::Kind::pair:
        apply_pair(step);
        break;
      case Step::Kind::scale:
        network_.scale_sum(step.rows[0], step.number);
        scaled_.insert(step.rows[0]);
        break;
    }
  }

  void apply_pair(const Step& step) {
    const double ratio = factor_of(step.rows[0], step.y) / factor_of(step.rows[0], step.x);
    const Terms pair = {{step.number, step.x}, {step.number * ratio, step.y}};
    // A sum of just these two serves as it is.
    int whole = 0;
    for (int row : step.rows)
      if (network_.atoms()[row].sum.size() == 2) whole = row;
    const Term sum = whole != 0 ? Term{1, whole} : network_.sum(pair);
    const double per_x = factor_of(sum.atom, step.x) / sum.factor;
    for (int row : step.rows) {
      if (row == sum.atom) continue;
      const double factor = factor_of(row, step.x) / per_x;
      Terms rest;
      for (const Term& t : network_.atoms()[row].sum)
        if (t.atom != step.x && t.atom != step.y) rest.push_back(t);
      const double clean = nearly_equal(std::abs(factor), 1) ? std::copysign(1.0, factor) : factor;
      network_.replace_sum(row, merged(rest, 1, {{clean, sum.atom}}, 1));
    }
  }

  Network& network_;
  FactoringOptions options_;
  std::mt19937 random_;
  // Up to so many pairs of terms, looking at all of them again after each step takes no time.
  static constexpr std::size_t small = 2000;
  static constexpr std::size_t large = 40000;  // beyond, opening the sums has gone too far
  std::size_t pair_count_ = 0;
  std::set<int> scaled_;  // once is enough, and ends
  std::unordered_map<Pair, std::vector<int>, PairHash> pairs_;
  std::vector<Pair> order_;  // those that two sums have, in the order found
};

}  // namespace

std::vector<Expression> factored(std::span<const Expression> outputs, Graph& graph,
                                 const FactoringOptions& options) {
  Network network(outputs, graph, options.open_shared);
  Factoring(network, options).run();
  return network.write(graph);
}

}  // namespace ulna
