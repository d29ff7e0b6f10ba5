// A tube along a polyline whose points move: a bent beam, a member of a frame. Only positions are written
// anew; the rings stay across the direction of the points.
import * as THREE from 'three';

const sides = 10;

export class Tube {
  readonly mesh: THREE.Mesh;
  private places: Float32Array;
  private normals: Float32Array;
  private along = new THREE.Vector3();
  private first = new THREE.Vector3();
  private second = new THREE.Vector3();

  constructor(readonly count: number, private radius: number, material: THREE.Material) {
    this.places = new Float32Array(3 * sides * count);
    this.normals = new Float32Array(3 * sides * count);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(this.places, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(this.normals, 3));
    const index: number[] = [];
    for (let k = 0; k + 1 < count; ++k)
      for (let s = 0; s < sides; ++s) {
        const a = k * sides + s, b = k * sides + (s + 1) % sides;
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    const last = (count - 1) * sides; // closed at both ends
    for (let s = 1; s + 1 < sides; ++s) index.push(0, s + 1, s, last, last + s, last + s + 1);
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  /** Points as x, y, z in turn. */
  set(points: ArrayLike<number>): void {
    for (let k = 0; k < this.count; ++k) {
      const before = Math.max(k - 1, 0), after = Math.min(k + 1, this.count - 1);
      this.along.set(points[3 * after] - points[3 * before], points[3 * after + 1] - points[3 * before + 1],
                     points[3 * after + 2] - points[3 * before + 2]).normalize();
      // Any direction across; the least component keeps it away from the axis.
      const flat = Math.abs(this.along.z) < 0.9;
      this.first.set(flat ? 0 : 1, 0, flat ? 1 : 0).cross(this.along).normalize();
      this.second.crossVectors(this.along, this.first);
      for (let s = 0; s < sides; ++s) {
        const c = Math.cos(2 * Math.PI * s / sides), d = Math.sin(2 * Math.PI * s / sides), at = 3 * (k * sides + s);
        for (let axis = 0; axis < 3; ++axis) {
          const normal = c * this.first.getComponent(axis) + d * this.second.getComponent(axis);
          this.normals[at + axis] = normal;
          this.places[at + axis] = points[3 * k + axis] + this.radius * normal;
        }
      }
    }
    this.mesh.geometry.attributes.position.needsUpdate = true;
    this.mesh.geometry.attributes.normal.needsUpdate = true;
  }
}

/** A thin line where the points are at rest. */
export function guideLine(points: ArrayLike<number>): THREE.Line {
  const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(Float32Array.from(points), 3));
  const line = new THREE.Line(geometry, new THREE.LineDashedMaterial({color: 0x7f8a96, dashSize: 0.02, gapSize: 0.02}));
  line.computeLineDistances();
  line.frustumCulled = false;
  return line;
}
