// Joints by hand, on the page of a robot without a run. The motion of each joint was sampled by Ulna's
// kinematics; between samples a turn goes along the arc and a shift along the line, which for the joints that
// have a slider is exact.
import * as THREE from 'three';
import type {Pose, Report} from './data';
import {element} from './dom';
import {number} from './format';
import {setPose} from './shapes';

function matrix(pose: Pose): THREE.Matrix4 {
  const object = new THREE.Object3D();
  setPose(object, pose.position, pose.quaternion);
  object.updateMatrix();
  return object.matrix;
}

/** Poses of all bodies at q, by the sampled joints (listed from the world outwards). */
export function posesAt(report: Report, q: number[]): THREE.Matrix4[] {
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

export function sliders(report: Report, groups: THREE.Group[], changed: () => void): HTMLElement {
  const {coordinates, joints} = report.sliders!;
  const q = coordinates.map((c) => c.value);
  const place = () => {
    posesAt(report, q).forEach((pose, body) => pose.decompose(groups[body].position, groups[body].quaternion, groups[body].scale));
    changed();
  };
  const list = element('section', {class: 'sliders', 'aria-label': 'Joints'}, element('h2', {}, 'Joints'));
  coordinates.forEach((coordinate, k) => {
    const moved = joints.find((joint) => joint.coordinate === k);
    if (!moved) return;
    const angle = coordinate.unit === 'rad';
    const shown = element('output', {});
    const range = element('input', {type: 'range', step: 'any', min: String(moved.from), max: String(moved.to),
                                    'aria-label': coordinate.name});
    range.value = String(coordinate.value);
    const update = () => {
      q[k] = Number(range.value);
      shown.textContent = angle ? `${number(q[k], 4)} rad · ${(q[k] * 180 / Math.PI).toFixed(1).replace('-', '−')}°` : `${number(q[k], 4)} ${coordinate.unit}`;
      const over = (coordinate.upper !== null && q[k] > coordinate.upper + 1e-9) || (coordinate.lower !== null && q[k] < coordinate.lower - 1e-9);
      shown.classList.toggle('over', over);
    };
    range.addEventListener('input', () => { update(); place(); });
    update();
    list.append(element('label', {}, element('span', {class: 'name'}, coordinate.name), shown, range));
  });
  return list;
}
