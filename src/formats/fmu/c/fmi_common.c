/* What the interfaces of FMI 2.0 and 3.0 share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ulna_fmu.h"

typedef struct {
  long count;
  double numbers[];
} Kept;

int ulna_done(UlnaInstance *i, int failed) {
  if (!failed) return ulna_ok;
  if (i->log) i->log(i, ulna_error, i->text);
  return ulna_error;
}

int ulna_refuse(UlnaInstance *i, const char *why) {
  snprintf(i->text, sizeof i->text, "%s", why);
  return ulna_done(i, -1);
}

static int wrong_count(UlnaInstance *i, size_t n, int expected) {
  if (n == (size_t)expected) return 0;
  snprintf(i->text, sizeof i->text, "%lu numbers were asked for; there are %d", (unsigned long)n,
           expected);
  return 1;
}

int ulna_get_all(UlnaInstance *i, const unsigned *references, size_t n, double *values) {
  for (size_t k = 0; k < n; ++k)
    if (ulna_get(i, references[k], values + k)) return ulna_done(i, -1);
  return ulna_ok;
}

int ulna_set_all(UlnaInstance *i, const unsigned *references, size_t n, const double *values) {
  for (size_t k = 0; k < n; ++k)
    if (ulna_set(i, references[k], values[k])) return ulna_done(i, -1);
  return ulna_ok;
}

int ulna_begin(UlnaInstance *i, double start, int has_stop, double stop) {
  i->t0 = start;
  i->duration = has_stop ? stop - start : 0;
  i->started = 0;
  return ulna_ok;
}

int ulna_initialized(UlnaInstance *i) {
  i->started = 0;
  return ulna_done(i, ulna_start(i));
}

int ulna_get_states(UlnaInstance *i, double *x, size_t n) {
  if (wrong_count(i, n, i->n.states) || ulna_start(i)) return ulna_done(i, -1);
  memcpy(x, i->x, n * sizeof(double));
  return ulna_ok;
}

int ulna_set_states(UlnaInstance *i, const double *x, size_t n) {
  if (wrong_count(i, n, i->n.states)) return ulna_done(i, -1);
  memcpy(i->x, x, n * sizeof(double));
  i->known = 0;
  return ulna_ok;
}

int ulna_get_rates(UlnaInstance *i, double *dx, size_t n) {
  if (wrong_count(i, n, i->n.states) || ulna_rates(i)) return ulna_done(i, -1);
  memcpy(dx, i->dx, n * sizeof(double));
  return ulna_ok;
}

int ulna_get_indicators(UlnaInstance *i, double *z, size_t n) {
  if (wrong_count(i, n, i->n.indicators)) return ulna_done(i, -1);
  if (n == 0) return ulna_ok;
  if (ulna_start(i)) return ulna_done(i, -1);
  if (i->model->indicate(i->object, i->t, i->x, i->u, z))
    return ulna_refuse(i, i->model->message(i->object));
  return ulna_ok;
}

int ulna_get_nominals(UlnaInstance *i, double *x, size_t n) {
  if (wrong_count(i, n, i->n.states)) return ulna_done(i, -1);
  for (size_t k = 0; k < n; ++k) x[k] = 1;
  return ulna_ok;
}

int ulna_wants_event(UlnaInstance *i, int *yes) {
  *yes = 0;
  if (i->model->drifted(i->object, i->t, i->x, i->u, yes))
    return ulna_refuse(i, i->model->message(i->object));
  return ulna_ok;
}

int ulna_keep(UlnaInstance *i, void **state) {
  const long count = ulna_save(i, NULL);
  Kept *kept;
  if (count < 0) return ulna_done(i, -1);
  kept = malloc(sizeof(Kept) + (size_t)count * sizeof(double));
  if (!kept) return ulna_error;
  free(*state);
  kept->count = count;
  *state = kept;
  return ulna_done(i, ulna_save(i, kept->numbers) < 0);
}

int ulna_go_back(UlnaInstance *i, void *state) {
  const Kept *kept = state;
  return ulna_done(i, ulna_restore(i, kept->numbers, kept->count));
}

int ulna_drop(void **state) {
  if (state) {
    free(*state);
    *state = NULL;
  }
  return ulna_ok;
}

int ulna_kept_bytes(void *state, size_t *size) {
  *size = (size_t)((Kept *)state)->count * sizeof(double);
  return ulna_ok;
}

int ulna_to_bytes(void *state, char *bytes, size_t size) {
  const size_t all = (size_t)((Kept *)state)->count * sizeof(double);
  if (size < all) return ulna_error;
  memcpy(bytes, ((Kept *)state)->numbers, all);
  return ulna_ok;
}

int ulna_from_bytes(const char *bytes, size_t size, void **state) {
  Kept *kept = malloc(sizeof(Kept) + size);
  if (!kept) return ulna_error;
  kept->count = (long)(size / sizeof(double));
  memcpy(kept->numbers, bytes, (size_t)kept->count * sizeof(double));
  free(*state);
  *state = kept;
  return ulna_ok;
}
