// A target for a frame of the robot: dragged in the 3D view or typed, and followed by inverse kinematics.
import * as THREE from 'three';
import {TransformControls} from 'three/examples/jsm/controls/TransformControls.js';
import type {Report} from './data';
import {element} from './dom';
import {number} from './format';
import {InverseKinematics, type Goal, type Solution} from './inverse';
import type {Kinematics} from './kinematics';
import {LoopInverse} from './loop_inverse';
import type {Loops} from './loops';
import {frameMatrix, type JointSliders} from './sliders';
import type {View3d} from './view3d';

const degrees = 180 / Math.PI;

function mark(size: number): THREE.Mesh {
  const ball = new THREE.Mesh(new THREE.SphereGeometry(size, 24, 16),
                              new THREE.MeshBasicMaterial({color: 0xd55e00, transparent: true, opacity: 0.55, depthTest: false}));
  ball.renderOrder = 5;
  return ball;
}

export class Target {
  readonly node: HTMLElement;
  readonly object = new THREE.Object3D();
  last?: Solution;
  private frame: number;
  private inverse: InverseKinematics | LoopInverse;
  private handle: TransformControls;
  private fields: HTMLInputElement[] = [];
  private state = element('output', {class: 'state', 'aria-live': 'polite'});
  private turning = element('fieldset', {class: 'row'}, element('legend', {}, 'Roll, pitch, yaw [°]'));
  private withRotation = false;

  constructor(report: Report, private kinematics: Kinematics, private sliders: JointSliders, private view: View3d, loops?: Loops) {
    this.frame = kinematics.data.frames[0].index;
    const {coordinates} = report.sliders!, {reach} = report.robot;
    this.inverse = loops ? new LoopInverse(kinematics, loops, coordinates, reach) : new InverseKinematics(kinematics, coordinates, reach);
    this.object.add(mark(0.016 * report.robot.reach));
    this.handle = new TransformControls(view.camera, view.renderer.domElement);
    this.handle.setSize(0.75);
    this.handle.attach(this.object);
    this.handle.addEventListener('change', () => view.draw());
    this.handle.addEventListener('dragging-changed', (event) => { view.controls.enabled = !event.value; });
    this.handle.addEventListener('objectChange', () => this.follow());
    view.scene.add(this.object, this.handle.getHelper());
    this.node = this.panel();
    this.toFrame();
  }

  /** Puts the target where the frame is, as after a joint was moved by hand. */
  toFrame(): void {
    this.kinematics.update(this.sliders.q);
    frameMatrix(this.kinematics, this.frame).decompose(this.object.position, this.object.quaternion, this.object.scale);
    this.last = undefined;
    this.show();
  }

  choose(frame: number): void {
    this.frame = frame;
    this.toFrame();
  }

  follow(): void {
    const goal: Goal = {position: this.object.position.toArray()};
    if (this.withRotation) {
      const e = new THREE.Matrix4().makeRotationFromQuaternion(this.object.quaternion.normalize()).elements;
      goal.rotation = [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10]];
    }
    this.last = this.inverse.solve(this.frame, goal, this.sliders.q);
    this.sliders.set(this.last.q);
    if (!this.withRotation) { // the target keeps the rotation that the frame has got
      this.kinematics.update(this.sliders.q);
      frameMatrix(this.kinematics, this.frame).decompose(new THREE.Vector3(), this.object.quaternion, new THREE.Vector3());
    }
    this.show();
  }

  private show(): void {
    const turn = new THREE.Euler().setFromQuaternion(this.object.quaternion, 'ZYX');
    const values = [...this.object.position.toArray(), ...[turn.x, turn.y, turn.z].map((x) => x * degrees)];
    this.fields.forEach((field, k) => {
      if (document.activeElement !== field) field.value = String(Number(values[k].toFixed(4)));
    });
    const solution = this.last, reached = !solution || (solution.distance < 1e-6 && solution.angle < 1e-6);
    this.state.classList.toggle('over', !reached);
    this.state.textContent = reached ? 'reached'
      : `out of reach: ${number(solution.distance, 3)} m${this.withRotation ? ` and ${(solution.angle * degrees).toFixed(1)}°` : ''} away`;
    this.view.draw();
  }

  private field(name: string, step: string): HTMLElement {
    const input = element('input', {type: 'number', step, 'aria-label': `Target ${name}`});
    input.addEventListener('input', () => this.typed());
    this.fields.push(input);
    return element('label', {}, name, input);
  }
  private typed(): void {
    const [x, y, z, roll, pitch, yaw] = this.fields.map((field) => field.valueAsNumber);
    if ([x, y, z].every(Number.isFinite)) this.object.position.set(x, y, z);
    if (this.withRotation && [roll, pitch, yaw].every(Number.isFinite))
      this.object.quaternion.setFromEuler(new THREE.Euler(roll / degrees, pitch / degrees, yaw / degrees, 'ZYX'));
    this.follow();
  }

  private panel(): HTMLElement {
    const frame = element('select', {'aria-label': 'Frame that follows the target'},
        ...this.kinematics.data.frames.map((f) => element('option', {value: String(f.index)}, f.name)));
    frame.addEventListener('change', () => this.choose(Number(frame.value)));
    const what = element('select', {'aria-label': 'What follows'}, element('option', {value: 'position'}, 'position'),
                         element('option', {value: 'pose'}, 'position and rotation'));
    const mode = element('select', {'aria-label': 'What dragging does'}, element('option', {value: 'translate'}, 'drag to move'),
                         element('option', {value: 'rotate'}, 'drag to turn'));
    mode.addEventListener('change', () => this.handle.setMode(mode.value as 'translate' | 'rotate'));
    what.addEventListener('change', () => {
      this.withRotation = what.value === 'pose';
      mode.hidden = this.turning.hidden = !this.withRotation;
      if (!this.withRotation) {
        mode.value = 'translate';
        this.handle.setMode('translate');
      }
      this.toFrame();
    });
    const shown = element('input', {type: 'checkbox'});
    shown.checked = true;
    shown.addEventListener('change', () => {
      this.object.visible = this.handle.getHelper().visible = this.handle.enabled = shown.checked;
      this.view.draw();
    });
    const place = element('fieldset', {class: 'row'}, element('legend', {}, 'Position [m]'),
                          ...['x', 'y', 'z'].map((name) => this.field(name, '0.01')));
    this.turning.append(...['roll', 'pitch', 'yaw'].map((name) => this.field(name, '1')));
    mode.hidden = this.turning.hidden = true;
    return element('section', {class: 'sliders target', 'aria-label': 'Target'},
        element('h2', {}, 'Target', this.state),
        element('div', {class: 'choices'}, frame, what, mode, element('label', {class: 'check'}, shown, 'handle')),
        place, this.turning);
  }
}
