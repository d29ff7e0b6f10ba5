// Inverse kinematics of robots with loops: each round takes a damped step towards the goal among the motions that
// keep the loops closed to first order, then closes them again. A coordinate at its limit is held.
import type {Coordinate} from './data';
import {turnBetween, type Goal, type Solution} from './inverse';
import type {Kinematics} from './kinematics';
import {dampedStep, type Loops} from './loops';
import {moved} from './tangent';

export class LoopInverse {
  constructor(private kinematics: Kinematics, private loops: Loops, private coordinates: Coordinate[], private reach: number) {}

  solve(frame: number, goal: Goal, start: ArrayLike<number>, mostRounds = 40): Solution {
    let q = Array.from(start), e = this.error(frame, goal, q), size = Math.hypot(...e), damping = 1e-3, rounds = 0;
    for (; rounds < mostRounds && size > 1e-12 && damping < 1e6; ++rounds) {
      const next = this.step(frame, q, e, damping);
      const found = next && this.error(frame, goal, next), length = found ? Math.hypot(...found) : Infinity;
      if (next && found && length < size) {
        const gain = size - length;
        q = next;
        e = found;
        size = length;
        damping = Math.max(damping / 8, 1e-9);
        if (gain < 1e-7 * size) break;
      } else {
        damping *= 8;
      }
    }
    const rows = e.length, tail = e.slice(rows - 3).map((x) => x * this.reach), head = rows === 6 ? e.slice(0, 3) : [0];
    return {q, distance: Math.hypot(...tail), angle: Math.hypot(...head), rounds};
  }

  private error(frame: number, goal: Goal, q: number[]): number[] {
    this.kinematics.update(q);
    const p = this.kinematics.position(frame);
    const shift = [0, 1, 2].map((k) => (p[k] - goal.position[k]) / this.reach);
    return goal.rotation ? [...turnBetween(goal.rotation, this.kinematics.rotation(frame)), ...shift] : shift;
  }

  private step(frame: number, q: number[], e: number[], damping: number): number[] | undefined {
    const n = this.kinematics.data.speeds, m = this.loops.rows, rows = e.length;
    this.loops.open(q);
    const all = new Float64Array(m + rows), A = new Float64Array((m + rows) * n);
    all.set(this.loops.e);
    A.set(this.loops.A);
    const J = this.kinematics.jacobianOrNone(frame, q);
    if (!J) return undefined;
    for (let i = 0; i < rows; ++i) {
      const row = i + 6 - rows, share = row < 3 ? 1 : 1 / this.reach;
      all[m + i] = e[i];
      for (let j = 0; j < n; ++j) A[(m + i) * n + j] = share * J[row * n + j];
    }
    const held: number[] = [];
    for (let pass = 0; pass < 8; ++pass) {
      const dv = dampedStep(all, A, held, damping + 1e-13), most = dv.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
      const next = this.loops.close(moved(this.loops.tangents, q, dv.map((x) => x * Math.min(1, 0.3 / most))), held);
      const over = next ? this.over(next, q) : [];
      if (over.length === 0) return next;
      held.push(...over);
    }
    return undefined;
  }

  /** Speeds of coordinates that would pass a limit. */
  private over(next: number[], from: number[]): number[] {
    return this.coordinates.filter((c, k) => c.speed >= 0 &&
        ((c.upper !== null && next[k] > c.upper + 1e-9 && next[k] > from[k]) ||
         (c.lower !== null && next[k] < c.lower - 1e-9 && next[k] < from[k]))).map((c) => c.speed);
  }
}
