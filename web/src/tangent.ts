// How coordinates follow from speeds: those of turns and slides add up, quaternions are turned.
import type {Tangent} from './data';

/** The quaternion of a turn by a vector. */
function turn(w: [number, number, number]): [number, number, number, number] {
  const angle = Math.hypot(...w), share = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), w[0] * share, w[1] * share, w[2] * share];
}

function turnBy(q: number[], at: number, w: [number, number, number]): void {
  const [a, b, c, d] = q.slice(at, at + 4), [e, f, g, h] = turn(w);
  const product = [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
  const length = Math.hypot(...product);
  product.forEach((x, k) => { q[at + k] = x / length; });
}

/** A vector in the axes of a quaternion, in those it turns from. */
function rotated(q: number[], at: number, v: [number, number, number]): [number, number, number] {
  const [w, x, y, z] = q.slice(at, at + 4), [a, b, c] = v;
  const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * t[0] + y * t[2] - z * t[1], b + w * t[1] + z * t[0] - x * t[2], c + w * t[2] + x * t[1] - y * t[0]];
}

/** q after moving along dv for unit time. */
export function moved(tangents: Tangent[], q: ArrayLike<number>, dv: ArrayLike<number>): number[] {
  const next = Array.from(q);
  for (const joint of tangents) {
    if (joint.kind === 'line') {
      for (let k = 0; k < joint.speeds; ++k) next[joint.q + k] += dv[joint.v + k];
      continue;
    }
    const part = (k: number): [number, number, number] => [dv[joint.v + k], dv[joint.v + k + 1], dv[joint.v + k + 2]];
    if (joint.kind === 'free') rotated(next, joint.q, part(3)).forEach((x, k) => { next[joint.q + 4 + k] += x; });
    turnBy(next, joint.q, part(0));
  }
  return next;
}
