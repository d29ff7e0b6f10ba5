#include "source_stops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_model.h"

static const double slack = 1e-11; /* of guards: rounding in what they compare */

static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

int stops_make(Stops *s) {
  const int n = robot_stops;
  s->rests = calloc((size_t)n + 1, sizeof(int)), s->list = calloc((size_t)n + 1, sizeof(int));
  s->pushes = calloc((size_t)n + 1, sizeof(int));
  s->past = numbers(n), s->reaction = numbers(n), s->u = numbers(n), s->p = numbers(n);
  s->b = numbers(n), s->W = numbers(n * robot_v), s->D = numbers(n * n), s->S = numbers(n * n);
  s->tau = numbers(robot_v), s->a = numbers(robot_v);
  return s->rests && s->list && s->pushes && s->past && s->reaction && s->u && s->p && s->b &&
         s->W && s->D && s->S && s->tau && s->a;
}

void stops_free(Stops *s) {
  free(s->rests), free(s->list), free(s->pushes), free(s->past), free(s->reaction), free(s->u);
  free(s->p), free(s->b), free(s->W), free(s->D), free(s->S), free(s->tau), free(s->a);
}

int stops_resting(const Stops *s) {
  int k, count = 0;
  for (k = 0; k < robot_stops; ++k) count += s->rests[k] != 0;
  return count;
}

static double beyond(const double *x, int k) {
  const double q = x[robot_stop_q[k]];
  return fmax(q - robot_upper[k], robot_lower[k] - q);
}

void stops_start(Stops *s, const double *x) {
  int k;
  for (k = 0; k < robot_stops; ++k)
    s->rests[k] = 0, s->reaction[k] = 0, s->past[k] = fmax(0, beyond(x, k));
}

/* 1 at the lower stop, -1 at the upper one. */
static int inwards(const double *x, int k) {
  const double q = x[robot_stop_q[k]];
  return q - robot_upper[k] > robot_lower[k] - q ? -1 : 1;
}

int solve_positive(double *S, double *b, int n) {
  int i, j, k;
  for (j = 0; j < n; ++j) {
    const double own = S[j * n + j];
    double d = own;
    for (k = 0; k < j; ++k) d -= S[j * n + k] * S[j * n + k];
    if (!(d > 1e-14 * own)) return 0;
    d = sqrt(d);
    S[j * n + j] = d;
    for (i = j + 1; i < n; ++i) {
      double s = S[i * n + j];
      for (k = 0; k < j; ++k) s -= S[i * n + k] * S[j * n + k];
      S[i * n + j] = s / d;
    }
  }
  for (i = 0; i < n; ++i) {
    for (k = 0; k < i; ++k) b[i] -= S[i * n + k] * b[k];
    b[i] /= S[i * n + i];
  }
  for (i = n; i-- > 0;) {
    for (k = i + 1; k < n; ++k) b[i] -= S[k * n + i] * b[k];
    b[i] /= S[i * n + i];
  }
  return 1;
}

static int sense(const Stops *s, const double *x, int k) {
  return s->rests[k] ? s->rests[k] : inwards(x, k);
}

/* The part of the answers W that is along the list. */
static void along_list(Stops *s, const double *x, int n) {
  int i, j;
  for (i = 0; i < n; ++i)
    for (j = 0; j < n; ++j)
      s->D[i * n + j] =
          sense(s, x, s->list[i]) * s->W[j * robot_v + robot_stop_v[s->list[i]]];
}

/* How all speeds answer a unit effort inwards at each of the list; accelerations are linear in it. */
static void respond(Stops *s, const double *x, const double *tau, const double *c, int n) {
  int i, k;
  memcpy(s->tau, tau, (size_t)robot_v * sizeof(double));
  robot_forward(x, x + robot_q, s->tau, c, s->a);
  for (i = 0; i < n; ++i) {
    const int v = robot_stop_v[s->list[i]];
    double *W = s->W + i * robot_v;
    s->tau[v] += sense(s, x, s->list[i]);
    robot_forward(x, x + robot_q, s->tau, c, W);
    s->tau[v] = tau[v];
    for (k = 0; k < robot_v; ++k) W[k] -= s->a[k];
  }
  along_list(s, x, n);
}

/* p of those that push such that D p + b = 0 along them; 0 where they depend on each other. */
static int push(Stops *s, int n) {
  int i, j, rows = 0;
  for (i = 0; i < n; ++i) {
    int columns = 0;
    if (!s->pushes[i]) continue;
    ++rows;
    for (j = 0; j < n; ++j) columns += s->pushes[j];
    for (j = 0; j < n; ++j) {
      int at = 0, k;
      if (!s->pushes[j]) continue;
      for (k = 0; k < j; ++k) at += s->pushes[k];
      s->S[(rows - 1) * columns + at] = s->D[i * n + j];
    }
    s->u[rows - 1] = -s->b[i];
  }
  if (!solve_positive(s->S, s->u, rows)) return 0;
  for (i = 0, j = 0; i < n; ++i) s->p[i] = s->pushes[i] ? s->u[j++] : 0;
  return 1;
}

/* p >= 0, D p + b >= 0, one of them zero for each: the first that does not hold changes sides, until
 * all hold (Murty's method, which ends for positive D). */
static int complementary(Stops *s, int n) {
  int round, i, j, barred = -1;
  double size = 0;
  for (i = 0; i < n; ++i) s->pushes[i] = 0, s->p[i] = 0, size = fmax(size, fabs(s->b[i]));
  for (round = 0; round < 10000; ++round) {
    int wrong = -1;
    for (i = 0; i < n && wrong < 0; ++i) {
      double w = s->b[i];
      for (j = 0; j < n; ++j) w += s->D[i * n + j] * s->p[j];
      if (s->pushes[i] ? s->p[i] < 0 : w < -1e-12 * (1 + size) && i != barred) wrong = i;
    }
    if (wrong < 0) return 1;
    s->pushes[wrong] = !s->pushes[wrong];
    if (!push(s, n)) { /* it moves with the others, and is held by them */
      s->pushes[wrong] = 0, barred = wrong;
      if (!push(s, n)) return 0;
    }
  }
  return 0;
}

int stops_hold(Stops *s, const double *x, const double *tau, const double *c, double *a) {
  int i, k, n = 0;
  for (k = 0; k < robot_stops; ++k) {
    s->reaction[k] = 0;
    if (s->rests[k]) s->list[n++] = k;
  }
  if (n == 0) return 0;
  respond(s, x, tau, c, n);
  for (i = 0; i < n; ++i) {
    s->pushes[i] = 1;
    s->b[i] = s->rests[s->list[i]] * a[robot_stop_v[s->list[i]]];
  }
  if (!push(s, n)) return -1;
  for (i = 0; i < n; ++i) {
    s->reaction[s->list[i]] = s->p[i];
    for (k = 0; k < robot_v; ++k) a[k] += s->W[i * robot_v + k] * s->p[i];
  }
  for (i = 0; i < n; ++i) a[robot_stop_v[s->list[i]]] = 0;
  return 0;
}

void stops_indicate(const Stops *s, const double *x, double *z) {
  int k;
  for (k = 0; k < robot_stops; ++k)
    z[k] = slack + (s->rests[k] ? s->reaction[k] : s->past[k] - beyond(x, k));
}

int stops_passed(const Stops *s, const double *x) {
  int k, yes = 0;
  for (k = 0; k < robot_stops; ++k)
    yes |= (s->rests[k] ? s->reaction[k] : s->past[k] - beyond(x, k)) < -slack;
  return yes;
}

void stops_accept(Stops *s, const double *x) {
  int k;
  for (k = 0; k < robot_stops; ++k) s->past[k] = fmax(0, fmin(s->past[k], beyond(x, k)));
}

/* What rests, and then what touches. */
static int touching(Stops *s, const double *x) {
  int k, n = 0;
  for (k = 0; k < robot_stops; ++k)
    if (s->rests[k]) s->list[n++] = k;
  for (k = 0; k < robot_stops; ++k)
    if (!s->rests[k] && beyond(x, k) >= -slack) s->list[n++] = k;
  return n;
}

static double speed(const Stops *s, const double *x, int i) {
  return sense(s, x, s->list[i]) * x[robot_q + robot_stop_v[s->list[i]]];
}

/* Answers of those that touch while what rests is held; the list is then without the latter. */
static int respond_held(Stops *s, const double *x, const double *tau, const double *c, int n) {
  const int held = stops_resting(s);
  int i, j, k;
  respond(s, x, tau, c, n);
  for (i = held; i < n && held > 0; ++i) {
    for (j = 0; j < held; ++j) {
      s->u[j] = s->D[j * n + i];
      for (k = 0; k < held; ++k) s->S[j * held + k] = s->D[j * n + k];
    }
    if (!solve_positive(s->S, s->u, held)) return 0;
    for (j = 0; j < held; ++j)
      for (k = 0; k < robot_v; ++k) s->W[i * robot_v + k] -= s->u[j] * s->W[j * robot_v + k];
  }
  memmove(s->W, s->W + held * robot_v, (size_t)((n - held) * robot_v) * sizeof(double));
  memmove(s->list, s->list + held, (size_t)(n - held) * sizeof(int));
  along_list(s, x, n - held);
  return 1;
}

static void add_impulses(const Stops *s, double *x, int n) {
  int i, k;
  for (i = 0; i < n; ++i)
    for (k = 0; k < robot_v; ++k) x[robot_q + k] += s->W[i * robot_v + k] * s->p[i];
}

int stops_impact(Stops *s, double *x, const double *tau, const double *c, int *changed) {
  const int held = stops_resting(s), n = touching(s, x) - held;
  int i, hits = 0, slow = 0;
  for (i = 0; i < n; ++i) hits |= speed(s, x, held + i) < -1e-12;
  if (!hits) return 0;
  *changed = 1;
  if (!respond_held(s, x, tau, c, held + n)) return -1;
  for (i = 0; i < n; ++i) {
    const double leaves = -robot_restitution * speed(s, x, i);
    s->b[i] = speed(s, x, i) - (leaves < robot_rest_speed ? 0 : leaves);
  }
  if (!complementary(s, n)) return -1;
  add_impulses(s, x, n);
  /* What would leave more slowly than the rest speed stays. */
  for (i = 0; i < n; ++i) {
    s->b[i] = speed(s, x, i);
    s->pushes[i] = s->b[i] < robot_rest_speed;
    slow |= s->pushes[i] && s->b[i] > 1e-12;
  }
  if (slow && push(s, n)) add_impulses(s, x, n);
  for (i = 0; i < n; ++i) s->past[s->list[i]] = fmax(0, beyond(x, s->list[i]));
  return 0;
}

int stops_choose(Stops *s, double *x, const double *tau, const double *c, const double *a,
                 int *changed) {
  int i, k, all = touching(s, x), n = 0;
  for (i = 0; i < all; ++i) /* those that do not leave */
    if (fabs(speed(s, x, i)) <= 1e-10) s->list[n++] = s->list[i];
  respond(s, x, tau, c, n);
  for (i = 0; i < n; ++i) {
    k = s->list[i];
    s->b[i] = sense(s, x, k) * a[robot_stop_v[k]];
  }
  if (!complementary(s, n)) return -1;
  for (k = 0; k < robot_stops; ++k) {
    const int before = s->rests[k];
    int stays = 0;
    for (i = 0; i < n; ++i) stays |= s->list[i] == k && s->pushes[i];
    if (stays) {
      if (!before) s->rests[k] = inwards(x, k);
      *changed |= x[robot_q + robot_stop_v[k]] != 0;
      x[robot_q + robot_stop_v[k]] = 0;
    } else {
      if (before) s->past[k] = fmax(0, beyond(x, k));
      s->rests[k] = 0;
    }
  }
  return 0;
}
