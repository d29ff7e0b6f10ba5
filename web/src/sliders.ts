// Joints by hand, on the page of a robot without a run: a slider for each coordinate.
//
// Poses come from the generated kinematics; where the robot has loops, the other joints follow so that they stay
// closed. Robots without generated kinematics (flexible ones) move by samples of each joint's motion: between samples
// a turn goes along the arc and a shift along the line, which for the joints that have a slider is exact.
import * as THREE from 'three';
import type {Pose, Report} from './data';
import {element} from './dom';
import {number} from './format';
import type {Kinematics} from './kinematics';
import type {Loops} from './loops';
import {setPose} from './shapes';

function matrix(pose: Pose): THREE.Matrix4 {
  const object = new THREE.Object3D();
  setPose(object, pose.position, pose.quaternion);
  object.updateMatrix();
  return object.matrix;
}

/** Poses of all bodies at q, by the sampled joints (listed from the world outwards). */
function sampledPoses(report: Report, q: number[]): THREE.Matrix4[] {
  const poses = report.robot.bodies.map(() => new THREE.Matrix4());
  for (const joint of report.sliders!.joints) {
    const motion = new THREE.Matrix4();
    if (joint.coordinate >= 0) {
      const count = joint.samples.length - 1;
      const place = (q[joint.coordinate] - joint.from) / (joint.to - joint.from) * count;
      const k = Math.min(Math.max(Math.floor(place), 0), count - 1), share = place - k;
      const a = joint.samples[k], b = joint.samples[k + 1];
      const turn = (x: Pose) => new THREE.Quaternion(x.quaternion[1], x.quaternion[2], x.quaternion[3], x.quaternion[0]);
      motion.compose(new THREE.Vector3(...a.position).lerp(new THREE.Vector3(...b.position), share),
                     turn(a).slerp(turn(b), share), new THREE.Vector3(1, 1, 1));
    }
    poses[joint.child].copy(poses[joint.parent]).multiply(matrix(joint.before)).multiply(motion).multiply(matrix(joint.after));
  }
  return poses;
}

/** A pose of the generated kinematics. */
export function frameMatrix(kinematics: Kinematics, frame: number): THREE.Matrix4 {
  const p = kinematics.position(frame), R = kinematics.rotation(frame);
  return new THREE.Matrix4().set(R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1], R[6], R[7], R[8], p[2], 0, 0, 0, 1);
}

function valueText(x: number, unit: string): string {
  if (unit !== 'rad') return `${number(x, 4)} ${unit}`;
  return `${number(x, 4)} rad · ${(x * 180 / Math.PI).toFixed(1).replace('-', '−')}°`;
}

export class JointSliders {
  readonly node: HTMLElement;
  readonly q: number[];
  private shown: (() => void)[] = [];

  /** `changed` is told when a hand has moved a joint. */
  constructor(private report: Report, private groups: THREE.Group[], private kinematics: Kinematics | undefined,
              private loops: Loops | undefined, private changed: () => void) {
    const {coordinates, joints, sampled_because: reason} = report.sliders!;
    this.q = coordinates.map((c) => c.value);
    this.node = element('section', {class: 'sliders', 'aria-label': 'Joints'}, element('h2', {}, 'Joints'));
    const drives = kinematics?.data.loops?.kept ?? []; // these first, then what follows them
    const order = coordinates.map((_, k) => k).sort((a, b) => Number(drives.includes(coordinates[b].speed)) - Number(drives.includes(coordinates[a].speed)));
    for (const k of order) {
      const moved = kinematics ? coordinates[k].speed >= 0 : joints.some((joint) => joint.coordinate === k);
      if (moved) this.add(k);
    }
    if (this.loops && this.shown.length > 0)
      this.node.append(element('p', {class: 'note'}, 'The other joints follow, so that the loops stay closed; a joint stops where they cannot.'));
    if (reason && this.shown.length > 0)
      this.node.append(element('p', {class: 'note'}, `Each joint moves by samples of its own motion, without a target to drag: ${reason}.`));
    this.place();
  }

  set(q: number[]): void {
    q.forEach((x, k) => { this.q[k] = x; });
    for (const show of this.shown) show();
    this.place();
  }

  /** As by hand: with loops, as far as they let it. */
  private move(k: number, value: number): void {
    const c = this.report.sliders!.coordinates[k], q = this.q.slice();
    q[k] = value;
    this.set(this.loops ? this.loops.follow(this.q, k, c.speed, value, c.unit === 'm' ? this.report.robot.reach : 1) : q);
  }

  private add(k: number): void {
    const c = this.report.sliders!.coordinates[k];
    const shown = element('output', {});
    const range = element('input', {type: 'range', step: 'any', min: String(c.from), max: String(c.to), 'aria-label': c.name});
    const show = () => {
      range.value = String(this.q[k]);
      shown.textContent = valueText(this.q[k], c.unit);
      const over = (c.upper !== null && this.q[k] > c.upper + 1e-9) || (c.lower !== null && this.q[k] < c.lower - 1e-9);
      shown.classList.toggle('over', over);
    };
    range.addEventListener('input', () => {
      this.move(k, Number(range.value));
      this.changed();
    });
    this.shown.push(show);
    show();
    this.node.append(element('label', {}, element('span', {class: 'name'}, c.name), shown, range));
  }

  private place(): void {
    this.kinematics?.update(this.q);
    const poses = this.kinematics ? this.groups.map((_, body) => frameMatrix(this.kinematics!, body))
                                  : sampledPoses(this.report, this.q);
    poses.forEach((pose, body) => pose.decompose(this.groups[body].position, this.groups[body].quaternion, this.groups[body].scale));
  }
}
