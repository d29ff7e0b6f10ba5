#include "closing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "factors.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna::symbolic_detail {
namespace {

// What occurs more than once, and how often; the list is sorted on the way.
template <class T>
std::vector<std::pair<T, int>> repeated(std::vector<T>& list) {
  std::vector<std::pair<T, int>> out;
  std::sort(list.begin(), list.end());
  for (std::size_t i = 0, j = 0; i < list.size(); i = j) {
    while (j < list.size() && list[j] == list[i]) ++j;
    if (j - i > 1) out.emplace_back(list[i], static_cast<int>(j - i));
  }
  return out;
}

// The magnitude all factors have, or one.
double common_scale(const Terms& terms) {
  const double scale = std::abs(terms.front().factor);
  for (const Term& t : terms)
    if (!nearly_equal(std::abs(t.factor), scale)) return 1;
  return scale;
}

void insert(std::vector<double>& set, double x) {
  if (std::find(set.begin(), set.end(), x) == set.end()) set.push_back(x);
}

}  // namespace

void Closing::run(std::vector<int> rows) {
  network_.take_changed();
  open_single_sums(rows);
  std::vector<Step> steps = find_steps(rows);
  for (bool looked_again = true;;) {
    ulna::interruption_point();
    if (steps.empty()) {
      // What a step saves depends on more than the sums it changes: once more, all of them.
      if (std::exchange(looked_again, true)) return;
      steps = find_steps(rows);
      continue;
    }
    const std::size_t best = best_of(steps);
    const Step step = std::move(steps[best]);
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(best));
    if (!take(step)) continue;
    looked_again = false;
    std::vector<int> changed = network_.take_changed();
    open_single_sums(changed);
    std::erase_if(steps, [&](const Step& other) {
      return std::any_of(other.rows.begin(), other.rows.end(), [&](int row) {
        return std::binary_search(changed.begin(), changed.end(), row);
      });
    });
    std::vector<Step> found = find_steps(changed);
    std::move(found.begin(), found.end(), std::back_inserter(steps));
    rows.insert(rows.end(), changed.begin(), changed.end());
    keep_live(rows);
  }
}

// Sorted, each once, those that outputs need.
void Closing::keep_live(std::vector<int>& rows) const {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::erase_if(rows, [&](int row) { return !network_.is_row(row); });
}

// The first of those that save most, or any of them.
std::size_t Closing::best_of(const std::vector<Step>& steps) const {
  std::size_t best = 0, equal = 1;
  for (std::size_t k = 1; k < steps.size(); ++k) {
    if (steps[k].gain < steps[best].gain) continue;
    if (steps[k].gain > steps[best].gain)
      best = k, equal = 1;
    else if (random_ && (*random_)() % ++equal == 0)
      best = k;
  }
  return best;
}

bool Closing::take(const Step& step) {
  if (!still_there(step)) return false;
  const std::size_t mark = network_.mark();
  const double before = weight_(network_.cost());
  apply(step);
  if (weight_(network_.cost()) < before) return true;
  network_.undo(mark);
  network_.take_changed();
  return false;
}

// A sum that one other sum alone uses, as it is, is part of it.
void Closing::open_single_sums(std::vector<int>& rows) {
  for (int row : rows) open_single_sums(row);
  const std::vector<int> changed = network_.take_changed();
  rows.insert(rows.end(), changed.begin(), changed.end());
  keep_live(rows);
}

void Closing::open_single_sums(int row) {
  if (!network_.is_row(row)) return;
  const auto single = [&](int id) {
    const Atom& atom = network_.atom(id);
    return atom.kind == Kind::sum && atom.parents.size() == 1 && atom.parents[0] > 0 &&
           network_.atom(atom.parents[0]).kind == Kind::sum &&
           is_unit(network_.factor_of(atom.parents[0], id));
  };
  while (single(row)) row = network_.atom(row).parents[0];
  for (bool found = true; found && network_.is_row(row);) {
    found = false;
    const Terms terms = network_.atom(row).sum;
    for (std::size_t k = 0; k < terms.size() && !found; ++k) {
      if (!is_unit(terms[k].factor) || !single(terms[k].atom)) continue;
      Terms rest = terms;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      network_.replace_sum(row, merged(rest, 1, network_.atom(terms[k].atom).sum, terms[k].factor));
      found = true;
    }
  }
}

// --- finding steps ---

std::vector<Step> Closing::find_steps(const std::vector<int>& rows) {
  std::vector<Step> steps;
  for (int row : rows) {
    if (network_.atom(row).known) continue;
    find_common_factors(row, steps);
    find_common_numbers(row, steps);
    find_scale(row, steps);
    find_pairs(row, steps);
  }
  return steps;
}

// A product that this sum alone uses.
bool Closing::own_product(const Term& t) const {
  const Atom& atom = network_.atom(t.atom);
  return atom.kind == Kind::product && atom.parents.size() == 1;
}

// x y + 2 x is x (y + 2) likewise.
void Closing::split(int row, int factor, Terms& inner, Terms& rest) const {
  for (const Term& t : network_.atom(row).sum) {
    const Atom& atom = network_.atom(t.atom);
    if (own_product(t) && (atom.a.atom == factor || atom.b.atom == factor)) {
      const int other = atom.a.atom == factor ? atom.b.atom : atom.a.atom;
      inner = merged(inner, 1, {{t.factor, other}}, 1);
    } else if (t.atom == factor) {
      inner = merged(inner, 1, {{t.factor, 0}}, 1);
    } else {
      rest.push_back(t);
    }
  }
}

void Closing::find_common_factors(int row, std::vector<Step>& steps) {
  factors_.clear();
  for (const Term& t : network_.atom(row).sum) {
    if (t.atom != 0) factors_.push_back(t.atom);
    if (!own_product(t)) continue;
    const Atom& atom = network_.atom(t.atom);
    factors_.push_back(atom.a.atom);
    if (atom.b.atom != atom.a.atom) factors_.push_back(atom.b.atom);
  }
  for (const auto& [factor, count] : repeated(factors_)) {
    Terms inner, rest;
    split(row, factor, inner, rest);
    if (inner.size() < 2) continue;
    const double alone = network_.factor_of(row, factor);
    const int products = count - (alone != 0);
    int gain = products - 1 + (alone != 0 && !is_unit(alone) && network_.uses(alone, factor) == 1);
    // A sum that is there already costs nothing; a number common to all is taken out.
    const double scale = common_scale(inner);
    if (!is_unit(scale)) gain += products - 1;
    for (Term& t : inner) t.factor /= scale;
    const bool known = std::all_of(inner.begin(), inner.end(),
                                   [&](const Term& t) { return network_.atom(t.atom).known; });
    const Term found = network_.find_sum(inner);
    if (known || (found.factor != 0 && network_.atom(found.atom).live())) gain += count - 1;
    if (gain > 0) steps.push_back({Step::Kind::factor, gain, {row}, factor});
  }
}

void Closing::find_common_numbers(int row, std::vector<Step>& steps) {
  numbers_.clear();
  for (const Term& t : network_.atom(row).sum) {
    const double c = std::abs(t.factor);
    if (!network_.atom(t.atom).known && c != 1 && network_.uses(c, t.atom) == 1)
      numbers_.push_back(c);
  }
  for (const auto& [number, count] : repeated(numbers_))
    steps.push_back({Step::Kind::number, count - 1, {row}, 0, 0, number});
}

// A sum of which only multiples are needed may as well be built as another multiple of itself, so
// that its terms are multiples which are there already.
void Closing::find_scale(int row, std::vector<Step>& steps) {
  const Atom& atom = network_.atom(row);
  std::size_t uses = 0;
  for (const auto& [c, count] : atom.multiples) uses += static_cast<std::size_t>(count);
  if (uses != atom.parents.size()) return;
  Step best{Step::Kind::scale, 0, {row}, 0, 0, 1};
  std::vector<double> candidates;
  for (const auto& [c, count] : atom.multiples) insert(candidates, c);
  for (const Term& t : atom.sum) {
    insert(candidates, 1 / std::abs(t.factor));
    for (const auto& [m, count] : network_.atom(t.atom).multiples)
      insert(candidates, m / std::abs(t.factor));
  }
  for (double c : candidates) {
    int gain = 0;
    for (const auto& [k, count] : atom.multiples) gain += nearly_equal(k, c);
    for (const Term& t : atom.sum) {
      if (network_.atom(t.atom).known) continue;
      gain += !is_unit(t.factor) && network_.uses(t.factor, t.atom) == 1;
      const double scaled = std::abs(c * t.factor);
      gain -= !nearly_equal(scaled, 1) && !has_multiple(t.atom, scaled, std::abs(t.factor));
    }
    if (gain > best.gain) best.gain = gain, best.number = c;
  }
  if (best.gain > 0) steps.push_back(best);
}

// Whether c x is computed anyway, apart from one use of old x.
bool Closing::has_multiple(int x, double c, double old) const {
  for (const auto& [m, count] : network_.atom(x).multiples)
    if (nearly_equal(m, c) && count > (m == old ? 1 : 0)) return true;
  return false;
}

void Closing::find_pairs(int row, std::vector<Step>& steps) {
  const Terms& terms = network_.atom(row).sum;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const std::vector<int>& rows = network_.rows_with(Network::pair_of(terms[i], terms[j]));
      if (rows.size() < 2) continue;
      if (network_.atom(terms[i].atom).known && network_.atom(terms[j].atom).known) continue;
      Step step = pair_step(terms[i].atom, terms[j].atom, rows);
      if (step.gain > 0) steps.push_back(std::move(step));
    }
}

// Multiplications by numbers in x's (or y's) terms of these sums that nothing else needs.
int Closing::numbers_saved(int atom, const std::vector<int>& rows) const {
  if (network_.atom(atom).known) return 0;
  int saved = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double c = std::abs(network_.factor_of(rows[i], atom));
    if (c == 1) continue;
    int before = 0, all = 0;  // sums with the same number
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const bool same = std::abs(network_.factor_of(rows[j], atom)) == c;
      all += same, before += same && j < i;
    }
    if (before == 0 && network_.uses(c, atom) == all) ++saved;
  }
  return saved;
}

Step Closing::pair_step(int x, int y, const std::vector<int>& rows) const {
  const double of_x = network_.factor_of(rows[0], x), of_y = network_.factor_of(rows[0], y);
  const double ratio = of_y / of_x;
  Step step{Step::Kind::pair, 0, rows, x, y, 0, Network::pair_of({of_x, x}, {of_y, y}).ratio};
  std::vector<double> scales;
  for (int row : rows) insert(scales, std::abs(network_.factor_of(row, x)));
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
int Closing::new_number(double c, int x, const std::vector<int>& rows) const {
  c = std::abs(c);
  if (network_.atom(x).known || nearly_equal(c, 1)) return 0;
  int here = 0;
  for (int row : rows) here += nearly_equal(std::abs(network_.factor_of(row, x)), c);
  return network_.uses(c, x) > here ? 0 : 1;
}

// --- taking them ---

void Closing::apply(const Step& step) {
  switch (step.kind) {
    case Step::Kind::factor:
      return apply_factor(step);
    case Step::Kind::number:
      return apply_number(step);
    case Step::Kind::pair:
      return apply_pair(step);
    case Step::Kind::scale:
      return network_.scale_sum(step.rows[0], step.number);
  }
}

void Closing::apply_factor(const Step& step) {
  Terms inner, rest;
  split(step.rows[0], step.x, inner, rest);
  if (inner.size() < 2) return;
  const double scale = common_scale(inner);
  for (Term& t : inner) t.factor /= scale;
  const Term sum = network_.sum(merged(inner, 1, {}, 1));
  const int product = network_.product(sum.atom, step.x);
  network_.replace_sum(step.rows[0], merged(rest, 1, {{scale * sum.factor, product}}, 1));
}

void Closing::apply_number(const Step& step) {
  const int row = step.rows[0];
  Terms inner, rest;
  for (const Term& t : network_.atom(row).sum) {
    const bool taken = !network_.atom(t.atom).known && std::abs(t.factor) == step.number &&
                       network_.uses(step.number, t.atom) == 1;
    if (taken)
      inner.push_back({std::copysign(1.0, t.factor), t.atom});
    else
      rest.push_back(t);
  }
  if (inner.size() < 2) return;
  if (rest.empty()) return network_.scale_sum(row, 1 / step.number);
  const Term sum = network_.sum(inner);
  network_.replace_sum(row, merged(rest, 1, {{step.number * sum.factor, sum.atom}}, 1));
}

void Closing::apply_pair(const Step& step) {
  const int x = step.x, y = step.y;
  const double ratio = network_.factor_of(step.rows[0], y) / network_.factor_of(step.rows[0], x);
  // A sum of just these two serves as it is.
  int whole = 0;
  for (int row : step.rows)
    if (network_.atom(row).sum.size() == 2) whole = row;
  const Terms pair = merged({{step.number, x}}, 1, {{step.number * ratio, y}}, 1);
  const Term sum = whole != 0 ? Term{1, whole} : network_.sum(pair);
  const double per_sum = network_.factor_of(sum.atom, x);
  for (int row : step.rows) {
    // A replacement before this one may have changed it.
    if (row == sum.atom || !has_pair(row, step)) continue;
    Terms rest;
    for (const Term& t : network_.atom(row).sum)
      if (t.atom != x && t.atom != y) rest.push_back(t);
    const double factor = network_.factor_of(row, x) / per_sum;
    network_.replace_sum(row, merged(rest, 1, {{factor, sum.atom}}, 1));
  }
}

bool Closing::has_pair(int row, const Step& step) const {
  const double x = network_.factor_of(row, step.x), y = network_.factor_of(row, step.y);
  return network_.is_row(row) && x != 0 && y != 0 &&
         Network::pair_of({x, step.x}, {y, step.y}).ratio == step.ratio;
}

// Steps found a while ago may have lost what they were about.
bool Closing::still_there(const Step& step) const {
  return std::all_of(step.rows.begin(), step.rows.end(), [&](int row) {
    return network_.is_row(row) && (step.kind != Step::Kind::pair || has_pair(row, step));
  });
}

}  // namespace ulna::symbolic_detail
