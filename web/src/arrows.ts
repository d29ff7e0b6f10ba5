// Wrenches of the run as arrows: reactions in the joints and wrenches applied to bodies, forces with one
// head, moments with two. The longest of the run has a fixed length; all others are in proportion.
import * as THREE from 'three';
import {valueAt, type Channel, type Report, type Vec3} from './data';

export type WrenchKind = 'reaction' | 'external';

interface Place {
  body: number;
  offset: THREE.Vector3;
  channels: (Channel | undefined)[]; // fx fy fz mx my mz
}

const names = ['fx', 'fy', 'fz', 'mx', 'my', 'mz'];
const colours = {reaction: [0xd55e00, 0xcc79a7], external: [0x009e73, 0x56b4e9]} as const;

function places(report: Report, kind: WrenchKind): Place[] {
  const byName = new Map(report.channels.map((c) => [c.name, c]));
  const of = (name: string, body: number, offset: Vec3): Place => ({
    body, offset: new THREE.Vector3(...offset), channels: names.map((n) => byName.get(`${kind}.${name}.${n}`)),
  });
  const all = kind === 'reaction' ? report.robot.joints.map((j) => of(j.name, j.body, j.position))
                                  : report.robot.bodies.map((name, body) => of(name, body, [0, 0, 0]));
  return all.filter((place) => place.channels.some((c) => c));
}

/** The largest size of a vector of three channels over the run. */
function largest(list: Place[], first: number): number {
  let most = 0;
  for (const place of list) {
    const [x, y, z] = [0, 1, 2].map((k) => place.channels[first + k]?.values);
    const count = (x ?? y ?? z)?.length ?? 0;
    for (let k = 0; k < count; ++k) most = Math.max(most, Math.hypot(x?.[k] ?? 0, y?.[k] ?? 0, z?.[k] ?? 0));
  }
  return most;
}

class Arrow {
  readonly object = new THREE.Group();
  private shaft: THREE.Mesh;
  private heads: THREE.Mesh[] = [];

  constructor(private reach: number, colour: number, heads: number) {
    const material = new THREE.MeshBasicMaterial({color: colour, depthTest: false, transparent: true, opacity: 0.85});
    const radius = 0.006 * reach;
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 10).translate(0, 0.5, 0), material);
    this.object.add(this.shaft);
    for (let k = 0; k < heads; ++k) {
      const head = new THREE.Mesh(new THREE.ConeGeometry(2.6 * radius, 7 * radius, 14), material);
      this.heads.push(head);
      this.object.add(head);
    }
    for (const part of this.object.children) part.renderOrder = 5;
  }

  private static up = new THREE.Vector3(0, 1, 0);
  private static way = new THREE.Vector3();
  set(origin: THREE.Vector3, vector: THREE.Vector3, scale: number): void {
    const length = vector.length() * scale, head = 0.042 * this.reach;
    this.object.visible = length > 0.004 * this.reach;
    if (!this.object.visible) return;
    this.object.position.copy(origin);
    this.object.quaternion.setFromUnitVectors(Arrow.up, Arrow.way.copy(vector).normalize());
    this.shaft.scale.set(1, Math.max(length - head * 0.5, 1e-6), 1);
    this.heads.forEach((cone, k) => cone.position.set(0, Math.max(length - head * (0.5 + 0.55 * k), 0), 0));
  }
}

export class Arrows {
  readonly object = new THREE.Group();
  readonly empty: boolean;
  private list: Place[];
  private arrows: [Arrow, Arrow][];
  private scales: [number, number];

  constructor(private report: Report, private groups: THREE.Group[], readonly kind: WrenchKind) {
    const reach = report.robot.reach;
    this.list = places(report, kind);
    this.empty = this.list.length === 0;
    const scale = (most: number) => most > 0 ? 0.35 * reach / most : 0;
    this.scales = [scale(largest(this.list, 0)), scale(largest(this.list, 3))];
    this.arrows = this.list.map(() => [new Arrow(reach, colours[kind][0], 1), new Arrow(reach, colours[kind][1], 2)]);
    for (const pair of this.arrows) for (const arrow of pair) this.object.add(arrow.object);
  }

  /** Of the forces that are shown. */
  directions(): number[][] {
    return this.arrows.filter(([force]) => force.object.visible).map(
        ([force]) => new THREE.Vector3(0, 1, 0).applyQuaternion(force.object.quaternion).toArray());
  }

  show(t: number): void {
    if (this.empty || !this.object.visible) return;
    const origin = new THREE.Vector3(), vector = new THREE.Vector3();
    this.list.forEach((place, k) => {
      const group = this.groups[place.body];
      origin.copy(place.offset).applyQuaternion(group.quaternion).add(group.position);
      for (const which of [0, 1]) {
        const part = (axis: number) => {
          const channel = place.channels[3 * which + axis];
          return channel ? valueAt(channel, this.report.time, t) : 0;
        };
        this.arrows[k][which].set(origin, vector.set(part(0), part(1), part(2)), this.scales[which]);
      }
    });
  }
}
