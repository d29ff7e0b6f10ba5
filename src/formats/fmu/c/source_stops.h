/* Stops of joints: impacts with Newton's restitution, and rest (docs/theory/simulation.md of Ulna, eq.
 * 14-19 and 53-56). A joint is away from its stops or rests against one; with that the equations are
 * smooth, and a guard below zero says that it has changed. */
#ifndef SOURCE_STOPS_H
#define SOURCE_STOPS_H

typedef struct {
  int *rests;        /* 0: away; 1: at the lower stop; -1: at the upper one: the sense inwards */
  double *past;      /* how far past its stop an impact was noticed; less after it has come back */
  double *reaction;  /* inwards, of what rests */
  int *list;         /* that touch or rest, and which of them push */
  int *pushes;
  double *W, *D, *S; /* answers of the speeds to each of the list, those along the list, a part */
  double *u, *p, *b, *tau, *a;
} Stops;

int stops_make(Stops *);
void stops_free(Stops *);
void stops_start(Stops *, const double *x);
int stops_resting(const Stops *);
/* Accelerations without stops become those with what rests. -1: no solution. */
int stops_hold(Stops *, const double *x, const double *tau, const double *c, double *a);
/* One number for each joint with stops; below zero where its state has ended. */
void stops_indicate(const Stops *, const double *x, double *z);
int stops_passed(const Stops *, const double *x);
void stops_accept(Stops *, const double *x);
/* Speeds after an impact of all that touches; `changed` where there was one. */
int stops_impact(Stops *, double *x, const double *tau, const double *c, int *changed);
/* Chooses what rests, from the accelerations `a` without stops. */
int stops_choose(Stops *, double *x, const double *tau, const double *c, const double *a,
                 int *changed);
/* S s = b by Cholesky's method; S is overwritten. 0 where S is not positive. */
int solve_positive(double *S, double *b, int n);

#endif
