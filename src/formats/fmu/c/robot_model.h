/* What the generated `robot_model.c` gives: the sizes, the start, and the equations of one robot.
 * States are x = (q, v, integrals of the controllers). */
#ifndef ROBOT_MODEL_H
#define ROBOT_MODEL_H

enum { robot_most_rows = 512 };

extern const int robot_parameters, robot_inputs, robot_outputs;
extern const int robot_q, robot_v, robot_z;   /* numbers of coordinates, speeds, integrals */
extern const int robot_constants;             /* made of the parameters */
extern const int robot_rows;                  /* of closed loops, independent ones */
extern const int robot_stops;                 /* joints with stops: where their q and v are */
extern const int robot_stop_q[], robot_stop_v[];
extern const double robot_lower[], robot_upper[], robot_restitution, robot_rest_speed;
extern const double robot_default_p[], robot_default_u[], robot_start_x[];
extern const double robot_rtol, robot_atol, robot_largest_step;

void robot_prepare(const double *p, double *c);
/* Rates of x; efforts and accelerations besides. */
void robot_rates(double t, const double *x, const double *u, const double *p, const double *c,
                 double *dx, double *tau, double *a);
void robot_outputs_at(double t, const double *x, const double *u, const double *p, const double *c,
                      const double *tau, const double *a, double *y);
/* Accelerations under these efforts alone. */
void robot_forward(const double *q, const double *v, const double *tau, const double *c, double *a);
/* Rows of the loops, zero where they are closed, and A = d(rows)/dv by rows. */
void robot_closure(const double *q, const double *v, double *r, double *A);

/* Derivatives of rates and outputs along (x', u'): the same equations on complex numbers, of which
 * the imaginary part of f(z + i h z') / h is the derivative to rounding. -1 where the compiler has
 * no complex numbers or the equations choose between cases. */
int robot_along(double t, const double *x, const double *x_along, const double *u,
                const double *u_along, const double *p, const double *c, double *dx, double *y);

#endif
