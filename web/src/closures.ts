// What closes loops: rods as they are, and on demand a mark with a name where each loop is closed, a ball on either
// side and a line between them: how far it has slid, or is open.
import * as THREE from 'three';
import type {Report} from './data';
import {label} from './overlays';

const up = new THREE.Vector3(0, 1, 0); // along a cylinder

export class Closures {
  /** Marks, off at first. */
  readonly marks: THREE.Object3D[] = [];
  private lines: {line: THREE.Mesh; from: THREE.Object3D; to: THREE.Object3D}[] = [];
  private a = new THREE.Vector3();
  private b = new THREE.Vector3();

  constructor(report: Report, groups: THREE.Group[], scene: THREE.Scene) {
    const {loops, reach} = report.robot;
    for (const loop of loops) {
      const from = this.end(groups[loop.parent], loop.parent_point), to = this.end(groups[loop.child], loop.child_point);
      const colour = loop.rod ? 0x8a939e : 0xd55e00, radius = (loop.rod ? 0.012 : 0.004) * reach;
      const material = loop.rod ? new THREE.MeshStandardMaterial({color: colour, roughness: 0.5}) : new THREE.MeshBasicMaterial({color: colour, depthTest: false});
      const line = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 16), material);
      this.lines.push({line, from, to});
      scene.add(line);
      if (!loop.rod) this.marks.push(line);
      for (const [holder, size] of [[from, 0.013], [to, 0.009]] as const) {
        const ball = new THREE.Mesh(new THREE.SphereGeometry(size * reach, 20, 14),
                                    new THREE.MeshBasicMaterial({color: colour, transparent: true, opacity: 0.6, depthTest: false}));
        ball.renderOrder = 3;
        holder.add(ball);
        this.marks.push(ball);
      }
      const name = label(loop.name, 0.036 * reach);
      name.center.set(-0.1, 0.5);
      to.add(name);
      this.marks.push(name);
    }
    for (const mark of this.marks) mark.visible = false;
  }

  /** Before drawing: lines go from where one side is to where the other is. */
  update(): void {
    for (const {line, from, to} of this.lines) {
      from.getWorldPosition(this.a);
      to.getWorldPosition(this.b);
      line.position.copy(this.a).add(this.b).multiplyScalar(0.5);
      const length = this.b.sub(this.a).length();
      line.scale.set(1, Math.max(length, 1e-9), 1);
      if (length > 1e-12) line.quaternion.setFromUnitVectors(up, this.b.divideScalar(length));
    }
  }

  /** For tests: how far apart the two sides of each loop are. */
  gaps(): number[] {
    return this.lines.map(({from, to}) => from.getWorldPosition(new THREE.Vector3()).distanceTo(to.getWorldPosition(new THREE.Vector3())));
  }

  private end(group: THREE.Group, point: [number, number, number]): THREE.Object3D {
    const holder = new THREE.Object3D();
    holder.position.set(...point);
    group.add(holder);
    return holder;
  }
}
