// The kinematics of the robot shown: Ulna's own algorithms, generated as JavaScript for this robot
// (src/report/kinematics_script.cpp) and embedded in the page. There is no second text of them here.
import type {KinematicsData} from './data';

/** As they stand in the page; results are written into the arrays. Frames as Ulna numbers them, bodies first. */
export interface Generated {
  poses: (q: ArrayLike<number>, positions: Float64Array, rotations: Float64Array) => void;
  jacobians: Record<string, (q: ArrayLike<number>, J: Float64Array) => void>;
}

export class Kinematics {
  /** Of all frames: 3 and, by rows, 9 numbers each. */
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
  private J: Float64Array;

  constructor(private generated: Generated, readonly data: KinematicsData) {
    this.positions = new Float64Array(3 * data.count);
    this.rotations = new Float64Array(9 * data.count);
    this.J = new Float64Array(6 * data.speeds);
  }

  update(q: ArrayLike<number>): void {
    this.generated.poses(q, this.positions, this.rotations);
  }
  /** Of the last update. */
  position(frame: number): Float64Array {
    return this.positions.subarray(3 * frame, 3 * frame + 3);
  }
  rotation(frame: number): Float64Array {
    return this.rotations.subarray(9 * frame, 9 * frame + 9);
  }
  /** 6 x speeds by rows: world axes, rotation first. Overwritten by the next call. */
  jacobian(frame: number, q: ArrayLike<number>): Float64Array {
    this.generated.jacobians[frame](q, this.J);
    return this.J;
  }
  /** None for a frame that does not move. */
  jacobianOrNone(frame: number, q: ArrayLike<number>): Float64Array | undefined {
    return this.generated.jacobians[frame] ? this.jacobian(frame, q) : undefined;
  }
}
