/* One instance: its values, when they are computed, differences, its state as numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ulna_fmu.h"

#ifdef _WIN32
static void own_folder(char *path, size_t room) { snprintf(path, room, "."); }
#else
#ifndef _GNU_SOURCE
#define ULNA_DLADDR_BY_HAND
#endif
#include <dlfcn.h>
#ifdef ULNA_DLADDR_BY_HAND
typedef struct {
  const char *dli_fname;
  void *dli_fbase;
  const char *dli_sname;
  void *dli_saddr;
} Dl_info;
extern int dladdr(const void *, Dl_info *);
#endif
static void own_folder(char *path, size_t room) {
  Dl_info info;
  union {
    void (*function)(UlnaInstance *);
    void *address;
  } here;
  char *slash;
  here.function = ulna_destroy;
  snprintf(path, room, ".");
  if (dladdr(here.address, &info) && info.dli_fname) snprintf(path, room, "%s", info.dli_fname);
  slash = strrchr(path, '/');
  if (slash) *slash = 0;
}
#endif

static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

static int failed(UlnaInstance *i) {
  snprintf(i->text, sizeof i->text, "%s", i->model->message(i->object));
  return -1;
}

UlnaInstance *ulna_create(const char *name, const char *resources, int exchange, char *text,
                          size_t room) {
  char folder[4096];
  UlnaInstance *i = calloc(1, sizeof *i);
  if (!i) return NULL;
  own_folder(folder, sizeof folder);
  i->model = ulna_model(folder, text, room);
  if (i->model) i->object = i->model->create(resources, &i->n, text, room);
  if (!i->object) {
    free(i);
    return NULL;
  }
  i->exchange = exchange;
  i->p = numbers(i->n.parameters), i->u = numbers(i->n.inputs), i->x = numbers(i->n.states);
  i->y = numbers(i->n.outputs), i->dx = numbers(i->n.states), i->z = numbers(i->n.indicators);
  i->name = calloc(strlen(name) + 1, 1);
  if (i->name) strcpy(i->name, name);
  ulna_reset(i);
  return i;
}

void ulna_destroy(UlnaInstance *i) {
  if (!i) return;
  i->model->destroy(i->object);
  free(i->p), free(i->u), free(i->x), free(i->y), free(i->dx), free(i->z), free(i->name);
  free(i);
}

void ulna_reset(UlnaInstance *i) {
  i->t0 = i->t = i->duration = 0;
  i->started = i->known = 0;
  i->next = INFINITY;
  i->model->defaults(i->object, i->p, i->u);
}

int ulna_start(UlnaInstance *i) {
  if (i->started) return 0;
  if (i->model->start(i->object, i->p, i->u, i->duration, i->exchange, i->x)) return failed(i);
  i->t = 0;
  i->started = 1;
  i->known = 0;
  return 0;
}

int ulna_rates(UlnaInstance *i) {
  if (ulna_start(i)) return -1;
  if (i->known) return 0;
  if (i->n.states && i->model->rates(i->object, i->t, i->x, i->u, i->dx)) return failed(i);
  if (i->model->outputs(i->object, i->t, i->x, i->u, i->y)) return failed(i);
  i->known = 1;
  return 0;
}

int ulna_event(UlnaInstance *i, int *changed, int *ends) {
  *changed = *ends = 0;
  if (ulna_start(i)) return -1;
  if (i->model->event(i->object, i->t, i->x, i->u, changed, ends, &i->next)) return failed(i);
  i->known = 0;
  return 0;
}

int ulna_advance(UlnaInstance *i, double to, double *reached, int *ends) {
  *ends = 0;
  *reached = i->t;
  if (ulna_start(i)) return -1;
  if (i->model->advance(i->object, i->t, to, i->u, i->x, reached, ends)) return failed(i);
  i->t = *reached;
  i->known = 0;
  return 0;
}

/* Where a variable is kept; null: there is none. */
static double *place(UlnaInstance *i, unsigned reference, char *group) {
  const int counts[6] = {i->n.parameters, i->n.inputs, i->n.outputs,
                         i->n.states,     i->n.states, i->n.indicators};
  double *const arrays[6] = {i->p, i->u, i->y, i->x, i->dx, i->z};
  unsigned at = reference;
  int k;
  *group = 't';
  if (at == 0) return &i->t;
  --at;
  for (k = 0; k < 6; ++k) {
    *group = "puyxdz"[k];
    if (at < (unsigned)counts[k]) return arrays[k] + at;
    at -= (unsigned)counts[k];
  }
  snprintf(i->text, sizeof i->text, "there is no variable with the value reference %u", reference);
  return NULL;
}

int ulna_get(UlnaInstance *i, unsigned reference, double *value) {
  char group;
  const double *from = place(i, reference, &group);
  if (!from) return -1;
  if ((group == 'y' || group == 'd') && ulna_rates(i)) return -1;
  if ((group == 'x' || group == 'z') && ulna_start(i)) return -1;
  if (group == 'z' && i->model->indicate(i->object, i->t, i->x, i->u, i->z)) return failed(i);
  *value = group == 't' ? i->t0 + i->t : *from;
  return 0;
}

int ulna_set(UlnaInstance *i, unsigned reference, double value) {
  char group;
  double *to = place(i, reference, &group);
  if (!to) return -1;
  if (group == 'y' || group == 'd' || group == 'z' || (group == 'x' && !i->exchange)) {
    snprintf(i->text, sizeof i->text, "the variable with the value reference %u is computed",
             reference);
    return -1;
  }
  if (group == 't')
    i->t = value - i->t0;
  else
    *to = value;
  if (group == 'p') i->started = 0;
  i->known = 0;
  return 0;
}

/* By the model itself. 0: done; 1: it cannot, or the unknowns are not rates and outputs. */
static int exact_directional(UlnaInstance *i, const unsigned *unknowns, size_t rows,
                             const unsigned *knowns, size_t columns, const double *seed,
                             double *sensitivity) {
  double *x = numbers(i->n.states), *u = numbers(i->n.inputs), *dx = numbers(i->n.states),
         *dy = numbers(i->n.outputs);
  int status = !i->model->along || !x || !u || !dx || !dy;
  char group;
  size_t k;
  for (k = 0; k < columns && !status; ++k) {
    const double *at = place(i, knowns[k], &group);
    if (group == 'x') x[at - i->x] += seed[k];
    if (group == 'u') u[at - i->u] += seed[k];
  }
  if (!status) status = i->model->along(i->object, i->t, i->x, x, i->u, u, dx, dy) != 0;
  for (k = 0; k < rows && !status; ++k) {
    const double *at = place(i, unknowns[k], &group);
    status = !at || (group != 'd' && group != 'y');
    if (!status) sensitivity[k] = group == 'd' ? dx[at - i->dx] : dy[at - i->y];
  }
  free(x), free(u), free(dx), free(dy);
  return status;
}

int ulna_directional(UlnaInstance *i, const unsigned *unknowns, size_t rows, const unsigned *knowns,
                     size_t columns, const double *seed, double *sensitivity) {
  static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
  double *kept = malloc((columns + 1) * sizeof(double)), size = 0, h;
  char group;
  size_t r, c;
  int k, status = 0;
  if (!kept) return -1;
  if (ulna_start(i)) status = -1;
  for (c = 0; c < columns && !status; ++c) {
    const double *at = place(i, knowns[c], &group);
    if (!at || (group != 'u' && group != 'x')) {
      snprintf(i->text, sizeof i->text, "derivatives are by inputs and states, not by %u", knowns[c]);
      status = -1;
      break;
    }
    kept[c] = *at;
    size = fmax(size, fabs(seed[c]) / fmax(1, fabs(*at)));
  }
  if (!status && !exact_directional(i, unknowns, rows, knowns, columns, seed, sensitivity)) {
    free(kept);
    return 0;
  }
  for (r = 0; r < rows; ++r) sensitivity[r] = 0;
  h = size > 0 ? 1e-3 / size : 0;
  for (k = 0; k < 4 && !status && h > 0; ++k) {
    for (c = 0; c < columns; ++c) *place(i, knowns[c], &group) = kept[c] + steps[k] * h * seed[c];
    i->known = 0;
    for (r = 0; r < rows && !status; ++r) {
      double value = 0;
      status = ulna_get(i, unknowns[r], &value);
      sensitivity[r] += weights[k] * value / (12 * h);
    }
  }
  for (c = 0; c < columns && !status; ++c) *place(i, knowns[c], &group) = kept[c];
  i->known = 0;
  free(kept);
  return status;
}

long ulna_save(UlnaInstance *i, double *to) {
  const double head[6] = {i->t0, i->t, i->duration, i->next, (double)i->started,
                          (double)i->exchange};
  const int counts[3] = {i->n.parameters, i->n.inputs, i->n.states};
  double *const arrays[3] = {i->p, i->u, i->x};
  long at = 6, own;
  int k;
  if (to) memcpy(to, head, sizeof head);
  for (k = 0; k < 3; ++k) {
    if (to) memcpy(to + at, arrays[k], (size_t)counts[k] * sizeof(double));
    at += counts[k];
  }
  own = i->started ? i->model->save(i->object, to ? to + at : NULL) : 0;
  return own < 0 ? failed(i) : at + own;
}

int ulna_restore(UlnaInstance *i, const double *from, long count) {
  const long head = 6 + i->n.parameters + i->n.inputs + i->n.states;
  if (count < head || (int)from[5] != i->exchange) {
    snprintf(i->text, sizeof i->text, "the state belongs to another FMU");
    return -1;
  }
  i->t0 = from[0], i->t = from[1], i->duration = from[2], i->next = from[3];
  i->started = (int)from[4];
  from += 6, count -= 6;
  memcpy(i->p, from, (size_t)i->n.parameters * sizeof(double)), from += i->n.parameters;
  memcpy(i->u, from, (size_t)i->n.inputs * sizeof(double)), from += i->n.inputs;
  memcpy(i->x, from, (size_t)i->n.states * sizeof(double)), from += i->n.states;
  count -= i->n.parameters + i->n.inputs + i->n.states;
  i->known = 0;
  if (!i->started) return 0;
  if (i->model->restore(i->object, i->p, i->u, i->t, i->x, i->exchange, from, count))
    return failed(i);
  return 0;
}
