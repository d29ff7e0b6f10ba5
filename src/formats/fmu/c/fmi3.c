/* The interface of FMI 3.0, co-simulation and model exchange, on an instance. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi_identity.h"
#include "ulna_fmu.h"

#ifdef _WIN32
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

typedef UlnaInstance *Instance;
typedef int Status;
typedef uint32_t Reference;
enum { ok, warning, discard, error, fatal };
typedef void (*LogMessage)(void *, Status, const char *, const char *);
typedef void (*IntermediateUpdate)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef struct {
  long count;
  double numbers[];
} Kept;

static void log_message(UlnaInstance *i, const char *message) {
  union {
    void *data;
    LogMessage logger;
  } to;
  to.data = i->logger;
  if (to.logger) to.logger(i->environment, error, "logStatusError", message);
}
static Status done(Instance c, int failed) {
  if (!failed) return ok;
  log_message(c, c->text);
  return error;
}

static Instance instantiate(const char *name, const char *token, const char *resources,
                            int exchange, void *environment, LogMessage logger) {
  char text[1024] = "the instantiation token is not that of this FMU", path[4096];
  Instance c = NULL;
  size_t n;
  union {
    void *data;
    LogMessage logger;
  } from;
  snprintf(path, sizeof path, "%s", resources ? resources : "");
  n = strlen(path);
  if (n > 1 && path[n - 1] == '/') path[n - 1] = 0;
  if (token && !strcmp(token, ULNA_TOKEN))
    c = ulna_create(name ? name : "", path, exchange, text, sizeof text);
  if (!c) {
    if (logger) logger(environment, error, "logStatusError", text);
    return NULL;
  }
  c->environment = environment;
  from.logger = logger;
  c->logger = from.data;
  return c;
}

API const char *fmi3GetVersion(void) { return "3.0"; }
API Status fmi3SetDebugLogging(Instance c, bool on, size_t n, const char *const categories[]) {
  (void)c, (void)on, (void)n, (void)categories;
  return ok;
}
API Instance fmi3InstantiateModelExchange(const char *name, const char *token,
                                          const char *resources, bool visible, bool logging,
                                          void *environment, LogMessage logger) {
  (void)visible, (void)logging;
  return instantiate(name, token, resources, 1, environment, logger);
}
API Instance fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                         bool visible, bool logging, bool events, bool early,
                                         const Reference required[], size_t n, void *environment,
                                         LogMessage logger, IntermediateUpdate update) {
  (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)n, (void)update;
  return instantiate(name, token, resources, 0, environment, logger);
}
API Instance fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                               const char *resources, bool visible, bool logging,
                                               void *environment, LogMessage logger,
                                               void (*update)(void *), void (*lock)(void),
                                               void (*unlock)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock,
      (void)unlock;
  if (logger)
    logger(environment, error, "logStatusError", "scheduled execution is not available");
  return NULL;
}
API void fmi3FreeInstance(Instance c) { ulna_destroy(c); }
API Status fmi3EnterInitializationMode(Instance c, bool has_tolerance, double tolerance,
                                       double start, bool has_stop, double stop) {
  (void)has_tolerance, (void)tolerance;
  c->t0 = start;
  c->duration = has_stop ? stop - start : 0;
  c->started = 0;
  return ok;
}
API Status fmi3ExitInitializationMode(Instance c) {
  c->started = 0;
  return done(c, ulna_start(c));
}
API Status fmi3EnterEventMode(Instance c) { return c ? ok : error; }
API Status fmi3Terminate(Instance c) { return c ? ok : error; }
API Status fmi3Reset(Instance c) {
  ulna_reset(c);
  return ok;
}

API Status fmi3GetFloat64(Instance c, const Reference r[], size_t n, double value[], size_t m) {
  if (n != m) return error;
  for (size_t k = 0; k < n; ++k)
    if (ulna_get(c, r[k], value + k)) return done(c, -1);
  return ok;
}
API Status fmi3SetFloat64(Instance c, const Reference r[], size_t n, const double value[],
                          size_t m) {
  if (n != m) return error;
  for (size_t k = 0; k < n; ++k)
    if (ulna_set(c, r[k], value[k])) return done(c, -1);
  return ok;
}
static Status none(Instance c, size_t n) {
  if (n == 0) return ok;
  snprintf(c->text, sizeof c->text, "all variables of this FMU are Float64");
  return done(c, -1);
}
#define OTHER(name, type)                                                                      \
  API Status fmi3Get##name(Instance c, const Reference r[], size_t n, type value[], size_t m) { \
    (void)r, (void)value, (void)m;                                                             \
    return none(c, n);                                                                         \
  }                                                                                            \
  API Status fmi3Set##name(Instance c, const Reference r[], size_t n, const type value[],      \
                           size_t m) {                                                         \
    (void)r, (void)value, (void)m;                                                             \
    return none(c, n);                                                                         \
  }
typedef const char *Text;
OTHER(Float32, float)
OTHER(Int8, int8_t)
OTHER(UInt8, uint8_t)
OTHER(Int16, int16_t)
OTHER(UInt16, uint16_t)
OTHER(Int32, int32_t)
OTHER(UInt32, uint32_t)
OTHER(Int64, int64_t)
OTHER(UInt64, uint64_t)
OTHER(Boolean, bool)
OTHER(String, Text)
API Status fmi3GetBinary(Instance c, const Reference r[], size_t n, size_t sizes[],
                         const unsigned char *value[], size_t m) {
  (void)r, (void)sizes, (void)value, (void)m;
  return none(c, n);
}
API Status fmi3SetBinary(Instance c, const Reference r[], size_t n, const size_t sizes[],
                         const unsigned char *const value[], size_t m) {
  (void)r, (void)sizes, (void)value, (void)m;
  return none(c, n);
}
API Status fmi3GetClock(Instance c, const Reference r[], size_t n, bool value[]) {
  (void)r, (void)value;
  return none(c, n);
}
API Status fmi3SetClock(Instance c, const Reference r[], size_t n, const bool value[]) {
  (void)r, (void)value;
  return none(c, n);
}
API Status fmi3GetNumberOfVariableDependencies(Instance c, Reference r, size_t *n) {
  (void)c, (void)r, (void)n;
  return error;
}
API Status fmi3GetVariableDependencies(Instance c, Reference r, size_t a[], Reference b[],
                                       size_t d[], int kinds[], size_t n) {
  (void)c, (void)r, (void)a, (void)b, (void)d, (void)kinds, (void)n;
  return error;
}

API Status fmi3FreeFMUState(Instance c, void **state) {
  (void)c;
  free(*state);
  *state = NULL;
  return ok;
}
API Status fmi3GetFMUState(Instance c, void **state) {
  const long count = ulna_save(c, NULL);
  Kept *kept;
  if (count < 0) return done(c, -1);
  free(*state);
  kept = malloc(sizeof(Kept) + (size_t)count * sizeof(double));
  if (!kept) return error;
  kept->count = count;
  *state = kept;
  return done(c, ulna_save(c, kept->numbers) < 0);
}
API Status fmi3SetFMUState(Instance c, void *state) {
  const Kept *kept = state;
  return done(c, ulna_restore(c, kept->numbers, kept->count));
}
API Status fmi3SerializedFMUStateSize(Instance c, void *state, size_t *size) {
  (void)c;
  *size = (size_t)((Kept *)state)->count * sizeof(double);
  return ok;
}
API Status fmi3SerializeFMUState(Instance c, void *state, unsigned char bytes[], size_t size) {
  const size_t all = (size_t)((Kept *)state)->count * sizeof(double);
  (void)c;
  memcpy(bytes, ((Kept *)state)->numbers, size < all ? size : all);
  return ok;
}
API Status fmi3DeserializeFMUState(Instance c, const unsigned char bytes[], size_t size,
                                   void **state) {
  Kept *kept = malloc(sizeof(Kept) + size);
  (void)c;
  if (!kept) return error;
  kept->count = (long)(size / sizeof(double));
  memcpy(kept->numbers, bytes, size);
  free(*state);
  *state = kept;
  return ok;
}
API Status fmi3GetDirectionalDerivative(Instance c, const Reference unknowns[], size_t rows,
                                        const Reference knowns[], size_t columns,
                                        const double seed[], size_t seeds, double sensitivity[],
                                        size_t sensitivities) {
  if (seeds != columns || sensitivities != rows) return error;
  return done(c, ulna_directional(c, unknowns, rows, knowns, columns, seed, sensitivity));
}
API Status fmi3GetAdjointDerivative(Instance c, const Reference unknowns[], size_t rows,
                                    const Reference knowns[], size_t columns, const double seed[],
                                    size_t seeds, double sensitivity[], size_t sensitivities) {
  (void)unknowns, (void)rows, (void)knowns, (void)columns, (void)seed, (void)seeds,
      (void)sensitivity, (void)sensitivities;
  return c ? error : error;
}

API Status fmi3EnterConfigurationMode(Instance c) { return c ? ok : error; }
API Status fmi3ExitConfigurationMode(Instance c) { return c ? ok : error; }
#define CLOCKS(name, ...)                              \
  API Status name(Instance c, const Reference r[], size_t n, __VA_ARGS__) { \
    (void)r;                                           \
    return none(c, n);                                 \
  }
CLOCKS(fmi3GetIntervalDecimal, double *a __attribute__((unused)), int *b __attribute__((unused)))
CLOCKS(fmi3GetIntervalFraction, uint64_t *a __attribute__((unused)),
       uint64_t *b __attribute__((unused)), int *q __attribute__((unused)))
CLOCKS(fmi3GetShiftDecimal, double *a __attribute__((unused)))
CLOCKS(fmi3GetShiftFraction, uint64_t *a __attribute__((unused)),
       uint64_t *b __attribute__((unused)))
CLOCKS(fmi3SetIntervalDecimal, const double *a __attribute__((unused)))
CLOCKS(fmi3SetIntervalFraction, const uint64_t *a __attribute__((unused)),
       const uint64_t *b __attribute__((unused)))
CLOCKS(fmi3SetShiftDecimal, const double *a __attribute__((unused)))
CLOCKS(fmi3SetShiftFraction, const uint64_t *a __attribute__((unused)),
       const uint64_t *b __attribute__((unused)))
API Status fmi3EvaluateDiscreteStates(Instance c) { return c ? ok : error; }
API Status fmi3ActivateModelPartition(Instance c, Reference r, double time) {
  (void)r, (void)time;
  return c ? error : error;
}

/* Events, model exchange */
API Status fmi3UpdateDiscreteStates(Instance c, bool *again, bool *ends, bool *nominals,
                                    bool *states, bool *next_known, double *next) {
  int changed, over;
  *again = *ends = *nominals = *states = *next_known = false;
  if (!c->exchange) return ok;
  if (ulna_event(c, &changed, &over)) return done(c, -1);
  *states = changed;
  *ends = over;
  *next_known = c->next < INFINITY;
  *next = *next_known ? c->t0 + c->next : 0;
  return ok;
}
API Status fmi3EnterContinuousTimeMode(Instance c) { return c ? ok : error; }
API Status fmi3CompletedIntegratorStep(Instance c, bool past, bool *event, bool *ends) {
  int yes = 0;
  (void)past;
  *ends = false;
  if (c->model->drifted(c->object, c->t, c->x, c->u, &yes)) return done(c, -1);
  *event = yes;
  return ok;
}
API Status fmi3SetTime(Instance c, double time) { return done(c, ulna_set(c, 0, time)); }
API Status fmi3SetContinuousStates(Instance c, const double x[], size_t n) {
  if (n != (size_t)c->n.states) return error;
  memcpy(c->x, x, n * sizeof(double));
  c->known = 0;
  return ok;
}
API Status fmi3GetContinuousStateDerivatives(Instance c, double dx[], size_t n) {
  if (n != (size_t)c->n.states) return error;
  if (ulna_rates(c)) return done(c, -1);
  memcpy(dx, c->dx, n * sizeof(double));
  return ok;
}
API Status fmi3GetEventIndicators(Instance c, double z[], size_t n) {
  if (n != (size_t)c->n.indicators) return error;
  if (n == 0) return ok;
  if (ulna_start(c)) return done(c, -1);
  if (c->model->indicate(c->object, c->t, c->x, c->u, z)) {
    snprintf(c->text, sizeof c->text, "%s", c->model->message(c->object));
    return done(c, -1);
  }
  return ok;
}
API Status fmi3GetContinuousStates(Instance c, double x[], size_t n) {
  if (n != (size_t)c->n.states) return error;
  if (ulna_start(c)) return done(c, -1);
  memcpy(x, c->x, n * sizeof(double));
  return ok;
}
API Status fmi3GetNominalsOfContinuousStates(Instance c, double x[], size_t n) {
  (void)c;
  for (size_t k = 0; k < n; ++k) x[k] = 1;
  return ok;
}
API Status fmi3GetNumberOfEventIndicators(Instance c, size_t *n) {
  *n = (size_t)c->n.indicators;
  return ok;
}
API Status fmi3GetNumberOfContinuousStates(Instance c, size_t *n) {
  *n = (size_t)c->n.states;
  return ok;
}

/* Co-simulation */
API Status fmi3EnterStepMode(Instance c) { return c ? ok : error; }
API Status fmi3GetOutputDerivatives(Instance c, const Reference r[], size_t n,
                                    const int32_t orders[], double value[], size_t m) {
  (void)r, (void)n, (void)orders, (void)value, (void)m;
  snprintf(c->text, sizeof c->text, "derivatives of outputs are not available");
  return done(c, -1);
}
API Status fmi3DoStep(Instance c, double time, double step, bool past, bool *event, bool *ends,
                      bool *early, double *last) {
  double reached;
  int over;
  (void)past;
  *event = *ends = *early = false;
  if (ulna_advance(c, time - c->t0 + step, &reached, &over)) return done(c, -1);
  *ends = over;
  *early = over && reached < time - c->t0 + step;
  *last = c->t0 + reached;
  return ok;
}
