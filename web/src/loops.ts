// Keeps the loops of a robot closed while a joint is moved by hand.
//
// What a closure holds is told by the pose of its child's side in its parent's: e in its rows, and their
// Jacobian from the generated ones of the two frames. Each round solves min |e + A dv|^2 + mu |dv|^2 over
// the speeds that may move, as dv = -A' (A A' + mu I)^-1 e (redundant rows do no harm then). The joint
// under the hand is held, and so are the other drives; where these cannot stay, they are let go. The
// hand's way is gone in short steps, so that the mechanism stays in the assembly it is in.
import {solveCholesky} from './cholesky';
import type {Closure, LoopsData, Tangent} from './data';
import {turnBetween} from './inverse';
import type {Kinematics} from './kinematics';
import {moved} from './tangent';

const closed = 1e-10; // m and rad
const longestStep = 0.1; // of the hand, rad or share of the reach
const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export class Loops {
  /** Of the last close. */
  gap = 0;
  /** Of the last open: errors, and their Jacobian (rows x speeds). */
  readonly rows: number;
  readonly e: Float64Array;
  readonly A: Float64Array;
  private relative: Float64Array; // 6 x speeds

  constructor(private kinematics: Kinematics, private data: LoopsData, readonly tangents: Tangent[], private reach: number) {
    this.rows = data.closures.reduce((sum, c) => sum + rowsOf(c), 0);
    this.e = new Float64Array(this.rows);
    this.A = new Float64Array(this.rows * kinematics.data.speeds);
    this.relative = new Float64Array(6 * kinematics.data.speeds);
  }

  /** Largest error of all closures at q. */
  open(q: ArrayLike<number>): number {
    this.fill(q);
    return this.e.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  }

  /** A closed posture with one coordinate at a value, from a closed one; or as near to it as it goes. */
  follow(start: ArrayLike<number>, coordinate: number, speed: number, value: number, unit: number): number[] {
    let q = Array.from(start), left = value - q[coordinate], step = longestStep * unit;
    for (let rounds = 0; rounds < 400 && Math.abs(left) > 1e-12 * unit; ++rounds) {
      const trial = q.slice();
      trial[coordinate] += Math.sign(left) * Math.min(Math.abs(left), step);
      const found = this.close(trial, [...this.data.kept, speed]) ?? this.close(trial, [speed]);
      if (found) {
        q = found;
        left = value - q[coordinate];
        step = Math.min(2 * step, longestStep * unit);
      } else {
        step /= 4;
        if (step < 1e-5 * unit) break; // a dead point, or out of reach
      }
    }
    this.gap = this.open(q);
    return q;
  }

  /** From a posture that is nearly closed, with some speeds held. */
  close(start: ArrayLike<number>, held: number[], mostRounds = 30): number[] | undefined {
    let q = Array.from(start), size = this.open(q);
    for (let round = 0; round < mostRounds && size > closed; ++round) {
      const next = moved(this.tangents, q, dampedStep(this.e, this.A, held, 1e-6 * Math.min(1, size * size) + 1e-14));
      const found = this.open(next);
      if (!(found < 4 * size)) return undefined;
      q = next;
      size = found;
    }
    return size <= 1e-8 ? q : undefined;
  }


  /** e and A at q; lengths over the reach. */
  private fill(q: ArrayLike<number>): void {
    this.kinematics.update(q);
    let row = 0;
    for (const closure of this.data.closures) row = closure.holds === 'coupling' ? this.couple(closure, q, row) : this.hold(closure, q, row);
  }

  private couple(closure: Closure, q: ArrayLike<number>, row: number): number {
    const n = this.kinematics.data.speeds;
    this.A.fill(0, row * n, (row + 1) * n);
    this.e[row] = -closure.offset!;
    for (const term of closure.terms!) {
      const x = q[term.q];
      this.e[row] += term.higher.reduceRight((sum, c) => (sum + c) * x, 0) * x + term.factor * x;
      this.A[row * n + term.v] += term.higher.reduceRight((sum, c, k) => (sum + (k + 2) * c) * x, 0) + term.factor;
    }
    return row + 1;
  }

  /** Twist of the child's side in the parent's, axes of the parent's side, at the child's origin. */
  private relativeJacobian(parent: number, child: number, q: ArrayLike<number>): void {
    const n = this.kinematics.data.speeds, J = this.relative, R = this.kinematics.rotation(parent);
    J.fill(0);
    const p = this.kinematics.position(parent), r = this.kinematics.position(child).map((x, k) => x - p[k]);
    const add = (frame: number, sense: number, arm: ArrayLike<number>) => {
      const own = this.kinematics.jacobianOrNone(frame, q);
      if (!own) return;
      for (let j = 0; j < n; ++j) {
        const w = [own[j], own[n + j], own[2 * n + j]];
        const v = [own[3 * n + j] + w[1] * arm[2] - w[2] * arm[1], own[4 * n + j] + w[2] * arm[0] - w[0] * arm[2], own[5 * n + j] + w[0] * arm[1] - w[1] * arm[0]];
        for (let k = 0; k < 3; ++k) {
          J[k * n + j] += sense * (R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2]);
          J[(3 + k) * n + j] += sense * (R[k] * v[0] + R[3 + k] * v[1] + R[6 + k] * v[2]);
        }
      }
    };
    add(child, 1, [0, 0, 0]);
    add(parent, -1, r);
  }

  private hold(closure: Closure, q: ArrayLike<number>, row: number): number {
    const parent = closure.parent!, child = closure.child!, n = this.kinematics.data.speeds;
    this.relativeJacobian(parent, child, q);
    const {e, A, relative: J, reach} = this;
    const {R, p} = between(this.kinematics, parent, child);
    /** e = value, rate = the twist times factors. */
    const put = (value: number, factors: [number, number][]) => {
      e[row] = value;
      for (let j = 0; j < n; ++j) A[row * n + j] = factors.reduce((sum, [k, factor]) => sum + factor * J[k * n + j], 0);
      ++row;
    };
    const shift = (k: number) => put(p[k] / reach, [[3 + k, 1 / reach]]);
    const tilt = () => {
      put(-R[5], [[0, 1]]);
      put(R[2], [[1, 1]]);
    };
    const turns = () => turnBetween(identity, R).forEach((x, k) => put(x, [[k, 1]]));
    switch (closure.holds) {
      case 'distance': {
        const length = closure.length!, f = 1 / (length * reach);
        put((p[0] ** 2 + p[1] ** 2 + p[2] ** 2 - length ** 2) * 0.5 * f, [[3, p[0] * f], [4, p[1] * f], [5, p[2] * f]]);
        break;
      }
      case 'fixed': turns(); [0, 1, 2].forEach(shift); break;
      case 'revolute': tilt(); [0, 1, 2].forEach(shift); break;
      case 'prismatic': turns(); [0, 1].forEach(shift); break;
      case 'cylindrical': tilt(); [0, 1].forEach(shift); break;
      case 'screw': {
        const turn = 2 * Math.PI * closure.pitch!, slip = p[2] - closure.pitch! * Math.atan2(R[3], R[0]);
        tilt();
        [0, 1].forEach(shift);
        put((slip - turn * Math.round(slip / turn)) / reach, [[5, 1 / reach], [2, -closure.pitch! / reach]]);
        break;
      }
      case 'universal': { // the axes keep their angle: the rate of z . w is (w x z) . turn
        const [x, y, z] = closure.axis2!;
        const w = [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z];
        put(w[2] - closure.cosine!, [[0, w[1]], [1, -w[0]]]);
        [0, 1, 2].forEach(shift);
        break;
      }
      case 'spherical': [0, 1, 2].forEach(shift); break;
      case 'planar': tilt(); shift(2); break;
      case 'sphere-in-groove': [0, 1].forEach(shift); break;
      case 'free': case 'coupling': break;
    }
    return row;
  }
}

/** dv that takes e to zero to first order, e + A dv = 0: of least size, and with mu the calmer. */
export function dampedStep(e: Float64Array, A: Float64Array, held: number[], mu: number): Float64Array {
  const m = e.length, n = A.length / m;
  const free = new Uint8Array(n).fill(1);
  for (const k of held) free[k] = 0;
  const M = new Float64Array(m * m), y = e.slice(), dv = new Float64Array(n);
  for (let i = 0; i < m; ++i)
    for (let k = 0; k <= i; ++k) {
      let sum = i === k ? mu : 0;
      for (let j = 0; j < n; ++j) if (free[j]) sum += A[i * n + j] * A[k * n + j];
      M[i * m + k] = sum;
    }
  solveCholesky(M, y, m);
  for (let j = 0; j < n; ++j)
    if (free[j]) for (let i = 0; i < m; ++i) dv[j] -= A[i * n + j] * y[i];
  return dv;
}

/** Of frame `child` in frame `parent`. */
function between(kinematics: Kinematics, parent: number, child: number): {R: number[]; p: number[]} {
  const P = kinematics.rotation(parent), C = kinematics.rotation(child);
  const a = kinematics.position(parent), b = kinematics.position(child), d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const R: number[] = [], p: number[] = [];
  for (let i = 0; i < 3; ++i) {
    p.push(P[i] * d[0] + P[3 + i] * d[1] + P[6 + i] * d[2]);
    for (let j = 0; j < 3; ++j) R.push(P[i] * C[j] + P[3 + i] * C[3 + j] + P[6 + i] * C[6 + j]);
  }
  return {R, p};
}

function rowsOf(closure: Closure): number {
  const rows: Record<Closure['holds'], number> = {
    coupling: 1, distance: 1, fixed: 6, revolute: 5, prismatic: 5, screw: 5, cylindrical: 4, universal: 4, spherical: 3, planar: 3, free: 0, 'sphere-in-groove': 2,
  };
  return rows[closure.holds];
}
