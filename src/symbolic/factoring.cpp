#include <ulna/symbolic/factoring.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>

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
    if (possible_pairs() > large) return;
    for (int sweep = 0; sweep < options_.max_steps; ++sweep) {
      std::vector<Step> steps = find_steps();
      if (steps.empty()) return;
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
    auto operator<=>(const Pair&) const = default;
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
    bring_pairs_up_to_date();
    const int count = static_cast<int>(network_.atoms().size());
    for (int row = 1; row < count; ++row) {
      if (!is_live(row)) continue;
      find_common_factors(row, steps);
      find_common_numbers(row, steps);
      find_scale(row, steps);
    }
    for (const Pair& key : shared_) {
      if (network_.atoms()[key.x].known && network_.atoms()[key.y].known) continue;
      Step step = pair_step(key.x, key.y, pairs_[key]);
      if (step.gain > 0) steps.push_back(std::move(step));
    }
    return steps;
  }

  std::size_t possible_pairs() const {
    std::size_t count = 0;
    for (std::size_t row = 1; row < network_.atoms().size(); ++row)
      if (is_live(static_cast<int>(row))) {
        const std::size_t terms = network_.atoms()[row].sum.size();
        count += terms * (terms - 1) / 2;
      }
    return count;
  }

  bool is_live(int row) const {
    const Atom& atom = network_.atoms()[row];
    return atom.kind == Kind::sum && atom.users > 0 && atom.sum.size() > 1;
  }

  // Only sums that changed, came or went are looked at again.
  void bring_pairs_up_to_date() {
    noted_.resize(network_.atoms().size());
    std::vector<int> rows = network_.take_changed();
    for (std::size_t row = 1; row < noted_.size(); ++row)
      if (noted_[row].empty() == is_live(static_cast<int>(row)))
        rows.push_back(static_cast<int>(row));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int row : rows) forget_pairs(row);
    for (int row : rows)
      if (is_live(row)) note_pairs(row);
  }

  // A product that this sum alone uses.
  bool own_product(const Term& t) const {
    const Atom& atom = network_.atoms()[t.atom];
    return atom.kind == Kind::product && atom.users == 1;
  }

  void find_common_factors(int row, std::vector<Step>& steps) {
    factors_.clear();
    for (const Term& t : network_.atoms()[row].sum) {
      if (!own_product(t)) continue;
      const Atom& atom = network_.atoms()[t.atom];
      factors_.push_back(atom.a.atom);
      if (atom.b.atom != atom.a.atom) factors_.push_back(atom.b.atom);
    }
    for (const auto& [factor, count] : repeated(factors_)) {
      Terms inner, rest;
      split(row, factor, inner, rest);
      // A sum that is there already costs nothing; a number common to all is taken out.
      int gain = count - 1;
      const double scale = common_scale(inner);
      if (!is_unit(scale)) gain += count - 1;
      for (Term& t : inner) t.factor /= scale;
      const bool known = std::all_of(inner.begin(), inner.end(),
                                     [&](const Term& t) { return network_.atoms()[t.atom].known; });
      if (known || network_.find_sum(inner).factor != 0) gain += count - 1;
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
    numbers_.clear();
    for (const Term& t : network_.atoms()[row].sum) {
      const double c = std::abs(t.factor);
      if (t.atom != 0 && c != 1 && network_.uses(c, t.atom) == 1) numbers_.push_back(c);
    }
    for (const auto& [number, count] : repeated(numbers_))
      steps.push_back({Step::Kind::number, count - 1, {row}, 0, 0, number});
  }

  // What occurs more than once, and how often; the list is sorted on the way.
  template <class T>
  static std::vector<std::pair<T, int>> repeated(std::vector<T>& list) {
    std::vector<std::pair<T, int>> out;
    std::sort(list.begin(), list.end());
    for (std::size_t i = 0, j = 0; i < list.size(); i = j) {
      while (j < list.size() && list[j] == list[i]) ++j;
      if (j - i > 1) out.emplace_back(list[i], static_cast<int>(j - i));
    }
    return out;
  }

  // A sum of which only multiples are needed may as well be built as another multiple of itself, so
  // that its terms are multiples which are there already.
  void find_scale(int row, std::vector<Step>& steps) {
    if (scaled_.count(row) > 0) return;
    const Atom& atom = network_.atoms()[row];
    int uses = 0;
    for (const auto& [c, count] : atom.multiples) uses += count;
    if (uses != atom.users) return;
    const std::vector<double> multiples = network_.magnitudes(row);
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

  template <class Act>
  static std::size_t each_pair(const Terms& terms, const Act& act) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t j = i + 1; j < terms.size(); ++j)
        act(Pair{terms[i].atom, terms[j].atom, ratio_key(terms[j].factor / terms[i].factor)});
    return terms.size() * (terms.size() - 1) / 2;
  }

  void note_pairs(int row) {
    noted_[row] = network_.atoms()[row].sum;
    pair_count_ += each_pair(noted_[row], [&](const Pair& pair) {
      std::vector<int>& rows = pairs_[pair];
      rows.push_back(row);
      if (rows.size() == 2) shared_.insert(pair);
    });
  }

  void forget_pairs(int row) {
    if (noted_[row].empty()) return;
    pair_count_ -= each_pair(noted_[row], [&](const Pair& pair) {
      std::vector<int>& rows = pairs_[pair];
      std::erase(rows, row);
      if (rows.size() == 1) shared_.erase(pair);
    });
    noted_[row].clear();
  }

  double factor_of(int row, int atom) const {
    const Terms& terms = network_.atoms()[row].sum;
    const auto found = std::lower_bound(terms.begin(), terms.end(), atom,
                                        [](const Term& t, int a) { return t.atom < a; });
    return found != terms.end() && found->atom == atom ? found->factor : 0;
  }

  // Multiplications by numbers in x's (or y's) terms of these sums that nothing else needs.
  int numbers_saved(int atom, const std::vector<int>& rows) const {
    if (atom == 0) return 0;
    int saved = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double c = std::abs(factor_of(rows[i], atom));
      if (c == 1) continue;
      int before = 0, all = 0;  // sums with the same number
      for (std::size_t j = 0; j < rows.size(); ++j) {
        const bool same = std::abs(factor_of(rows[j], atom)) == c;
        all += same, before += same && j < i;
      }
      if (before == 0 && network_.uses(c, atom) == all) ++saved;
    }
    return saved;
  }

  static void insert(std::vector<double>& set, double x) {
    if (std::find(set.begin(), set.end(), x) == set.end()) set.push_back(x);
  }

  Step pair_step(int x, int y, const std::vector<int>& rows) const {
    Step step{Step::Kind::pair, 0, rows, x, y, 0};
    const double ratio = factor_of(rows[0], y) / factor_of(rows[0], x);
    std::vector<double> scales;
    for (int row : rows) insert(scales, std::abs(factor_of(row, x)));
    const int before =
        static_cast<int>(rows.size()) - 1 + numbers_saved(x, rows) + numbers_saved(y, rows);
    int best = 1 << 20;
    std::vector<double> candidates = scales;
    insert(candidates, 1.0);
    insert(candidates, std::abs(1 / ratio));
    std::sort(candidates.begin(), candidates.end());
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
  std::set<Pair> shared_;     // those that two sums have
  std::vector<Terms> noted_;  // by sum, as it is in pairs_
  std::vector<int> factors_;  // of one sum, scratch
  std::vector<double> numbers_;
};

}  // namespace

void symbolic_detail::take_steps(Network& network, const FactoringOptions& options) {
  Factoring(network, options).run();
}

std::vector<Expression> factored(std::span<const Expression> outputs, Graph& graph,
                                 const FactoringOptions& options) {
  Network network(outputs, graph, options.open_shared, options.known);
  take_steps(network, options);
  return network.write(graph);
}

}  // namespace ulna
