/* What an FMU of Ulna is made of. `fmi2.c` or `fmi3.c` is the interface of the standard; `instance.c`
 * keeps the values of one instance; behind it stands a model: generated C (`source_model.c` with the
 * generated `robot_model.c`) or the library of Ulna (`library_model.c`). C99. */
#ifndef ULNA_FMU_H
#define ULNA_FMU_H

#include <stddef.h>

typedef struct {
  int parameters, inputs, outputs, states, indicators;
} UlnaSizes;

/* Functions return 0, or -1 and then `message` says why. Times count from the start. */
typedef struct {
  /* `resources`: the folder with the model's files. Null when it fails; `message` says why. */
  void *(*create)(const char *resources, UlnaSizes *sizes, char *message, size_t room);
  void (*destroy)(void *model);
  const char *(*message)(void *model);
  void (*defaults)(void *model, double *p, double *u);
  int (*start)(void *model, const double *p, const double *u, double duration, int exchange,
               double *x);
  int (*rates)(void *model, double t, const double *x, const double *u, double *dx);
  int (*outputs)(void *model, double t, const double *x, const double *u, double *y);
  int (*indicate)(void *model, double t, const double *x, const double *u, double *z);
  int (*event)(void *model, double t, double *x, const double *u, int *changed, int *ends,
               double *next);
  /* The integrated state has left the loops and should be moved back by an event. */
  int (*drifted)(void *model, double t, const double *x, const double *u, int *yes);
  /* From t to `to`; x changes; less far where an event ends the run. */
  int (*advance)(void *model, double t, double to, const double *u, double *x, double *reached,
                 int *ends);
  /* What is remembered besides t, x, u and p. Returns how many numbers; `memory` may be null. */
  long (*save)(void *model, double *memory);
  int (*restore)(void *model, const double *p, const double *u, double t, const double *x,
                 int exchange, const double *memory, long count);
  /* Derivatives of rates and outputs along (x', u'), exact to rounding. May be null; -1: not here,
   * differences do. */
  int (*along)(void *model, double t, const double *x, const double *x_along, const double *u,
               const double *u_along, double *rates, double *outputs);
} UlnaModel;

/* Of the model that this FMU is built with; null when it cannot be loaded. */
const UlnaModel *ulna_model(const char *binary_folder, char *message, size_t room);

/* Value references: 0 is the time, then parameters, inputs, outputs, states, their
 * rates, and event indicators. */
typedef struct UlnaInstance {
  const UlnaModel *model;
  void *object;
  UlnaSizes n;
  int exchange;           /* model exchange, not co-simulation */
  int early;              /* the importer takes steps that end early */
  double t0, t, duration; /* start; now, from the start on; planned, or 0 */
  double *p, *u, *x, *y, *dx, *z;
  int started, known; /* y and dx are those of now */
  double next;        /* known time of the next event */
  char text[1024];
  /* of the standard's callbacks */
  void (*log)(struct UlnaInstance *, int status, const char *message);
  void *environment, *logger;
  char *name;
} UlnaInstance;

UlnaInstance *ulna_create(const char *name, const char *resources, int exchange, char *text,
                          size_t room);
void ulna_destroy(UlnaInstance *);
void ulna_reset(UlnaInstance *);
/* -1: no such variable, or the model failed; the instance's text says why. */
int ulna_get(UlnaInstance *, unsigned reference, double *value);
int ulna_set(UlnaInstance *, unsigned reference, double value);
int ulna_start(UlnaInstance *);
int ulna_rates(UlnaInstance *);
int ulna_event(UlnaInstance *, int *changed, int *ends);
int ulna_advance(UlnaInstance *, double to, double *reached, int *ends);
/* Sensitivity of the unknowns along the seed of the knowns: exact where the model can, else by
 * differences of fourth order. */
int ulna_directional(UlnaInstance *, const unsigned *unknowns, size_t rows, const unsigned *knowns,
                     size_t columns, const double *seed, double *sensitivity);
/* The whole state as numbers; returns their count, -1 when it fails. */
long ulna_save(UlnaInstance *, double *to);
int ulna_restore(UlnaInstance *, const double *from, long count);

/* What the interfaces of FMI 2.0 and 3.0 share. They return the standard's status, which both
 * versions number alike, and tell the instance's log of a failure. */
#ifdef _WIN32
#define ULNA_API __declspec(dllexport)
#else
#define ULNA_API __attribute__((visibility("default")))
#endif
enum { ulna_ok, ulna_warning, ulna_discard, ulna_error, ulna_fatal };

int ulna_done(UlnaInstance *, int failed);
int ulna_refuse(UlnaInstance *, const char *why);
int ulna_get_all(UlnaInstance *, const unsigned *references, size_t n, double *values);
int ulna_set_all(UlnaInstance *, const unsigned *references, size_t n, const double *values);
int ulna_begin(UlnaInstance *, double start, int has_stop, double stop);
int ulna_initialized(UlnaInstance *);
int ulna_get_states(UlnaInstance *, double *x, size_t n);
int ulna_set_states(UlnaInstance *, const double *x, size_t n);
int ulna_get_rates(UlnaInstance *, double *dx, size_t n);
int ulna_get_indicators(UlnaInstance *, double *z, size_t n);
int ulna_get_nominals(UlnaInstance *, double *x, size_t n);
int ulna_wants_event(UlnaInstance *, int *yes);
/* Saved states, as the standard hands them about. */
int ulna_keep(UlnaInstance *, void **state);
int ulna_go_back(UlnaInstance *, void *state);
int ulna_drop(void **state);
int ulna_kept_bytes(void *state, size_t *size);
int ulna_to_bytes(void *state, char *bytes, size_t size);
int ulna_from_bytes(const char *bytes, size_t size, void **state);

#endif
