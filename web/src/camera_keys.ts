// The camera by keyboard, while the 3D view has the focus: arrows turn it about what it looks at, with Shift they
// move it, + and − come nearer and go away.
import * as THREE from 'three';
import type {View3d} from './view3d';

const step = Math.PI / 36;

function turn(view: View3d, across: number, up: number): void {
  const {camera, controls} = view;
  // three.js measures from y; the world's up is z.
  const toY = new THREE.Quaternion().setFromUnitVectors(camera.up, new THREE.Vector3(0, 1, 0));
  const offset = camera.position.clone().sub(controls.target).applyQuaternion(toY);
  const place = new THREE.Spherical().setFromVector3(offset);
  place.theta += across;
  place.phi = Math.min(Math.max(place.phi + up, 0.02), Math.PI - 0.02);
  camera.position.setFromSpherical(place).applyQuaternion(toY.invert()).add(controls.target);
}

function move(view: View3d, across: number, up: number): void {
  const {camera, controls} = view, distance = camera.position.distanceTo(controls.target);
  const shift = new THREE.Vector3(across, up, 0).multiplyScalar(0.05 * distance).applyQuaternion(camera.quaternion);
  camera.position.add(shift);
  controls.target.add(shift);
}

function approach(view: View3d, factor: number): void {
  const {camera, controls} = view;
  camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
}

export function cameraKeys(view: View3d): void {
  const canvas = view.renderer.domElement;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', 'Robot in 3D: arrows turn the view, with Shift they move it, plus and minus come nearer and go away');
  const arrows: Record<string, [number, number]> =
    {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) move(view, ...arrow);
    else if (arrow) turn(view, step * arrow[0], -step * arrow[1]);
    else if (event.key === '+' || event.key === '-') approach(view, event.key === '+' ? 0.9 : 1 / 0.9);
    else return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere these keys go through time
    view.controls.update();
    view.draw();
  });
}
