// Inverse kinematics by damped least squares within the limits, with the generated kinematics.
//
// Each round solves min |e - A dx|^2 + mu |dx|^2 for the coordinates that are free, as
// dx = A' (A A' + mu I)^-1 e, a matrix of 3 or 6 rows (Cholesky). The damping mu follows |e|^2, which is
// quadratically convergent near a solution and calm at singular postures. A coordinate that would pass
// its limit goes to it and leaves what remains to the others. Lengths are measured in the robot's reach.
import {solveCholesky} from './cholesky';
import type {Coordinate} from './data';
import type {Kinematics} from './kinematics';

export interface Goal {
  position: ArrayLike<number>;
  rotation?: ArrayLike<number>; // 3 x 3 by rows
}

export interface Solution {
  q: number[];
  distance: number; // from the position, in metres
  angle: number; // from the rotation; 0 when none is asked for
  rounds: number;
}

// Keeps A A' positive beyond rounding where its rows depend on each other.
const leastDamping = 1e-12;

type Quaternion = [number, number, number, number];

/** Of a rotation by rows, through its largest component. */
function quaternion(R: ArrayLike<number>): Quaternion {
  const t = R[0] + R[4] + R[8];
  const squares = [1 + t, 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]];
  const k = squares.indexOf(Math.max(...squares)), x = Math.sqrt(squares[k]) / 2, s = 1 / (4 * x);
  const [a, b, c] = [s * (R[7] - R[5]), s * (R[2] - R[6]), s * (R[3] - R[1])];
  const [d, e, f] = [s * (R[1] + R[3]), s * (R[2] + R[6]), s * (R[5] + R[7])];
  return ([[x, a, b, c], [a, x, d, e], [b, d, x, f], [c, e, f, x]] as Quaternion[])[k];
}

/** The turn from one rotation to another as a vector in world axes, at most half a turn long. */
export function turnBetween(from: ArrayLike<number>, to: ArrayLike<number>): [number, number, number] {
  const [w, x, y, z] = quaternion(to), [a, b, c, d] = quaternion(from);
  const real = w * a + x * b + y * c + z * d;
  const v = [-w * b + x * a - y * d + z * c, -w * c + x * d + y * a - z * b, -w * d - x * c + y * b + z * a];
  const sine = Math.hypot(v[0], v[1], v[2]);
  if (sine === 0) return [0, 0, 0];
  const size = 2 * Math.atan2(sine, Math.abs(real)) / sine * (real < 0 ? -1 : 1);
  return [v[0] * size, v[1] * size, v[2] * size];
}

export class InverseKinematics {
  private moving: number[]; // coordinates that may be used
  private unit: number[]; // one radian, or the reach
  private A = new Float64Array(0); // rows x moving, scaled

  constructor(private kinematics: Kinematics, private coordinates: Coordinate[], private reach: number) {
    this.moving = coordinates.map((c, k) => c.speed >= 0 ? k : -1).filter((k) => k >= 0);
    this.unit = coordinates.map((c) => c.unit === 'm' ? reach : 1);
  }

  /** From q on; the nearest posture found where the goal is out of reach. */
  solve(frame: number, goal: Goal, start: ArrayLike<number>, mostRounds = 60): Solution {
    const rows = goal.rotation ? 6 : 3;
    let q = Array.from(start), e = this.error(frame, goal, q), size = Math.hypot(...e);
    let damping = 1, rounds = 0, stuck = 0;
    for (; rounds < mostRounds && size > 1e-12 && stuck < 12; ++rounds) {
      this.fill(frame, q, rows);
      const next = this.step(q, e, rows, damping * size * size / 2 + leastDamping);
      const found = this.error(frame, goal, next), length = Math.hypot(...found);
      const gain = size - length;
      if (gain > 0) {
        q = next;
        e = found;
        size = length;
        damping = Math.max(damping / 4, 1e-4);
      } else {
        damping = Math.min(damping * 8, 1e8);
      }
      stuck = gain > 1e-7 * size ? 0 : stuck + 1;
      // Where no first-order motion leads nearer (an arm stretched straight), bend it a little.
      if (stuck === 3 && size > 1e-6) {
        q = this.bent(q);
        e = this.error(frame, goal, q);
        size = Math.hypot(...e);
        damping = 1;
      }
    }
    this.kinematics.update(q);
    const tail = e.slice(rows - 3).map((x) => x * this.reach), head = rows === 6 ? e.slice(0, 3) : [0];
    return {q: q.map((x, k) => this.turned(x, k)), distance: Math.hypot(...tail), angle: Math.hypot(...head), rounds};
  }

  private error(frame: number, goal: Goal, q: number[]): number[] {
    this.kinematics.update(q);
    const p = this.kinematics.position(frame);
    const shift = [0, 1, 2].map((k) => (goal.position[k] - p[k]) / this.reach);
    return goal.rotation ? [...turnBetween(this.kinematics.rotation(frame), goal.rotation), ...shift] : shift;
  }

  private fill(frame: number, q: number[], rows: number): void {
    const J = this.kinematics.jacobian(frame, q), n = this.moving.length, speeds = J.length / 6;
    if (this.A.length !== rows * n) this.A = new Float64Array(rows * n);
    for (let i = 0; i < rows; ++i)
      for (let j = 0; j < n; ++j) {
        const row = i + 6 - rows, coordinate = this.moving[j];
        this.A[i * n + j] = J[row * speeds + this.coordinates[coordinate].speed] * this.unit[coordinate] / (row < 3 ? 1 : this.reach);
      }
  }

  /** One damped step, limits kept. */
  private step(q: number[], e: number[], rows: number, mu: number): number[] {
    const n = this.moving.length, A = this.A, next = q.slice(), left = Float64Array.from(e);
    const free = this.moving.map(() => true);
    for (let pass = 0; pass < n; ++pass) {
      const M = new Float64Array(rows * rows), y = left.slice();
      for (let i = 0; i < rows; ++i)
        for (let k = 0; k <= i; ++k) {
          let sum = i === k ? mu : 0;
          for (let j = 0; j < n; ++j) if (free[j]) sum += A[i * n + j] * A[k * n + j];
          M[i * rows + k] = sum;
        }
      solveCholesky(M, y, rows);
      let stopped = false;
      const trial = next.slice();
      for (let j = 0; j < n; ++j) {
        if (!free[j]) continue;
        let dx = 0;
        for (let i = 0; i < rows; ++i) dx += A[i * n + j] * y[i];
        const k = this.moving[j], wanted = q[k] + this.unit[k] * dx, kept = this.within(wanted, k, q[k]);
        trial[k] = kept;
        if (kept === wanted) continue;
        stopped = true;
        free[j] = false;
        next[k] = kept;
        for (let i = 0; i < rows; ++i) left[i] -= A[i * n + j] * (kept - q[k]) / this.unit[k];
      }
      if (!stopped) return trial;
    }
    return next;
  }

  /** Within the limits, or no further outside than it is. */
  private within(x: number, k: number, now: number): number {
    const c = this.coordinates[k];
    const low = c.turns ? -Infinity : Math.min(c.lower ?? c.from, now), high = c.turns ? Infinity : Math.max(c.upper ?? c.to, now);
    return Math.min(Math.max(x, low), high);
  }
  private bent(q: number[]): number[] {
    return q.map((x, k) => {
      if (this.coordinates[k].speed < 0) return x;
      const by = 0.02 * (k % 2 ? -1 : 1) * (1 + 0.37 * k % 1) * (this.coordinates[k].unit === 'm' ? 0.1 * this.reach : 1);
      const there = this.within(x + by, k, x);
      return there === x ? this.within(x - by, k, x) : there;
    });
  }
  /** The same posture within the range of the slider, for what turns without end. */
  private turned(x: number, k: number): number {
    const c = this.coordinates[k];
    return c.turns && (x < c.from || x > c.to) ? x - 2 * Math.PI * Math.round((x - (c.from + c.to) / 2) / (2 * Math.PI)) : x;
  }
}
