#include "compile/column_form.hpp"

#include <fmt/format.h>

#include "compile/column_code.hpp"
#include "trace/body_rows.hpp"
#include "ulna/dynamics/kernels/inverse_derivatives.hpp"
#include "ulna/dynamics/kernels/passive_efforts.hpp"

namespace ulna::generate {
namespace {

using E = Expression;
using SymbolicBody = WorldBody<E>;

/// The steps of the functions, in the order of docs/theory/derivatives.md.
class Writer : ColumnCode {
 public:
  Writer(const Model& model, const TracedFunction& described)
      : ColumnCode(model, described),
        parts_(described.name == "mass"      ? Parts::inertia
               : described.name == "forward" ? Parts::wrench
                                             : Parts::all) {}

  ColumnForm write() {
    poses();
    axes();
    if (described_.name == "mass") {
      inertias();
      composites();
      mass_columns();
      rows({{"m", "M", true}});
      rotors("M[{1}]");
    } else if (described_.name == "inverse-derivatives") {
      velocities(true);
      bodies(true);
      composites();
      derivative_columns(true);
      rows({{"q", "dtau_dq", true}, {"v", "dtau_dv", true}, {"m", "dtau_da", true}});
      passive_slopes("dtau_dq[{1}]", "dtau_dv[{1}]");
      rotors("dtau_da[{1}]");
    } else {
      forward();
    }
    return {text(), operations_};
  }

 private:
  struct Matrix {
    const char* kind;    ///< "q", "v" or "m"
    const char* target;  ///< an argument, or rows of an array
    bool is_argument;
  };

  void poses() {
    add("double angles[ULNA_COLUMNS] = {0}, sines[ULNA_COLUMNS], cosines[ULNA_COLUMNS];");
    add("ULNA_ROWS(X, 12);");
    add("memset(X, 0, sizeof(X));");
    if (described_.name != "mass") {
      array("given", 2);  // v and a
      add("memset(given, 0, sizeof(given));");
      take("given[0]", "v");
      if (described_.name == "inverse-derivatives") take("given[1]", "a");
    }
    {
      LaneBlock block(LaneBlock::Of::scalars);
      const Expressions q = block.entries("q", n_);
      Expressions angles;
      for (int i = 1; i <= n_; ++i)
        angles.push_back(nodes_[i].sigma * q[nodes_[i].q] +
                         (nodes_[i].sigma != 0 ? nodes_[i].offset : 0.0));
      block.put_entries("angles", angles);
      add_scalars(block);
    }
    add("ULNA_EACH ulna_sincos(ULNA_AT(angles), &ULNA_AT(sines), &ULNA_AT(cosines));");
    operations_.sincos_pairs += n_;
    LaneBlock block(LaneBlock::Of::scalars);
    const Expressions q = block.entries("q", n_);
    const Expressions sines = block.entries("sines", n_), cosines = block.entries("cosines", n_);
    Scratch<E> scratch(model_.topology());
    const ScratchView<E> work = scratch.view();
    const TreeView<E> tree = view<E>(model_.topology(), parameters_);
    work.pose[0] = {Mat3<E>::identity(), Vec3<E>::zero()};
    for (int i = 1; i <= n_; ++i) {
      if (nodes_[i].sigma != 0)
        work.sine[i] = sines[i - 1], work.cosine[i] = cosines[i - 1];
      else
        sincos(E(nodes_[i].offset), work.sine[i], work.cosine[i]);
      NodePose<E> now = work.pose[nodes_[i].parent];
      advance_pose(tree, work, i, q.data(), now);
      work.pose[i] = now;
      const Mat3<E>& R = now.R;
      const Expressions entries = {R.xx, R.xy, R.xz, R.yx,    R.yy,    R.yz,
                                   R.zx, R.zy, R.zz, now.p.x, now.p.y, now.p.z};
      for (int k = 0; k < 12; ++k)
        block.put_variable(fmt::format("X[{}][{}]", k, i - 1), entries[k]);
    }
    add_scalars(block);
  }

  /// s, linear in the turn and the slide of the screw.
  void axes() {
    array("s", 6);
    const bool moving = described_.name != "mass";
    if (moving) array("V", 6), array("V0", 6);
    LaneBlock block;
    const NodePose<E> X = pose_of(block.columns("X", 12));
    TreeNode turning, sliding;
    turning.sigma = 1, sliding.h = 1;
    const E sigma =
        constant(block, "sigma", of_nodes([&](int i) { return nodes_[i].sigma; }), true);
    const E h = constant(block, "h", of_nodes([&](int i) { return nodes_[i].h; }), true);
    const Spatial<E> s =
        scaled(sigma, column_axis(turning, X, 0)) + scaled(h, column_axis(sliding, X, 0));
    block.put("s", generate::list(s));
    if (moving) block.put("V", generate::list(scaled(block.columns("given", 1)[0], s)));
    add_block(block);
    if (moving) sums("ulna_outward(V[c], V0[c])", 6);
  }

  /// p1 and p3; accelerations, those of the joints left out where they are not known yet.
  void velocities(bool accelerations) {
    for (const char* name : {"p1", "A", "A0"}) array(name, 6);
    const bool derivatives = parts_ == Parts::all;
    if (derivatives) array("p3", 6);
    LaneBlock block;
    const Spatial<E> s = spatial(block.columns("s", 6)), V0 = spatial(block.columns("V0", 6));
    const Expressions given = block.columns("given", 2);
    const Spatial<E> p1 = cross(V0, s);
    Spatial<E> A = scaled(given[0], p1);
    if (accelerations) A = A + scaled(given[1], s);
    block.put("p1", generate::list(p1));
    if (derivatives) block.put("p3", generate::list(p1 + p1));
    block.put("A", generate::list(A));
    add_block(block);
    sums("ulna_outward(A[c], A0[c])", 6);
  }

  Spatial<E> with_gravity(Spatial<E> A) const {
    A.v -= vec3(parameters_.gravity);
    return A;
  }

  NodeParameters<E> parameters(LaneBlock& block) {
    NodeParameters<E> out;
    const auto at = [&](int i) -> const NodeParameters<E>& { return parameters_.nodes[i]; };
    out.mass = constant(block, "mass", of_nodes([&](int i) { return at(i).mass.factor(); }));
    for (int k = 0; k < 3; ++k)
      out.first_moment[k] =
          constant(block, fmt::format("first{}", k),
                   of_nodes([&](int i) { return at(i).first_moment[k].factor(); }));
    for (int k = 0; k < 6; ++k)
      out.second_moment[k] =
          constant(block, fmt::format("second{}", k),
                   of_nodes([&](int i) { return at(i).second_moment[k].factor(); }));
    return out;
  }

  E composite_mass(LaneBlock& block) {
    std::vector<double> mass = of_nodes([&](int i) { return parameters_.nodes[i].mass.factor(); });
    for (int i = n_; i > 1; --i)
      if (nodes_[i].parent > 0) mass[nodes_[i].parent - 1] += mass[i - 1];
    return constant(block, "composite_mass", mass);
  }

  void inertias() {
    array("body", rows_of(parts_));
    LaneBlock block;
    const NodePose<E> X = pose_of(block.columns("X", 12));
    SymbolicBody b{};
    world_inertia<E>(parameters(block), X, b);
    block.put("body", list(b, parts_));
    add_block(block);
  }

  /// Bodies with their wrenches, and p2 when accelerations are known.
  void bodies(bool accelerations) {
    array("body", rows_of(parts_));
    if (accelerations) array("p2", 6);
    LaneBlock block;
    const NodePose<E> X = pose_of(block.columns("X", 12));
    SymbolicBody b = world_body<E>(parameters(block), X, spatial(block.columns("V", 6)));
    const Spatial<E> IA = inertia_times(b, with_gravity(spatial(block.columns("A", 6))));
    b.n += IA.w;
    b.f += IA.v;
    if (accelerations) block.put("p2", generate::list(second_rates(block)));
    block.put("body", list(b, parts_));
    add_block(block);
  }

  /// p2, from A0 without gravity.
  Spatial<E> second_rates(LaneBlock& block) const {
    const Spatial<E> s = spatial(block.columns("s", 6)), p1 = spatial(block.columns("p1", 6));
    return cross(with_gravity(spatial(block.columns("A0", 6))), s) +
           cross(spatial(block.columns("V0", 6)), p1);
  }

  void composites() { sums("ulna_inward(body[c])", rows_of(parts_)); }

  void mass_columns() {
    array("Is", 6);
    LaneBlock block;
    const SymbolicBody b =
        body_of(composite_mass(block), block.columns("body", rows_of(parts_)), parts_);
    block.put("Is", generate::list(inertia_times(b, spatial(block.columns("s", 6)))));
    add_block(block);
  }

  void derivative_columns(bool with_Is) {
    if (with_Is) array("Is", 6);
    for (const char* name : {"up_q", "up_v"}) array(name, 6);
    array("Bts", 3);
    LaneBlock block;
    SymbolicBody b = body_of(composite_mass(block), block.columns("body", rows_of(parts_)), parts_);
    Expressions rows[4];
    const char* names[] = {"s", "p1", "p2", "p3"};
    for (int k = 0; k < 4; ++k) rows[k] = block.columns(names[k], 6);
    const int node = 0;
    ColumnView<E> column{};
    column.composite = &b;
    column.columns = column.stride = 1;
    column.node = &node;
    column.s = rows[0].data(), column.p1 = rows[1].data();
    column.p2 = rows[2].data(), column.p3 = rows[3].data();
    const ColumnTerms<E> t = column_terms(column, 0);
    if (with_Is) block.put("Is", generate::list(t.Is));
    block.put("up_q", generate::list(t.up_q));
    block.put("up_v", generate::list(t.up_v));
    block.put("Bts", {t.Bts.x, t.Bts.y, t.Bts.z});
    add_block(block);
  }

  static E dot(const Expressions& x, const Expressions& y) {
    E sum(0.0);
    for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
    return sum;
  }

  /// eq. 6-9: every row from one column and all others at once.
  void rows(const std::vector<Matrix>& matrices) {
    LaneBlock carriers;
    {
      const Expressions Is = carriers.of_column_i("Is", 6), s = carriers.columns("s", 6);
      Expressions Bts, p[3];
      for (const Matrix& m : matrices) {
        if (*m.kind != 'm' && Bts.empty()) {
          Bts = carriers.of_column_i("Bts", 3);
          const char* names[] = {"p1", "p2", "p3"};
          for (int k = 0; k < 3; ++k) p[k] = carriers.columns(names[k], 6);
        }
        const E value = *m.kind == 'm'   ? dot(Is, s)
                        : *m.kind == 'q' ? dot(Is, p[1]) + dot(Bts, {p[0][0], p[0][1], p[0][2]})
                                         : dot(Is, p[2]) + dot(Bts, {s[0], s[1], s[2]});
        carriers.put_variable(fmt::format("carriers_{}", m.kind), value);
      }
    }
    const std::string carriers_text = carriers.text("        ");
    LaneBlock carried;
    {
      const Expressions s = carried.of_column_i("s", 6);
      for (const Matrix& m : matrices) {
        const char* name = *m.kind == 'm' ? "Is" : *m.kind == 'q' ? "up_q" : "up_v";
        carried.put_variable(fmt::format("carried_{}", m.kind), dot(s, carried.columns(name, 6)));
      }
    }
    add(fmt::format("for (int i = 0; i < {}; ++i) {{", n_));
    add("  const int own = i / ULNA_WIDTH * ULNA_WIDTH;");
    add("  ULNA_EACH {");
    for (const Matrix& m : matrices)
      add(fmt::format("    lanes carriers_{0} = {{0}}, carried_{0} = {{0}};", m.kind));
    body_ += "      if (j <= own) {\n" + carriers_text + "      }\n";
    body_ += "      if (j >= own) {\n" + carried.text("        ") + "      }\n";
    for (const Matrix& m : matrices) {
      const std::string value = fmt::format("ulna_row(i, j, carriers_{0}, carried_{0})", m.kind);
      add(m.is_argument ? fmt::format("    ulna_put({}, i, j, {});", m.target, value)
                        : fmt::format("    ULNA_AT({}[i]) = {};", m.target, value));
    }
    add("  }");
    add("}");
    count(carriers.operations(), n_ * (n_ + 1) / 2);
    count(carried.operations(), n_ * (n_ - 1) / 2);
  }

  /// eq. 11-13.
  void forward() {
    const bool derivatives = described_.name == "forward-derivatives";
    velocities(false);
    bodies(false);
    if (derivatives) keep_own_bodies();
    composites();
    mass_columns();
    left_efforts();
    add(fmt::format("double U[{}][ULNA_SYSTEM] __attribute__((aligned(64)));", n_));
    add(fmt::format("double D[{}];", n_));
    rows({{"m", "U", false}});
    rotors("U[{0}][{0}]");
    add(fmt::format("for (int i = 0; i < {}; ++i) {{", n_));
    add("  for (int j = ULNA_COLUMNS; j < ULNA_SYSTEM; j += ULNA_WIDTH) ULNA_AT(U[i]) = "
        "ULNA_ALL(0.0);");
    add(fmt::format("  U[i][{}] = left[0][i];", n_));
    add("}");
    const int n = n_;
    operations_.divisions += n;
    operations_.multiplications += n * (n * n - 1) / 6 + n * (n - 1) / 2 + n * n;
    operations_.additions += n * (n * n - 1) / 6 + n * (n - 1);
    if (!derivatives) {
      add("ulna_factor(U, D, 0);");
      solve_accelerations();
      return;
    }
    add(fmt::format("double E[{}][ULNA_COLUMNS] __attribute__((aligned(64)));", n_));
    add("memset(E, 0, sizeof(E));");
    add(fmt::format("for (int i = 0; i < {}; ++i) E[i][i] = 1;", n_));
    add("ulna_factor(U, D, E);");
    solve_accelerations();
    take("given[1]", "a");
    accelerate();
    derivative_columns(false);
    add(fmt::format("double dq[{0}][ULNA_COLUMNS] __attribute__((aligned(64)));", n_));
    add(fmt::format("double dv[{0}][ULNA_COLUMNS] __attribute__((aligned(64)));", n_));
    rows({{"q", "dq", false}, {"v", "dv", false}});
    passive_slopes("dq[{0}][{0}]", "dv[{0}][{0}]");
    add("ulna_solve_rows(U, D, E, 1);");
    add("ulna_solve_rows(U, D, dq, 0);");
    add("ulna_solve_rows(U, D, dv, 0);");
    add(fmt::format("for (int i = 0; i < {}; ++i)", n_));
    add("  ULNA_EACH {");
    add("    ulna_put(da_dq, i, j, -ULNA_AT(dq[i]));");
    add("    ulna_put(da_dv, i, j, -ULNA_AT(dv[i]));");
    add("    ulna_put(da_dtau, i, j, ULNA_AT(E[i]));");
    add("  }");
    operations_.multiplications += 2 * n * n * n + n * n * (n + 1) / 2;
    operations_.additions += 2 * n * n * (n - 1) + n * n * (n - 1) / 2;
  }

  void solve_accelerations() {
    if (in_order_) return add("ulna_solve_column(U, a);");
    add(fmt::format("double solved[{}];", n_));
    add("ulna_solve_column(U, solved);");
    add(fmt::format("for (int i = 0; i < {}; ++i) a[ulna_speed[i]] = solved[i];", n_));
  }

  void keep_own_bodies() {
    array("inertia", 9);
    add("memcpy(inertia, body, sizeof(inertia));");
  }

  /// tau less the passive efforts and the bias.
  void left_efforts() {
    array("left", 1);
    {
      LaneBlock block(LaneBlock::Of::scalars);
      const Expressions q = block.entries("q", n_), v = block.entries("v", n_);
      Expressions left = block.entries("tau", n_);
      add_passive_efforts<E>(model_.degree_terms(), q.data(), v.data(), -1, left.data());
      Expressions in_columns;
      for (const int k : speed_) in_columns.push_back(left[k]);
      block.put_entries("left[0]", in_columns);
      add("memset(left, 0, sizeof(left));");
      add_scalars(block);
    }
    LaneBlock block;
    const SymbolicBody b = body_of(E(0.0), block.columns("body", rows_of(parts_)), parts_);
    const Spatial<E> s = spatial(block.columns("s", 6));
    const E left = block.columns("left", 1)[0];
    block.put("left", {left - (ulna::dot(s.w, b.n) + ulna::dot(s.v, b.f))});
    add_block(block);
  }

  /// What the accelerations of the joints add to A, to the composite wrenches, and p2.
  void accelerate() {
    array("dA", 6);
    array("dA0", 6);
    {
      LaneBlock block;
      const Spatial<E> s = spatial(block.columns("s", 6));
      block.put("dA", generate::list(scaled(block.columns("given", 2)[1], s)));
      add_block(block);
    }
    sums("ulna_outward(dA[c], dA0[c])", 6);
    array("added", 6);
    array("p2", 6);
    LaneBlock block;
    NodeParameters<E> of_body = parameters(block);
    const SymbolicBody own = body_of(of_body.mass, block.columns("inertia", 9), Parts::inertia);
    block.put("added", generate::list(inertia_times(own, spatial(block.columns("dA", 6)))));
    const Spatial<E> s = spatial(block.columns("s", 6)), p1 = spatial(block.columns("p1", 6));
    const Spatial<E> A0 =
        with_gravity(spatial(block.columns("A0", 6)) + spatial(block.columns("dA0", 6)));
    block.put("p2", generate::list(cross(A0, s) + cross(spatial(block.columns("V0", 6)), p1)));
    add_block(block);
    sums("ulna_inward(added[c])", 6);
    // Rows 9 to 14 are the composite wrench.
    add("for (int c = 0; c < 6; ++c) ULNA_EACH ULNA_AT(body[9 + c]) += ULNA_AT(added[c]);");
    operations_.additions += 6 * n_;
  }

  const Parts parts_;
};

}  // namespace

ColumnForm column_form(const Model& model, const TracedFunction& described) {
  Graph constants;  // the parameters are numbers: nothing is recorded in it
  const Graph::Scope scope(constants);
  return Writer(model, described).write();
}

}  // namespace ulna::generate
