// Flexible links with their real deflected curve: points along each beam at every record, in the axes of its
// body, an undeformed guide line, and a scale for the deflection.
import * as THREE from 'three';
import {bytes, locate, type Report} from './data';
import {guideLine, Tube} from './tube';

export class Beams {
  readonly guides: THREE.Object3D[] = [];
  scale = 1;
  private list: {tube: Tube; rest: Float32Array; bent: Float32Array; points: Float32Array}[] = [];

  constructor(private report: Report, groups: THREE.Group[]) {
    const material = new THREE.MeshStandardMaterial({color: 0xe8822e, roughness: 0.5, metalness: 0.15});
    const rigid = new THREE.MeshStandardMaterial({color: 0x3b4654, roughness: 0.5, metalness: 0.15});
    for (const beam of report.beams ?? []) {
      const rest = new Float32Array(bytes(beam.rest)), bent = new Float32Array(bytes(beam.deflection));
      const tube = new Tube(rest.length / 3, beam.radius, beam.end ? rigid : material);
      groups[beam.body].add(tube.mesh);
      if (!beam.end) {
        const guide = guideLine(rest);
        groups[beam.body].add(guide);
        this.guides.push(guide);
      }
      this.list.push({tube, rest, bent, points: new Float32Array(rest.length)});
    }
  }
  get empty(): boolean {
    return this.list.length === 0;
  }

  /** For tests: how far the drawn end of a beam is from where it rests. */
  end(index: number): number[] {
    const {rest, points} = this.list[index], n = rest.length;
    return [0, 1, 2].map((axis) => points[n - 3 + axis] - rest[n - 3 + axis]);
  }

  /** For tests: the points as drawn, x, y, z in turn. */
  points(index: number): number[] {
    return Array.from(this.list[index].points);
  }

  show(t: number): void {
    if (this.empty) return;
    const [k, share] = locate(this.report.time, t);
    for (const {tube, rest, bent, points} of this.list) {
      const n = rest.length, next = share === 0 ? k : k + 1;
      for (let i = 0; i < n; ++i) {
        const a = bent[k * n + i], b = bent[next * n + i];
        points[i] = rest[i] + this.scale * (a + share * (b - a));
      }
      tube.set(points);
    }
  }
}
