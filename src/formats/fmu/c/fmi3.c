/* The interface of FMI 3.0, co-simulation and model exchange, on an instance. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi_identity.h"
#include "ulna_fmu.h"

#define API ULNA_API

typedef UlnaInstance *Instance;
typedef int Status;
typedef uint32_t Reference;
enum { ok = ulna_ok, error = ulna_error };
typedef void (*LogMessage)(void *, Status, const char *, const char *);
typedef void (*IntermediateUpdate)(void *, double, bool, bool, bool, bool, bool *, double *);

static void log_message(UlnaInstance *i, int status, const char *message) {
  union {
    void *data;
    LogMessage logger;
  } to;
  to.data = i->logger;
  if (to.logger) to.logger(i->environment, status, "logStatusError", message);
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
  c->log = log_message;
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
  Instance c = instantiate(name, token, resources, 0, environment, logger);
  (void)visible, (void)logging, (void)events, (void)required, (void)n, (void)update;
  if (c) c->early = early;
  return c;
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
  return ulna_begin(c, start, has_stop, stop);
}
API Status fmi3ExitInitializationMode(Instance c) {
  return ulna_initialized(c);
}
API Status fmi3EnterEventMode(Instance c) { return c ? ok : error; }
API Status fmi3Terminate(Instance c) { return c ? ok : error; }
API Status fmi3Reset(Instance c) {
  ulna_reset(c);
  return ok;
}

API Status fmi3GetFloat64(Instance c, const Reference r[], size_t n, double value[], size_t m) {
  if (n != m) return ulna_refuse(c, "the numbers of variables and of values differ");
  return ulna_get_all(c, r, n, value);
}
API Status fmi3SetFloat64(Instance c, const Reference r[], size_t n, const double value[],
                          size_t m) {
  if (n != m) return ulna_refuse(c, "the numbers of variables and of values differ");
  return ulna_set_all(c, r, n, value);
}
static Status none(Instance c, size_t n) {
  if (n == 0) return ok;
  return ulna_refuse(c, "all variables of this FMU are Float64");
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
  return ulna_drop(state);
}
API Status fmi3GetFMUState(Instance c, void **state) {
  return ulna_keep(c, state);
}
API Status fmi3SetFMUState(Instance c, void *state) {
  return ulna_go_back(c, state);
}
API Status fmi3SerializedFMUStateSize(Instance c, void *state, size_t *size) {
  (void)c;
  return ulna_kept_bytes(state, size);
}
API Status fmi3SerializeFMUState(Instance c, void *state, unsigned char bytes[], size_t size) {
  (void)c;
  return ulna_to_bytes(state, (char *)bytes, size);
}
API Status fmi3DeserializeFMUState(Instance c, const unsigned char bytes[], size_t size,
                                   void **state) {
  (void)c;
  return ulna_from_bytes((const char *)bytes, size, state);
}
API Status fmi3GetDirectionalDerivative(Instance c, const Reference unknowns[], size_t rows,
                                        const Reference knowns[], size_t columns,
                                        const double seed[], size_t seeds, double sensitivity[],
                                        size_t sensitivities) {
  if (seeds != columns || sensitivities != rows) return error;
  return ulna_done(c, ulna_directional(c, unknowns, rows, knowns, columns, seed, sensitivity));
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
  if (ulna_event(c, &changed, &over)) return ulna_done(c, -1);
  *states = changed;
  *ends = over;
  *next_known = c->next < INFINITY;
  *next = *next_known ? c->t0 + c->next : 0;
  return ok;
}
API Status fmi3EnterContinuousTimeMode(Instance c) { return c ? ok : error; }
API Status fmi3CompletedIntegratorStep(Instance c, bool past, bool *event, bool *ends) {
  int yes = 0;
  Status status;
  (void)past;
  *ends = false;
  status = ulna_wants_event(c, &yes);
  *event = yes;
  return status;
}
API Status fmi3SetTime(Instance c, double time) { return ulna_done(c, ulna_set(c, 0, time)); }
API Status fmi3SetContinuousStates(Instance c, const double x[], size_t n) {
  return ulna_set_states(c, x, n);
}
API Status fmi3GetContinuousStateDerivatives(Instance c, double dx[], size_t n) {
  return ulna_get_rates(c, dx, n);
}
API Status fmi3GetEventIndicators(Instance c, double z[], size_t n) {
  return ulna_get_indicators(c, z, n);
}
API Status fmi3GetContinuousStates(Instance c, double x[], size_t n) {
  return ulna_get_states(c, x, n);
}
API Status fmi3GetNominalsOfContinuousStates(Instance c, double x[], size_t n) {
  return ulna_get_nominals(c, x, n);
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
  return ulna_refuse(c, "derivatives of outputs are not available");
}
API Status fmi3DoStep(Instance c, double time, double step, bool past, bool *event, bool *ends,
                      bool *early, double *last) {
  double reached;
  int over;
  (void)past;
  *event = *ends = *early = false;
  if (ulna_advance(c, time - c->t0 + step, &reached, &over)) return ulna_done(c, -1);
  *ends = over;
  *early = c->early && over && reached < time - c->t0 + step;
  *last = c->t0 + reached;
  return ok;
}
