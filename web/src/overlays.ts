// What can be shown besides the robot: frames, joint axes, centre of mass, the trace of a point.
import * as THREE from 'three';
import {Line2} from 'three/examples/jsm/lines/Line2.js';
import {LineGeometry} from 'three/examples/jsm/lines/LineGeometry.js';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import type {Report, Track} from './data';
import {setPose} from './shapes';
import {bodyPose, centreAt} from './track';

/** A name that stands beside a point, always facing the viewer. */
export function label(text: string, height: number): THREE.Sprite {
  const shown = text.length > 28 ? `${text.slice(0, 27)}…` : text;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d')!;
  const font = '600 44px system-ui, sans-serif';
  context.font = font;
  canvas.width = Math.ceil(context.measureText(shown).width) + 24;
  canvas.height = 64;
  context.font = font;
  context.lineWidth = 8;
  context.strokeStyle = 'rgba(255,255,255,0.85)';
  context.fillStyle = '#1b2530';
  context.textBaseline = 'middle';
  context.strokeText(shown, 12, 34);
  context.fillText(shown, 12, 34);
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({map, depthTest: false, transparent: true}));
  sprite.scale.set(height * canvas.width / canvas.height, height, 1);
  sprite.center.set(0, 0.5);
  sprite.renderOrder = 4;
  return sprite;
}

function triad(size: number): THREE.AxesHelper {
  const lines = new THREE.AxesHelper(size);
  // Okabe-Ito's vermilion, green and blue for x, y, z.
  lines.setColors(new THREE.Color(0xd55e00), new THREE.Color(0x009e73), new THREE.Color(0x0072b2));
  (lines.material as THREE.Material).depthTest = false;
  lines.renderOrder = 3;
  return lines;
}

/** Triads of all bodies and named frames, fixed to the groups of the bodies. */
export function frames(report: Report, groups: THREE.Group[]): THREE.Object3D[] {
  const size = 0.11 * report.robot.reach, list: THREE.Object3D[] = [];
  const place = (body: number, name: string): THREE.Object3D => {
    const holder = new THREE.Group();
    const text = label(name, 0.036 * report.robot.reach);
    text.center.set(-0.06, 0.5 - 0.85 * (list.length % 4 - 1)); // frames of a wrist share their origin
    holder.add(triad(size), text);
    groups[body].add(holder);
    list.push(holder);
    return holder;
  };
  report.robot.bodies.forEach((name, body) => place(body, name));
  for (const frame of report.robot.frames) setPose(place(frame.body, frame.name), frame.position, frame.quaternion);
  return list;
}

export function axes(report: Report, groups: THREE.Group[]): THREE.Object3D[] {
  const length = 0.3 * report.robot.reach;
  return report.robot.axes.map((axis) => {
    const direction = new THREE.Vector3(...axis.direction);
    const origin = new THREE.Vector3(...axis.position).addScaledVector(direction, -length / 2);
    const arrow = new THREE.ArrowHelper(direction, origin, length, 0xcc79a7, 0.12 * length, 0.06 * length);
    for (const part of [arrow.line, arrow.cone]) {
      (part.material as THREE.Material).depthTest = false;
      part.renderOrder = 3;
    }
    groups[axis.body].add(arrow);
    return arrow;
  });
}

/** The four-quarter ball that drawings mark a centre of mass with. */
export function centreMark(radius: number): THREE.Mesh {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d')!;
  for (let u = 0; u < 4; ++u)
    for (let v = 0; v < 2; ++v) {
      context.fillStyle = (u + v) % 2 ? '#111' : '#f7d038';
      context.fillRect(16 * u, 32 * v, 16, 32);
    }
  const map = new THREE.CanvasTexture(canvas);
  map.magFilter = THREE.NearestFilter;
  const ball = new THREE.Mesh(new THREE.SphereGeometry(radius, 32, 20).rotateX(Math.PI / 2),
                              new THREE.MeshBasicMaterial({map, depthTest: false}));
  ball.renderOrder = 2;
  return ball;
}

export interface TracePoint {
  name: string;
  body: number; // -1: the centre of mass
  offset: THREE.Vector3;
}

export function tracePoints(report: Report): TracePoint[] {
  const points = report.robot.frames.map(
      (f): TracePoint => ({name: f.name, body: f.body, offset: new THREE.Vector3(...f.position)}));
  report.robot.bodies.forEach((name, body) => {
    if (body > 0) points.push({name, body, offset: new THREE.Vector3()});
  });
  if (report.poses.centre) points.push({name: 'centre of mass', body: -1, offset: new THREE.Vector3()});
  return points;
}

function pathLine(places: number[], width: number, opacity: number): Line2 {
  const geometry = new LineGeometry();
  geometry.setPositions(places);
  const line = new Line2(geometry, new LineMaterial({color: 0x0a84d0, linewidth: width, transparent: true, opacity}));
  line.frustumCulled = false;
  return line;
}

/** The path of a point over the run: faint as a whole, strong up to the time shown. */
export class Trace {
  readonly object = new THREE.Group();
  private past?: Line2;
  private time: number[] = [];

  set(report: Report, track: Track, point: TracePoint | undefined): void {
    for (const line of this.object.children as Line2[]) line.geometry.dispose();
    this.object.clear();
    this.past = undefined;
    this.time = [];
    if (!point || track.time.length < 2) return;
    const stride = Math.max(1, Math.ceil(track.time.length / 4000));
    const places: number[] = [], position = new THREE.Vector3(), turn = new THREE.Quaternion();
    for (let k = 0; k < track.time.length; k += stride) {
      const t = track.time[k];
      if (point.body < 0) {
        centreAt(track, t, position);
      } else if (point.body === 0) {
        position.copy(point.offset);
      } else {
        bodyPose(track, report.robot.bodies.length, point.body, t, position, turn);
        position.add(point.offset.clone().applyQuaternion(turn));
      }
      places.push(position.x, position.y, position.z);
      this.time.push(t);
    }
    this.past = pathLine(places, 3, 1);
    this.object.add(pathLine(places, 2, 0.3), this.past);
  }

  /** Segments that end by t. */
  show(t: number): void {
    if (!this.past) return;
    let low = 0, high = this.time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= t) low = middle + 1; else high = middle;
    }
    this.past.geometry.instanceCount = Math.max(low - 1, 0);
    this.past.visible = low > 1;
  }
}
