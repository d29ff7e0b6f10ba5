#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "factors.hpp"

namespace ulna::symbolic_detail {

Terms merged(const Terms& a, double fa, const Terms& b, double fb) {
  Terms out;
  out.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom < j->atom)) {
      out.push_back({fa * i->factor, i->atom});
      ++i;
    } else if (i == a.end() || j->atom < i->atom) {
      out.push_back({fb * j->factor, j->atom});
      ++j;
    } else {
      const double sum = add_factors(fa * i->factor, fb * j->factor);
      if (sum != 0) out.push_back({sum, i->atom});
      ++i, ++j;
    }
  }
  return out;
}

std::int64_t ratio_key(double ratio) {
  // Forty bits of the mantissa, rounded: far coarser than the rounding of constants, far finer than
  // any difference that means something.
  int exponent = 0;
  const double mantissa = std::frexp(ratio, &exponent);
  return std::llround(std::ldexp(mantissa, 40)) * 4096 + exponent;
}

Network::Key Network::key_of(const Terms& terms) {
  Key key;
  key.reserve(terms.size());
  for (const Term& t : terms) key.emplace_back(t.atom, ratio_key(t.factor / terms.front().factor));
  return key;
}

std::size_t Network::KeyHash::operator()(const Key& key) const {
  std::uint64_t h = 0;
  for (const auto& [atom, ratio] : key)
    h = (h ^ static_cast<std::uint64_t>(ratio)) * 0x9e3779b97f4a7c15ULL +
        static_cast<std::uint64_t>(atom) + (h >> 29);
  return (h ^ (h >> 32)) * 0xff51afd7ed558ccdULL;
}

std::size_t Network::KeyHash::operator()(const std::pair<int, int>& key) const {
  const std::uint64_t h =
      (static_cast<std::uint64_t>(key.first) << 32) ^ static_cast<std::uint64_t>(key.second);
  return (h * 0x9e3779b97f4a7c15ULL) ^ (h >> 31);
}

int Network::intern(const Atom& atom) {
  atoms_.push_back(atom);
  Atom& made = atoms_.back();
  if (made.kind == Kind::sum) {
    made.known = std::all_of(made.sum.begin(), made.sum.end(),
                             [&](const Term& t) { return t.atom == 0 || atoms_[t.atom].known; });
  } else if (made.kind != Kind::input && made.kind != Kind::select) {
    const int count = operand_count(made.kind);
    made.known = (count < 1 || made.a.atom == 0 || atoms_[made.a.atom].known) &&
                 (count < 2 || made.b.atom == 0 || atoms_[made.b.atom].known);
  }
  return static_cast<int>(atoms_.size()) - 1;
}

int Network::product(int a, int b) {
  const auto [entry, is_new] = products_.try_emplace(std::pair<int, int>(std::minmax(a, b)), 0);
  if (is_new) {
    Atom atom;
    atom.kind = Kind::product;
    atom.a = {1, std::min(a, b)};
    atom.b = {1, std::max(a, b)};
    entry->second = intern(atom);
  }
  return entry->second;
}

Term Network::find_sum(const Terms& terms) const {
  if (terms.empty()) return {0, 0};
  if (terms.size() == 1) return terms.front();
  const auto entry = sums_.find(key_of(terms));
  if (entry == sums_.end()) return {0, 0};
  return {terms.front().factor / atoms_[entry->second].sum.front().factor, entry->second};
}

Term Network::sum(const Terms& terms) {
  if (const Term found = find_sum(terms); found.factor != 0 || terms.empty()) return found;
  Atom atom;
  atom.kind = Kind::sum;
  atom.sum = terms;
  const int row = intern(atom);
  changed_.push_back(row);
  sums_[key_of(terms)] = row;
  for (const Term& t : terms) add_term_use(t, 1);
  return {1, row};
}

void Network::replace_sum(int row, Terms terms) {
  changed_.push_back(row);
  for (const Term& t : atoms_[row].sum) add_term_use(t, -1);
  if (!atoms_[row].sum.empty()) {
    const auto entry = sums_.find(key_of(atoms_[row].sum));
    if (entry != sums_.end() && entry->second == row) sums_.erase(entry);
  }
  for (const Term& t : terms) add_term_use(t, 1);
  atoms_[row].sum = std::move(terms);
  if (atoms_[row].sum.size() > 1) sums_.try_emplace(key_of(atoms_[row].sum), row);
}

int Network::uses(double magnitude, int atom) const {
  magnitude = std::abs(magnitude);
  for (const auto& [m, count] : atoms_[atom].multiples)
    if (m == magnitude) return count;
  return 0;
}

std::vector<double> Network::magnitudes(int atom) const {
  std::vector<double> found;
  for (const auto& [m, count] : atoms_[atom].multiples)
    if (count > 0) found.push_back(m);
  return found;
}

void Network::scale_sum(int row, double c) {
  const auto cleaned = [](double x) {
    return nearly_equal(std::abs(x), 1) ? std::copysign(1.0, x) : x;
  };
  Terms terms = atoms_[row].sum;
  for (Term& t : terms) t.factor = cleaned(c * t.factor);
  replace_sum(row, std::move(terms));
  const auto rescale = [&](Term& t) {
    if (t.atom == row) t.factor = cleaned(t.factor / c);
  };
  for (std::size_t i = 1; i < atoms_.size(); ++i) {
    if (atoms_[i].kind == Kind::sum) {
      for (const Term& t : atoms_[i].sum) {
        if (t.atom != row) continue;
        Terms changed = atoms_[i].sum;
        for (Term& u : changed) rescale(u);
        replace_sum(static_cast<int>(i), std::move(changed));
        break;
      }
    } else {
      rescale(atoms_[i].a), rescale(atoms_[i].b);
    }
  }
  for (Term& t : outputs_) rescale(t);
}

void Network::add_term_use(const Term& t, int count) {
  Atom& atom = atoms_[t.atom];
  atom.users += count;
  if (t.atom == 0 || is_unit(t.factor)) return;
  const double magnitude = std::abs(t.factor);
  for (auto& [m, uses] : atom.multiples)
    if (m == magnitude) {
      uses += count;
      return;
    }
  atom.multiples.emplace_back(magnitude, count);
}

namespace {

// Operations of a sum but for a number common to all its terms.
int cost_of(const Terms& terms) {
  if (terms.empty()) return 0;
  const double scale = std::abs(terms.front().factor);
  int numbers = 0, others = 0;
  for (const Term& t : terms) {
    numbers += t.atom != 0 && !is_unit(t.factor);
    others += t.atom != 0 && !nearly_equal(std::abs(t.factor), scale);
  }
  return static_cast<int>(terms.size()) - 1 + std::min(numbers, others);
}

}  // namespace

Network::Network(std::span<const Expression> outputs, const Graph& graph, bool open_shared,
                 char known) {
  atoms_.emplace_back();  // the number one
  const std::span<const Node> nodes = graph.nodes_up_to(outputs);

  // Only what the outputs need, and of that, which sums something other than a sum stands on.
  std::vector<char> needed(nodes.size(), 0), whole(nodes.size(), 0);
  std::vector<int> users(nodes.size(), 0);
  for (const Expression& e : outputs) needed[e.id()] = whole[e.id()] = 1, ++users[e.id()];
  for (std::size_t i = nodes.size(); i-- > 1;) {
    if (!needed[i]) continue;
    const Node& node = nodes[i];
    for (int k = 0; k < operand_count(node.kind); ++k) {
      needed[node.operands[k].id()] = 1;
      ++users[node.operands[k].id()];
      if (node.kind != Kind::sum) whole[node.operands[k].id()] = 1;
    }
    if (node.kind == Kind::select) needed[node.link] = whole[node.link] = 1;
  }

  std::vector<Terms> open(nodes.size());  // every node as a sum of atoms
  std::vector<Term> value(nodes.size());  // needed as a whole: one atom
  open[0] = {{1, 0}};
  value[0] = {1, 0};
  const auto operand = [&](const Expression& e) {
    return Term{e.factor() * value[e.id()].factor, value[e.id()].atom};
  };
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    const Node& node = nodes[i];
    if (node.kind == Kind::sum) {
      const Expression &a = node.a(), &b = node.b();
      open[i] = merged(open[a.id()], a.factor(), open[b.id()], b.factor());
      if (!open_shared) {
        // A sum that others use, or of which a multiple is needed, stays as it is unless opening it
        // brings like terms together.
        const auto stays = [&](const Expression& e) {
          return nodes[e.id()].kind == Kind::sum && (users[e.id()] > 1 || !is_unit(e.factor()));
        };
        const auto closed = [&](const Expression& e) {
          if (!stays(e)) return open[e.id()];
          if (value[e.id()].factor == 0) value[e.id()] = sum(open[e.id()]);
          return Terms{value[e.id()]};
        };
        const auto inside = [&](const Expression& e) {
          return users[e.id()] > 1 ? 0 : cost_of(open[e.id()]);
        };
        const bool alike = nearly_equal(std::abs(a.factor()), std::abs(b.factor()));
        if (!alike || cost_of(open[i]) > inside(a) + inside(b))
          open[i] = merged(closed(a), a.factor(), closed(b), b.factor());
      }
      if (whole[i]) value[i] = sum(open[i]);
      continue;
    }
    Atom atom;
    atom.kind = node.kind;
    atom.link = node.link;
    double factor = 1;
    if (node.kind == Kind::input)
      atom.known = known != '\0' && graph.input_names()[node.link].starts_with(known);
    const int count = operand_count(node.kind);
    if (count > 0) atom.a = operand(node.a());
    if (count > 1) atom.b = operand(node.b());
    if (node.kind == Kind::product) {
      factor = atom.a.factor * atom.b.factor;
      const bool constant = atom.a.atom == 0 || atom.b.atom == 0 || factor == 0;
      value[i] = factor == 0 ? Term{0, 0}
                 : constant  ? Term{factor, atom.a.atom + atom.b.atom}
                             : Term{factor, product(atom.a.atom, atom.b.atom)};
    } else {
      if (node.kind == Kind::quotient) {
        factor = atom.a.factor / atom.b.factor;
        atom.a.factor = atom.b.factor = 1;
      }
      if (node.kind == Kind::select) atom.condition = value[node.link].atom;
      value[i] = {factor, intern(atom)};
    }
    if (value[i].factor != 0) open[i] = {value[i]};
  }
  for (const Expression& e : outputs) outputs_.push_back(operand(e));
  count_users();
}

void Network::count_users() {
  for (Atom& atom : atoms_) {
    atom.users = 0;
    atom.multiples.clear();
  }
  // Sums and products may have been left behind by rewriting: only what outputs reach counts.
  std::vector<char> reached(atoms_.size(), 0);
  std::vector<int> stack;
  const auto reach = [&](int atom) {
    if (!reached[atom]) reached[atom] = 1, stack.push_back(atom);
  };
  for (const Term& t : outputs_) {
    add_term_use(t, 1);
    reach(t.atom);
  }
  while (!stack.empty()) {
    const int id = stack.back();
    stack.pop_back();
    const Atom& atom = atoms_[id];
    if (atom.kind == Kind::sum) {
      for (const Term& t : atom.sum) add_term_use(t, 1), reach(t.atom);
      continue;
    }
    const int count = operand_count(atom.kind);
    if (count > 0) add_term_use(atom.a, 1), reach(atom.a.atom);
    if (count > 1) add_term_use(atom.b, 1), reach(atom.b.atom);
    if (atom.kind == Kind::select) ++atoms_[atom.condition].users, reach(atom.condition);
  }
}

std::vector<Expression> Network::write(Graph& graph) const {
  Graph::Scope scope(graph);
  std::vector<Expression> made(atoms_.size());
  std::vector<char> done(atoms_.size(), 0);
  made[0] = 1.0, done[0] = 1;
  const auto value = [&](const Term& t) { return t.factor * made[t.atom]; };
  std::vector<int> stack;
  for (const Term& t : outputs_) stack.push_back(t.atom);
  while (!stack.empty()) {
    const int id = stack.back();
    const Atom& atom = atoms_[id];
    const std::size_t before = stack.size();
    const auto want = [&](int a) {
      if (!done[a]) stack.push_back(a);
    };
    const int count = atom.kind == Kind::sum ? 0 : operand_count(atom.kind);
    if (count > 0) want(atom.a.atom);
    if (count > 1) want(atom.b.atom);
    if (atom.kind == Kind::select) want(atom.condition);
    for (const Term& t : atom.sum) want(t.atom);
    if (stack.size() > before) continue;
    stack.pop_back();
    if (done[id]) continue;
    done[id] = 1;
    Expression e;
    switch (atom.kind) {
      case Kind::sum:
        for (const Term& t : atom.sum) e += value(t);
        break;
      case Kind::product:
        e = value(atom.a) * value(atom.b);
        break;
      case Kind::quotient:
        e = value(atom.a) / value(atom.b);
        break;
      case Kind::sqrt:
        e = sqrt(value(atom.a));
        break;
      case Kind::sin:
        e = sin(value(atom.a));
        break;
      case Kind::cos:
        e = cos(value(atom.a));
        break;
      case Kind::input:
        e = graph.input(graph.input_names()[atom.link]);
        break;
      case Kind::select: {
        const Atom& condition = atoms_[atom.condition];
        e = select(less(value(condition.a), value(condition.b)), value(atom.a), value(atom.b));
        break;
      }
      case Kind::less:
      case Kind::one:
        break;
    }
    made[id] = e;
  }
  std::vector<Expression> out;
  for (const Term& t : outputs_) out.push_back(value(t));
  return out;
}

}  // namespace ulna::symbolic_detail
