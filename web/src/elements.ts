// Force elements: a spring-damper is a coil that stretches between its ends, an actuator a rod in a tube, a bushing a
// block and a torsion spring a spiral on its first body. Lines that run through eyes are drawn piece by piece.
import * as THREE from 'three';
import type {Report} from './data';
import {Tube} from './tube';

const turns = 8, perTurn = 14, count = turns * perTurn + 3;
const up = new THREE.Vector3(0, 1, 0); // along a cylinder

interface Coil {
  tube: Tube;
  points: Float32Array;
  from: THREE.Object3D;
  to: THREE.Object3D;
}

interface Piston {
  tube: THREE.Mesh;
  rod: THREE.Mesh;
  from: THREE.Object3D;
  to: THREE.Object3D;
}

export class Elements {
  private coils: Coil[] = [];
  private pistons: Piston[] = [];
  private a = new THREE.Vector3();
  private b = new THREE.Vector3();
  private along = new THREE.Vector3();
  private first = new THREE.Vector3();
  private second = new THREE.Vector3();

  constructor(report: Report, groups: THREE.Group[], private scene: THREE.Scene) {
    const {elements, reach} = report.robot;
    for (const element of elements ?? []) {
      const ends = element.points.map(({body, point}) => this.end(groups[body], point));
      if (element.type === 'spring-damper')
        for (let k = 0; k + 1 < ends.length; ++k) this.addCoil(ends[k], ends[k + 1], reach);
      else if (element.type === 'actuator')
        for (let k = 0; k + 1 < ends.length; ++k) this.addPiston(ends[k], ends[k + 1], reach);
      else if (element.type === 'bushing') this.addBlock(ends[1], reach);
      else if (ends.length > 0) this.addSpiral(ends[0], element.axis ?? [0, 0, 1], reach);
    }
  }

  /** Before drawing: everything goes from where one end is to where the other is. */
  update(): void {
    for (const coil of this.coils) this.setCoil(coil);
    for (const {tube, rod, from, to} of this.pistons) {
      from.getWorldPosition(this.a);
      to.getWorldPosition(this.b);
      const length = Math.max(this.along.copy(this.b).sub(this.a).length(), 1e-9);
      this.along.divideScalar(length);
      for (const [mesh, share] of [[tube, 0.55], [rod, 1]] as const) {
        mesh.position.copy(this.a).addScaledVector(this.along, 0.5 * share * length);
        mesh.scale.set(1, share * length, 1);
        mesh.quaternion.setFromUnitVectors(up, this.along);
      }
    }
  }

  /** For tests: how long each coil is drawn. */
  lengths(): number[] {
    return this.coils.map(({from, to}) => from.getWorldPosition(new THREE.Vector3()).distanceTo(to.getWorldPosition(new THREE.Vector3())));
  }

  private addCoil(from: THREE.Object3D, to: THREE.Object3D, reach: number): void {
    const material = new THREE.MeshStandardMaterial({color: 0x3f7f5f, roughness: 0.4, metalness: 0.4});
    const tube = new Tube(count, 0.0035 * reach, material);
    tube.mesh.userData.coil = 0.018 * reach; // its radius
    this.scene.add(tube.mesh);
    this.coils.push({tube, points: new Float32Array(3 * count), from, to});
  }

  private setCoil({tube, points, from, to}: Coil): void {
    from.getWorldPosition(this.a);
    to.getWorldPosition(this.b);
    const length = this.along.copy(this.b).sub(this.a).length();
    if (length > 1e-12) this.along.divideScalar(length);
    else this.along.copy(up);
    const flat = Math.abs(this.along.z) < 0.9;
    this.first.set(flat ? 0 : 1, 0, flat ? 1 : 0).cross(this.along).normalize();
    this.second.crossVectors(this.along, this.first);
    const radius = tube.mesh.userData.coil as number;
    for (let k = 0; k < count; ++k) {
      // Straight hooks at both ends, the coil between a tenth and nine tenths of the length.
      const inner = k > 0 && k < count - 1, share = inner ? (k - 1) / (count - 3) : 0;
      const s = k === 0 ? 0 : k === count - 1 ? length : length * (0.1 + 0.8 * share);
      const angle = 2 * Math.PI * turns * share, r = inner ? radius : 0;
      for (let axis = 0; axis < 3; ++axis)
        points[3 * k + axis] = this.a.getComponent(axis) + s * this.along.getComponent(axis) +
            r * (Math.cos(angle) * this.first.getComponent(axis) + Math.sin(angle) * this.second.getComponent(axis));
    }
    tube.set(points);
  }

  private addPiston(from: THREE.Object3D, to: THREE.Object3D, reach: number): void {
    const cylinder = (radius: number, colour: number) =>
      new THREE.Mesh(new THREE.CylinderGeometry(radius * reach, radius * reach, 1, 20),
                     new THREE.MeshStandardMaterial({color: colour, roughness: 0.4, metalness: 0.3}));
    const tube = cylinder(0.016, 0x39424d), rod = cylinder(0.008, 0xc7ccd2);
    this.scene.add(tube, rod);
    this.pistons.push({tube, rod, from, to});
  }

  private addBlock(at: THREE.Object3D, reach: number): void {
    const size = 0.035 * reach;
    at.add(new THREE.Mesh(new THREE.CylinderGeometry(0.5 * size, 0.5 * size, size, 20),
                          new THREE.MeshStandardMaterial({color: 0x39424d, roughness: 0.9})));
  }

  private addSpiral(at: THREE.Object3D, axis: [number, number, number], reach: number): void {
    const n = 60, points = new Float32Array(3 * n), tube = new Tube(n, 0.003 * reach, new THREE.MeshStandardMaterial({color: 0x3f7f5f}));
    for (let k = 0; k < n; ++k) {
      const angle = 6 * Math.PI * k / (n - 1), r = (0.006 + 0.022 * k / (n - 1)) * reach;
      points[3 * k] = r * Math.cos(angle);
      points[3 * k + 1] = r * Math.sin(angle);
    }
    tube.set(points);
    tube.mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...axis).normalize());
    at.add(tube.mesh);
  }

  private end(group: THREE.Group, point: [number, number, number]): THREE.Object3D {
    const holder = new THREE.Object3D();
    holder.position.set(...point);
    group.add(holder);
    return holder;
  }
}
