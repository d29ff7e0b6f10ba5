#include "network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "factors.hpp"

#include "ulna/scalar/internal/interruption.hpp"

namespace ulna::symbolic_detail {
namespace {

// Equal for ratios that differ by rounding only: forty bits of the mantissa, far coarser than the
// rounding of constants, far finer than any difference that means something.
std::int64_t ratio_key(double ratio) {
  constexpr int dropped = 12;
  return static_cast<std::int64_t>((std::bit_cast<std::uint64_t>(ratio) + (1u << (dropped - 1))) >>
                                   dropped);
}

double cleaned(double factor) {
  return nearly_equal(std::abs(factor), 1) ? std::copysign(1.0, factor) : factor;
}

}  // namespace

Terms merged(const Terms& a, double fa, const Terms& b, double fb) {
  Terms out;
  out.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom < j->atom)) {
      out.push_back({cleaned(fa * i->factor), i->atom});
      ++i;
    } else if (i == a.end() || j->atom < i->atom) {
      out.push_back({cleaned(fb * j->factor), j->atom});
      ++j;
    } else {
      const double sum = add_factors(fa * i->factor, fb * j->factor);
      if (sum != 0) out.push_back({cleaned(sum), i->atom});
      ++i, ++j;
    }
  }
  return out;
}

Pair Network::pair_of(const Term& x, const Term& y) {
  return {x.atom, y.atom, ratio_key(y.factor / x.factor)};
}

Network::Key Network::key_of(const Terms& terms) {
  Key key;
  key.reserve(terms.size());
  for (const Term& t : terms) key.emplace_back(t.atom, ratio_key(t.factor / terms.front().factor));
  return key;
}

std::size_t Network::Hash::operator()(const Key& key) const {
  std::uint64_t h = 0;
  for (const auto& [atom, ratio] : key)
    h = (h ^ static_cast<std::uint64_t>(ratio)) * 0x9e3779b97f4a7c15ULL +
        static_cast<std::uint64_t>(atom) + (h >> 29);
  return (h ^ (h >> 32)) * 0xff51afd7ed558ccdULL;
}

std::size_t Network::Hash::operator()(const std::pair<int, int>& key) const {
  const std::uint64_t h =
      (static_cast<std::uint64_t>(key.first) << 32) ^ static_cast<std::uint64_t>(key.second);
  return (h * 0x9e3779b97f4a7c15ULL) ^ (h >> 31);
}

std::size_t Network::Hash::operator()(const Pair& p) const {
  const std::uint64_t h =
      (static_cast<std::uint64_t>(p.x) << 32 | static_cast<std::uint32_t>(p.y)) ^
      static_cast<std::uint64_t>(p.ratio) * 0x9e3779b97f4a7c15ULL;
  return (h ^ (h >> 29)) * 0xff51afd7ed558ccdULL;
}

int Network::intern(Atom made) {
  if (made.kind == Kind::sum) {
    made.known = std::all_of(made.sum.begin(), made.sum.end(),
                             [&](const Term& t) { return atom(t.atom).known; });
  } else if (made.kind != Kind::input && made.kind != Kind::select && made.kind != Kind::less) {
    const int count = operand_count(made.kind);
    made.known = (count < 1 || atom(made.a.atom).known) && (count < 2 || atom(made.b.atom).known);
  }
  atoms_.push_back(std::move(made));
  return size() - 1;
}

int Network::product(int a, int b) {
  const auto [entry, is_new] = products_.try_emplace(std::pair<int, int>(std::minmax(a, b)), 0);
  if (is_new) {
    Atom made;
    made.kind = Kind::product;
    made.a = {1, std::min(a, b)};
    made.b = {1, std::max(a, b)};
    entry->second = intern(std::move(made));
  }
  return entry->second;
}

Term Network::find_sum(const Terms& terms) const {
  if (terms.empty()) return {0, 0};
  if (terms.size() == 1) return terms.front();
  const auto entry = sums_.find(key_of(terms));
  if (entry == sums_.end()) return {0, 0};
  return {cleaned(terms.front().factor / atom(entry->second).sum.front().factor), entry->second};
}

Term Network::sum(const Terms& terms) {
  if (const Term found = find_sum(terms); found.factor != 0 || terms.empty()) return found;
  Atom made;
  made.kind = Kind::sum;
  made.sum = terms;
  const int row = intern(std::move(made));
  sums_[key_of(terms)] = row;
  return {1, row};
}

// --- who uses what, and what it costs ---

Terms Network::operands(const Atom& atom) const {
  if (atom.kind == Kind::sum) return atom.sum;
  const int count = operand_count(atom.kind);
  Terms out;
  if (count > 0) out.push_back(atom.a);
  if (count > 1) out.push_back(atom.b);
  if (atom.kind == Kind::select) out.push_back({1, atom.condition});
  return out;
}

// Terms known beforehand are added up beforehand.
int Network::additions(const Atom& row) const {
  if (row.known) return 0;
  int known = 0;
  for (const Term& t : row.sum) known += atom(t.atom).known;
  return static_cast<int>(row.sum.size()) - std::max(known, 1);
}

void Network::refer(const Term& term, int parent) {
  if (term.atom == 0) return;
  Atom& atom = atoms_[static_cast<std::size_t>(term.atom)];
  const bool was_live = atom.live();
  atom.parents.push_back(parent);
  if (!is_unit(term.factor)) {
    const double magnitude = std::abs(term.factor);
    const auto entry = std::find_if(atom.multiples.begin(), atom.multiples.end(),
                                    [&](const auto& m) { return m.first == magnitude; });
    if (entry != atom.multiples.end()) {
      ++entry->second;
    } else {
      atom.multiples.emplace_back(magnitude, 1);
      cost_.multiplications += !atom.known;
    }
  }
  if (!was_live) wake(term.atom, 1);
}

void Network::release(const Term& term, int parent) {
  if (term.atom == 0) return;
  Atom& atom = atoms_[static_cast<std::size_t>(term.atom)];
  std::erase_if(atom.parents, [&, one = true](int p) mutable {
    return p == parent && std::exchange(one, false);
  });
  if (!is_unit(term.factor)) {
    const double magnitude = std::abs(term.factor);
    const auto entry = std::find_if(atom.multiples.begin(), atom.multiples.end(),
                                    [&](const auto& m) { return m.first == magnitude; });
    if (--entry->second == 0) {
      atom.multiples.erase(entry);
      cost_.multiplications -= !atom.known;
    }
  }
  if (!atom.live())
    wake(term.atom, -1);
  else if (atom.kind == Kind::product && atom.parents.size() == 1 && atom.parents[0] > 0)
    changed_.push_back(atom.parents[0]);
}

// An atom comes to be needed (+1) or is no longer (-1), and with it what it is made of.
void Network::wake(int id, int direction) {
  const Atom& atom = atoms_[static_cast<std::size_t>(id)];
  if (atom.kind == Kind::product) cost_.multiplications += atom.known ? 0 : direction;
  if (atom.kind == Kind::sum) {
    cost_.additions += direction * additions(atom);
    note_pairs(id, direction > 0);
    changed_.push_back(id);
    if (direction > 0) sums_[key_of(atom.sum)] = id;  // whoever is live is to be found
  }
  for (const Term& t : operands(atom)) direction > 0 ? refer(t, id) : release(t, id);
}

void Network::note_pairs(int row, bool there) {
  if (row % 16 == 0) interruption_point();
  const Terms& terms = atom(row).sum;
  if (atom(row).known) return;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      std::vector<int>& rows = pairs_[pair_of(terms[i], terms[j])];
      if (there)
        rows.push_back(row);
      else
        std::erase(rows, row);
    }
}

const std::vector<int>& Network::rows_with(const Pair& pair) const {
  static const std::vector<int> none;
  const auto found = pairs_.find(pair);
  return found == pairs_.end() ? none : found->second;
}

int Network::uses(double magnitude, int id) const {
  magnitude = std::abs(magnitude);
  for (const auto& [m, count] : atom(id).multiples)
    if (nearly_equal(m, magnitude)) return count;
  return 0;
}

double Network::factor_of(int row, int id) const {
  const Terms& terms = atom(row).sum;
  const auto found = std::lower_bound(terms.begin(), terms.end(), id,
                                      [](const Term& t, int a) { return t.atom < a; });
  return found != terms.end() && found->atom == id ? found->factor : 0;
}

// --- changes ---

// The multiple that is there already instead of one that differs from it by rounding.
Term Network::snapped(Term term) const {
  for (const auto& [m, count] : atom(term.atom).multiples)
    if (nearly_equal(m, std::abs(term.factor))) term.factor = std::copysign(m, term.factor);
  return term;
}

void Network::put_sum(int row, Terms terms) {
  Atom& atom = atoms_[static_cast<std::size_t>(row)];
  const bool live = atom.live();
  if (live) {
    cost_.additions -= additions(atom);
    note_pairs(row, false);
  }
  if (const auto entry = sums_.find(key_of(atom.sum)); entry != sums_.end() && entry->second == row)
    sums_.erase(entry);
  const Terms before = std::exchange(atom.sum, std::move(terms));
  const auto [entry, is_new] = sums_.try_emplace(key_of(atom.sum), row);
  if (!is_new && !this->atom(entry->second).live()) entry->second = row;
  if (!live) return;
  // First the new ones: what both have stays awake.
  for (const Term& t : atom.sum) refer(t, row);
  for (const Term& t : before) release(t, row);
  cost_.additions += additions(atom);
  note_pairs(row, true);
  changed_.push_back(row);
}

void Network::put_operands(int id, const Terms& to) {
  Term* places[2] = {};
  if (id < 0) {
    places[0] = &outputs_[static_cast<std::size_t>(-1 - id)];
  } else {
    Atom& atom = atoms_[static_cast<std::size_t>(id)];
    places[0] = &atom.a, places[1] = &atom.b;
  }
  for (const Term& t : to) refer(t, id);
  for (std::size_t k = 0; k < to.size() && k < 2; ++k) {
    release(*places[k], id);
    *places[k] = to[k];
  }
  if (to.size() > 2) {
    release({1, atoms_[static_cast<std::size_t>(id)].condition}, id);
    atoms_[static_cast<std::size_t>(id)].condition = to[2].atom;
  }
}

void Network::change(int id, Terms to) {
  for (Term& t : to) t = snapped(t);
  if (id > 0 && atom(id).kind == Kind::sum) {
    journal_.push_back({id, atom(id).sum});
    put_sum(id, std::move(to));
  } else {
    journal_.push_back(
        {id, id < 0 ? Terms{outputs_[static_cast<std::size_t>(-1 - id)]} : operands(atom(id))});
    put_operands(id, to);
  }
}

void Network::undo(std::size_t mark) {
  while (journal_.size() > mark) {
    Change last = std::move(journal_.back());
    journal_.pop_back();
    if (last.id > 0 && atom(last.id).kind == Kind::sum)
      put_sum(last.id, std::move(last.before));
    else
      put_operands(last.id, last.before);
  }
}

void Network::replace_sum(int row, Terms terms) {
  if (terms.size() < 2) return substitute(row, terms.empty() ? Term{0, 0} : terms.front());
  const Term found = find_sum(terms);
  if (found.factor != 0 && found.atom != row && atom(found.atom).live())
    return substitute(row, found);
  change(row, std::move(terms));
}

void Network::scale_sum(int row, double c) {
  // Every user sees a multiple of the sum by a stand-in of the other size.
  Terms terms = atom(row).sum;
  for (Term& t : terms) t.factor = cleaned(c * t.factor);
  Atom made;
  made.kind = Kind::sum;
  made.sum = std::move(terms);
  const int stand_in = intern(std::move(made));
  substitute(row, {1 / c, stand_in});
}

// A product in which `by` stands for an operand.
Term Network::substituted(const Atom& of, int id, const Term& by) {
  Term x = of.a, y = of.b;
  if (x.atom == id) x = by;
  if (y.atom == id) y = by;
  const double factor = x.factor * y.factor;
  if (factor == 0) return {0, 0};
  if (x.atom == 0 || y.atom == 0) return {factor, x.atom + y.atom};
  return {cleaned(factor), product(x.atom, y.atom)};
}

void Network::substitute(int id, const Term& by) {
  while (atom(id).live()) {
    const int parent = atom(id).parents.back();
    if (parent > 0 && atom(parent).kind == Kind::product) {
      const Term other = substituted(Atom(atom(parent)), id, by);
      substitute(parent, other);
    } else if (parent > 0 && atom(parent).kind == Kind::sum) {
      const double factor = factor_of(parent, id);
      Terms rest;
      for (const Term& t : atom(parent).sum)
        if (t.atom != id) rest.push_back(t);
      replace_sum(parent, by.factor == 0 ? rest : merged(rest, 1, {by}, factor));
    } else {
      Terms to = parent < 0 ? Terms{outputs_[static_cast<std::size_t>(-1 - parent)]}
                            : operands(atom(parent));
      for (Term& t : to)
        if (t.atom == id) t = {cleaned(t.factor * by.factor), by.atom};
      change(parent, std::move(to));
    }
  }
}

}  // namespace ulna::symbolic_detail
