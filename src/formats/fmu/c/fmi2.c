/* The interface of FMI 2.0, co-simulation and model exchange, on an instance. */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "fmi_identity.h"
#include "ulna_fmu.h"

#define API ULNA_API

typedef UlnaInstance *Component;
typedef int Status, Boolean;
typedef unsigned Reference;
enum { ok = ulna_ok, discard = ulna_discard, error = ulna_error };

typedef struct {
  void (*logger)(void *, const char *, Status, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, Status);
  void *environment;
} Callbacks;
typedef struct {
  Boolean again, ends, nominals, states, next_known;
  double next;
} EventInfo;

static void log_message(UlnaInstance *i, int status, const char *message) {
  union {
    void *data;
    void (*logger)(void *, const char *, Status, const char *, const char *, ...);
  } to;
  to.data = i->logger;
  if (to.logger) to.logger(i->environment, i->name, status, "logStatusError", "%s", message);
}


/* "file:///a%20b" as a path. */
static void path_of(const char *uri, char *path, size_t room) {
  size_t n = 0;
  if (!uri) uri = "";
  if (!strncmp(uri, "file://", 7)) uri += 7;
  else if (!strncmp(uri, "file:", 5)) uri += 5;
  if (*uri && *uri != '/') { /* the name of a host */
    const char *slash = strchr(uri, '/');
    if (slash && strncmp(uri, "localhost", 9) == 0) uri = slash;
  }
  for (; *uri && n + 1 < room; ++uri) {
    unsigned code;
    if (*uri == '%' && sscanf(uri + 1, "%2x", &code) == 1) {
      path[n++] = (char)code;
      uri += 2;
    } else {
      path[n++] = *uri;
    }
  }
  path[n] = 0;
}

API const char *fmi2GetTypesPlatform(void) { return "default"; }
API const char *fmi2GetVersion(void) { return "2.0"; }
API Status fmi2SetDebugLogging(Component c, Boolean on, size_t n, const char *const categories[]) {
  (void)c, (void)on, (void)n, (void)categories;
  return ok;
}

API Component fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                              const Callbacks *callbacks, Boolean visible, Boolean logging) {
  char path[4096], text[1024] = "";
  Component c;
  union {
    void *data;
    void (*logger)(void *, const char *, Status, const char *, const char *, ...);
  } from;
  (void)visible, (void)logging;
  if (!guid || strcmp(guid, ULNA_TOKEN)) {
    if (callbacks && callbacks->logger)
      callbacks->logger(callbacks->environment, name, error, "logStatusError",
                        "the GUID is not that of this FMU");
    return NULL;
  }
  path_of(resources, path, sizeof path);
  c = ulna_create(name ? name : "", path, type == 0, text, sizeof text);
  if (!c) {
    if (callbacks && callbacks->logger)
      callbacks->logger(callbacks->environment, name, error, "logStatusError", "%s", text);
    return NULL;
  }
  c->environment = callbacks ? callbacks->environment : NULL;
  from.logger = callbacks ? callbacks->logger : NULL;
  c->logger = from.data;
  c->log = log_message;
  return c;
}
API void fmi2FreeInstance(Component c) { ulna_destroy(c); }

API Status fmi2SetupExperiment(Component c, Boolean has_tolerance, double tolerance, double start,
                               Boolean has_stop, double stop) {
  (void)has_tolerance, (void)tolerance;
  return ulna_begin(c, start, has_stop, stop);
}
API Status fmi2EnterInitializationMode(Component c) {
  c->started = 0;
  return ok;
}
API Status fmi2ExitInitializationMode(Component c) {
  return ulna_initialized(c);
}
API Status fmi2Terminate(Component c) { return c ? ok : error; }
API Status fmi2Reset(Component c) {
  ulna_reset(c);
  return ok;
}

API Status fmi2GetReal(Component c, const Reference r[], size_t n, double value[]) {
  return ulna_get_all(c, r, n, value);
}
API Status fmi2SetReal(Component c, const Reference r[], size_t n, const double value[]) {
  return ulna_set_all(c, r, n, value);
}
static Status none(Component c, size_t n) {
  if (n == 0) return ok;
  return ulna_refuse(c, "all variables of this FMU are real");
}
#define OTHER(name, type)                                                                   \
  API Status fmi2Get##name(Component c, const Reference r[], size_t n, type value[]) {      \
    (void)r, (void)value;                                                                   \
    return none(c, n);                                                                      \
  }                                                                                         \
  API Status fmi2Set##name(Component c, const Reference r[], size_t n, const type value[]) { \
    (void)r, (void)value;                                                                   \
    return none(c, n);                                                                      \
  }
typedef const char *Text;
OTHER(Integer, int)
OTHER(Boolean, Boolean)
OTHER(String, Text)

API Status fmi2FreeFMUstate(Component c, void **state) {
  (void)c;
  return ulna_drop(state);
}
API Status fmi2GetFMUstate(Component c, void **state) {
  return ulna_keep(c, state);
}
API Status fmi2SetFMUstate(Component c, void *state) {
  return ulna_go_back(c, state);
}
API Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *size) {
  (void)c;
  return ulna_kept_bytes(state, size);
}
API Status fmi2SerializeFMUstate(Component c, void *state, char bytes[], size_t size) {
  (void)c;
  return ulna_to_bytes(state, bytes, size);
}
API Status fmi2DeSerializeFMUstate(Component c, const char bytes[], size_t size, void **state) {
  (void)c;
  return ulna_from_bytes(bytes, size, state);
}
API Status fmi2GetDirectionalDerivative(Component c, const Reference unknowns[], size_t rows,
                                        const Reference knowns[], size_t columns,
                                        const double seed[], double sensitivity[]) {
  return ulna_done(c, ulna_directional(c, unknowns, rows, knowns, columns, seed, sensitivity));
}

/* Model exchange */
API Status fmi2EnterEventMode(Component c) { return c ? ok : error; }
API Status fmi2NewDiscreteStates(Component c, EventInfo *info) {
  int changed, ends;
  memset(info, 0, sizeof *info);
  if (ulna_event(c, &changed, &ends)) return ulna_done(c, -1);
  info->states = changed;
  info->ends = ends;
  info->next_known = c->next < INFINITY;
  info->next = info->next_known ? c->t0 + c->next : 0;
  return ok;
}
API Status fmi2EnterContinuousTimeMode(Component c) { return c ? ok : error; }
API Status fmi2CompletedIntegratorStep(Component c, Boolean past, Boolean *event, Boolean *ends) {
  (void)past;
  *ends = 0;
  return ulna_wants_event(c, event);
}
API Status fmi2SetTime(Component c, double time) { return ulna_done(c, ulna_set(c, 0, time)); }
API Status fmi2SetContinuousStates(Component c, const double x[], size_t n) {
  return ulna_set_states(c, x, n);
}
API Status fmi2GetDerivatives(Component c, double dx[], size_t n) {
  return ulna_get_rates(c, dx, n);
}
API Status fmi2GetEventIndicators(Component c, double z[], size_t n) {
  return ulna_get_indicators(c, z, n);
}
API Status fmi2GetContinuousStates(Component c, double x[], size_t n) {
  return ulna_get_states(c, x, n);
}
API Status fmi2GetNominalsOfContinuousStates(Component c, double x[], size_t n) {
  return ulna_get_nominals(c, x, n);
}

/* Co-simulation */
API Status fmi2SetRealInputDerivatives(Component c, const Reference r[], size_t n,
                                       const int order[], const double value[]) {
  (void)r, (void)n, (void)order, (void)value;
  return ulna_refuse(c, "inputs are constant from one communication point to the next");
}
API Status fmi2GetRealOutputDerivatives(Component c, const Reference r[], size_t n,
                                        const int order[], double value[]) {
  (void)r, (void)n, (void)order, (void)value;
  return ulna_refuse(c, "derivatives of outputs are not available");
}
API Status fmi2DoStep(Component c, double time, double step, Boolean past) {
  double reached;
  int ends;
  (void)past;
  if (ulna_advance(c, time - c->t0 + step, &reached, &ends)) return ulna_done(c, -1);
  return ends ? discard : ok;
}
API Status fmi2CancelStep(Component c) { return c ? error : error; }
API Status fmi2GetStatus(Component c, int kind, Status *value) {
  (void)c, (void)kind, (void)value;
  return discard;
}
API Status fmi2GetRealStatus(Component c, int kind, double *value) {
  if (kind != 2) return discard;
  *value = c->t0 + c->t; /* last successful time */
  return ok;
}
API Status fmi2GetIntegerStatus(Component c, int kind, int *value) {
  (void)c, (void)kind, (void)value;
  return discard;
}
API Status fmi2GetBooleanStatus(Component c, int kind, Boolean *value) {
  (void)c;
  if (kind != 3) return discard;
  *value = 1; /* terminated: a step was discarded because an event ended the run */
  return ok;
}
API Status fmi2GetStringStatus(Component c, int kind, const char **value) {
  (void)c, (void)kind, (void)value;
  return discard;
}
