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
/* Sensitivity of the unknowns along the seed of the knowns, by differences of fourth order. */
int ulna_directional(UlnaInstance *, const unsigned *unknowns, size_t rows, const unsigned *knowns,
                     size_t columns, const double *seed, double *sensitivity);
/* The whole state as numbers; returns their count, -1 when it fails. */
long ulna_save(UlnaInstance *, double *to);
int ulna_restore(UlnaInstance *, const double *from, long count);

#endif
