// Poses between records: positions along the chord, rotations along the shorter arc.
import * as THREE from 'three';
import {locate, type Track} from './data';

const here = new THREE.Quaternion(), there = new THREE.Quaternion();

export function bodyPose(track: Track, bodies: number, body: number, t: number,
                         position: THREE.Vector3, quaternion: THREE.Quaternion): void {
  const [k, share] = locate(track.time, t);
  read(track, k * (bodies - 1) + body - 1, position, quaternion);
  if (share === 0) return;
  const x = position.x, y = position.y, z = position.z;
  here.copy(quaternion);
  read(track, (k + 1) * (bodies - 1) + body - 1, position, there);
  position.set(x + share * (position.x - x), y + share * (position.y - y), z + share * (position.z - z));
  quaternion.copy(here).slerp(there, share);
}

function read(track: Track, index: number, position: THREE.Vector3, quaternion: THREE.Quaternion): void {
  const p = track.position, q = track.quaternion;
  position.set(track.low[0] + track.size[0] * p[3 * index] / 65535,
               track.low[1] + track.size[1] * p[3 * index + 1] / 65535,
               track.low[2] + track.size[2] * p[3 * index + 2] / 65535);
  quaternion.set(q[4 * index + 1], q[4 * index + 2], q[4 * index + 3], q[4 * index]).normalize();
}

export function centreAt(track: Track, t: number, position: THREE.Vector3): boolean {
  const c = track.centre;
  if (!c) return false;
  const [k, share] = locate(track.time, t);
  const next = share === 0 ? k : k + 1;
  const at = (axis: number) => c[3 * k + axis] + share * (c[3 * next + axis] - c[3 * k + axis]);
  position.set(at(0), at(1), at(2));
  return true;
}
