/* The model as generated C: Dormand and Prince's method of order 5 with error control for
 * co-simulation, the projection onto closed loops after each step, and stops of joints
 * (docs/theory/simulation.md of Ulna). No library is needed but that of C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot_model.h"
#include "source_stops.h"
#include "ulna_fmu.h"

typedef struct {
  double *p, *c, *tau, *a;
  double *stage[7], *trial, *work; /* of the integrator */
  double *r, *A, *S;               /* of the projection */
  double step, error;              /* remembered from step to step */
  Stops stops;
  char text[256];
} Model;

static int states(void) { return robot_q + robot_v + robot_z; }
static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

static void *create(const char *resources, UlnaSizes *sizes, char *message, size_t room) {
  Model *m = calloc(1, sizeof *m);
  const int n = states(), rows = robot_rows;
  int k;
  (void)resources;
  if (!m) {
    snprintf(message, room, "out of memory");
    return NULL;
  }
  sizes->parameters = robot_parameters, sizes->inputs = robot_inputs;
  sizes->outputs = robot_outputs, sizes->states = n, sizes->indicators = robot_stops;
  m->p = numbers(robot_parameters), m->c = numbers(robot_constants);
  m->tau = numbers(robot_v), m->a = numbers(robot_v);
  for (k = 0; k < 7; ++k) m->stage[k] = numbers(n);
  m->trial = numbers(n), m->work = numbers(n);
  m->r = numbers(rows), m->A = numbers(rows * robot_v), m->S = numbers(rows * rows);
  stops_make(&m->stops);
  return m;
}

static void destroy(void *model) {
  Model *m = model;
  int k;
  free(m->p), free(m->c), free(m->tau), free(m->a);
  for (k = 0; k < 7; ++k) free(m->stage[k]);
  free(m->trial), free(m->work), free(m->r), free(m->A), free(m->S);
  stops_free(&m->stops);
  free(m);
}

static const char *message(void *model) { return ((Model *)model)->text; }

static void defaults(void *model, double *p, double *u) {
  (void)model;
  memcpy(p, robot_default_p, (size_t)robot_parameters * sizeof(double));
  memcpy(u, robot_default_u, (size_t)robot_inputs * sizeof(double));
}

/* Impacts, and the choice of what rests. */
static int meet_stops(Model *m, double t, double *x, const double *u, int *changed) {
  if (robot_stops == 0) return 0;
  robot_rates(t, x, u, m->p, m->c, m->work, m->tau, m->a);
  if (!stops_impact(&m->stops, x, m->tau, m->c, changed)) {
    robot_rates(t, x, u, m->p, m->c, m->work, m->tau, m->a);
    if (!stops_choose(&m->stops, x, m->tau, m->c, m->a, changed)) return 0;
  }
  snprintf(m->text, sizeof m->text, "an impact of several stops has no solution at t = %.9g s", t);
  return -1;
}

static int start(void *model, const double *p, const double *u, double duration, int exchange,
                 double *x) {
  Model *m = model;
  int changed;
  (void)duration, (void)exchange;
  memcpy(m->p, p, (size_t)robot_parameters * sizeof(double));
  robot_prepare(m->p, m->c);
  memcpy(x, robot_start_x, (size_t)states() * sizeof(double));
  m->step = 0, m->error = 1e-4;
  stops_start(&m->stops, x);
  return meet_stops(m, 0, x, u, &changed);
}

static int rates(void *model, double t, const double *x, const double *u, double *dx) {
  Model *m = model;
  int k;
  robot_rates(t, x, u, m->p, m->c, dx, m->tau, m->a);
  if (stops_resting(&m->stops)) {
    if (stops_hold(&m->stops, x, m->tau, m->c, m->a)) {
      snprintf(m->text, sizeof m->text, "joints at their stops cannot be held at t = %.9g s", t);
      return -1;
    }
    memcpy(dx + robot_q, m->a, (size_t)robot_v * sizeof(double));
  }
  for (k = 0; k < states(); ++k)
    if (!isfinite(dx[k])) {
      snprintf(m->text, sizeof m->text, "the rates are not finite at t = %.9g s", t);
      return -1;
    }
  return 0;
}

static int outputs(void *model, double t, const double *x, const double *u, double *y) {
  Model *m = model;
  if (rates(model, t, x, u, m->work)) return -1;
  robot_outputs_at(t, x, u, m->p, m->c, m->tau, m->a, y);
  return 0;
}

static int indicate(void *model, double t, const double *x, const double *u, double *z) {
  Model *m = model;
  if (stops_resting(&m->stops) && rates(m, t, x, u, m->work)) return -1;
  stops_indicate(&m->stops, x, z);
  return 0;
}

/* target -= A' (A A')^-1 r. 0 where the rows depend on each other. */
static int correct(Model *m, double *target) {
  const int n = robot_v, rows = robot_rows;
  int i, j, k;
  for (i = 0; i < rows; ++i)
    for (j = 0; j < rows; ++j) {
      m->S[i * rows + j] = 0;
      for (k = 0; k < n; ++k) m->S[i * rows + j] += m->A[i * n + k] * m->A[j * n + k];
    }
  if (!solve_positive(m->S, m->r, rows)) return 0;
  for (k = 0; k < n; ++k)
    for (i = 0; i < rows; ++i) target[k] -= m->A[i * n + k] * m->r[i];
  return 1;
}

static double largest(const double *x, int n) {
  double most = 0;
  int k;
  for (k = 0; k < n; ++k) most = fmax(most, fabs(x[k]));
  return most;
}

/* Moves coordinates and speeds back onto the closed loops. */
static int project(Model *m, double *x) {
  int round, i, k;
  if (robot_rows == 0) return 1;
  for (round = 0; round < 20; ++round) {
    robot_closure(x, x + robot_q, m->r, m->A);
    if (!isfinite(largest(m->r, robot_rows))) return 0;
    if (largest(m->r, robot_rows) < 1e-13) break;
    if (!correct(m, x)) return 0;
  }
  for (i = 0; i < robot_rows; ++i) {
    m->r[i] = 0;
    for (k = 0; k < robot_v; ++k) m->r[i] += m->A[i * robot_v + k] * x[robot_q + k];
  }
  return correct(m, x + robot_q);
}

static int event(void *model, double t, double *x, const double *u, int *changed, int *ends,
                 double *next) {
  Model *m = model;
  *ends = 0;
  *next = INFINITY;
  memcpy(m->trial, x, (size_t)states() * sizeof(double));
  if (!project(m, m->trial)) {
    snprintf(m->text, sizeof m->text, "the loops cannot be closed at t = %.9g s", t);
    return -1;
  }
  if (meet_stops(m, t, m->trial, u, changed)) return -1;
  *changed = memcmp(m->trial, x, (size_t)states() * sizeof(double)) != 0;
  memcpy(x, m->trial, (size_t)states() * sizeof(double));
  return 0;
}

static int drifted(void *model, double t, const double *x, const double *u, int *yes) {
  Model *m = model;
  int i, k;
  (void)t, (void)u;
  *yes = 0;
  stops_accept(&m->stops, x);
  if (robot_rows == 0) return 0;
  robot_closure(x, x + robot_q, m->r, m->A);
  *yes = largest(m->r, robot_rows) > 1e-9;
  for (i = 0; i < robot_rows; ++i) {
    double rate = 0;
    for (k = 0; k < robot_v; ++k) rate += m->A[i * robot_v + k] * x[robot_q + k];
    if (fabs(rate) > 1e-9) *yes = 1;
  }
  return 0;
}

/* Dormand and Prince 1980: one step of length h from x, whose rates are stage 0, into `trial`, whose
 * rates are stage 6. Returns the error against the tolerance, or infinity. */
static double try_step(Model *m, double t, double h, const double *x, const double *u) {
  static const double nodes[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
  static const double table[7][6] = {
      {0},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static const double e[7] = {71. / 57600,      0,          -71. / 16695, 71. / 1920,
                              -17253. / 339200, 22. / 525, -1. / 40};
  const int n = states();
  double sum = 0;
  int s, j, k;
  for (s = 1; s < 7; ++s) {
    for (k = 0; k < n; ++k) {
      double d = 0;
      for (j = 0; j < s; ++j) d += table[s][j] * m->stage[j][k];
      m->trial[k] = x[k] + h * d;
    }
    if (rates(m, t + nodes[s] * h, m->trial, u, m->stage[s])) return INFINITY;
  }
  for (k = 0; k < n; ++k) {
    double d = 0;
    for (j = 0; j < 7; ++j) d += e[j] * m->stage[j][k];
    d *= h / (robot_atol + robot_rtol * fmax(fabs(x[k]), fabs(m->trial[k])));
    sum += d * d;
  }
  sum = sqrt(sum / (n > 0 ? n : 1));
  return isfinite(sum) ? sum : INFINITY;
}

/* A step that ends just past the first guard that a step of length h passes; its length. */
static double shortened(Model *m, double t, double h, const double *x, const double *u) {
  double low = 0, high = h;
  while (high - low > 1e-13 * fmax(1, fabs(t))) {
    const double middle = low + 0.5 * (high - low);
    if (!isfinite(try_step(m, t, middle, x, u))) return -1;
    if (stops_passed(&m->stops, m->trial))
      high = middle;
    else
      low = middle;
  }
  return isfinite(try_step(m, t, high, x, u)) && project(m, m->trial) ? high : -1;
}

static int advance(void *model, double t, double to, const double *u, double *x, double *reached,
                   int *ends) {
  Model *m = model;
  const size_t bytes = (size_t)states() * sizeof(double);
  int changed = 0;
  *ends = 0;
  if (meet_stops(m, t, x, u, &changed)) return -1; /* inputs may have changed */
  if (rates(m, t, x, u, m->stage[0])) return -1;
  if (m->step <= 0) m->step = fmin(1e-3, robot_largest_step);
  while (t < to) {
    const double left = to - t;
    double h = fmin(m->step, robot_largest_step), error, factor;
    int last = h >= left * (1 - 1e-12), met;
    if (last) h = left;
    error = try_step(m, t, h, x, u);
    factor = error > 0 ? 0.9 * pow(error, -0.17) * pow(m->error, 0.04) : 5;
    factor = fmin(5, fmax(0.2, isfinite(factor) ? factor : 0.2));
    if (!(error <= 1) || !project(m, m->trial)) {
      if (error <= 1) factor = 0.2;
      m->step = h * fmin(factor, 1);
      if (m->step < 1e-14 * fmax(1e-3, fabs(t))) {
        snprintf(m->text, sizeof m->text, "the step has become too small at t = %.9g s", t);
        return -1;
      }
      continue;
    }
    m->error = fmax(error, 1e-4);
    if (!last || factor < 1) m->step = h * factor;
    met = stops_passed(&m->stops, m->trial);
    if (met) {
      const double reduced = shortened(m, t, h, x, u);
      if (reduced < 0) {
        snprintf(m->text, sizeof m->text, "an impact after t = %.9g s cannot be located", t);
        return -1;
      }
      last = last && reduced == h;
      h = reduced;
    }
    t = last ? to : t + h;
    memcpy(x, m->trial, bytes);
    if (met && meet_stops(m, t, x, u, &changed)) return -1;
    stops_accept(&m->stops, x);
    if (rates(m, t, x, u, m->stage[0])) return -1;
  }
  *reached = to;
  return 0;
}

static long save(void *model, double *memory) {
  const Model *m = model;
  int k;
  if (memory) {
    memory[0] = m->step, memory[1] = m->error;
    for (k = 0; k < robot_stops; ++k)
      memory[2 + 2 * k] = m->stops.rests[k], memory[3 + 2 * k] = m->stops.past[k];
  }
  return 2 + 2 * robot_stops;
}

static int restore(void *model, const double *p, const double *u, double t, const double *x,
                   int exchange, const double *memory, long count) {
  Model *m = model;
  int k;
  (void)u, (void)t, (void)x, (void)exchange;
  memcpy(m->p, p, (size_t)robot_parameters * sizeof(double));
  robot_prepare(m->p, m->c);
  if (count < 2 + 2 * robot_stops) {
    snprintf(m->text, sizeof m->text, "the state of the FMU is incomplete");
    return -1;
  }
  m->step = memory[0], m->error = memory[1];
  for (k = 0; k < robot_stops; ++k)
    m->stops.rests[k] = (int)memory[2 + 2 * k], m->stops.past[k] = memory[3 + 2 * k];
  return 0;
}

static int along(void *model, double t, const double *x, const double *x_along, const double *u,
                 const double *u_along, double *dx, double *y) {
  const Model *m = model;
  if (stops_resting(&m->stops)) return -1;
  return robot_along(t, x, x_along, u, u_along, m->p, m->c, dx, y);
}

const UlnaModel *ulna_model(const char *folder, char *text, size_t room) {
  static const UlnaModel model = {create,   destroy, message, defaults, start,   rates,  outputs,
                                  indicate, event,   drifted, advance,  save,    restore, along};
  (void)folder, (void)text, (void)room;
  return &model;
}
