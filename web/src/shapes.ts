// Shapes of the data as meshes. Geometry is shared between the robot and its ghosts.
import * as THREE from 'three';
import {bytes, type Quat, type Robot, type Shape, type Vec3} from './data';

const roleColours = {link: 0xe8822e, joint: 0x3b4654, base: 0x59636f, given: 0xa9b2bd};

export function setPose(object: THREE.Object3D, position: Vec3, quaternion: Quat): void {
  object.position.set(...position);
  object.quaternion.set(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
}

function geometry(robot: Robot, shape: Shape): THREE.BufferGeometry {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case 'box': return new THREE.BoxGeometry(a, b, c);
    case 'sphere': return new THREE.SphereGeometry(a, 32, 20);
    // three.js has them along y.
    case 'cylinder': return new THREE.CylinderGeometry(a, a, b, 40).rotateX(Math.PI / 2);
    case 'capsule': return new THREE.CapsuleGeometry(a, b, 10, 32).rotateX(Math.PI / 2);
    case 'taper': return taper(a, b, c).rotateX(Math.PI / 2);
    case 'mesh': return triangles(robot.meshes[shape.mesh!]).clone().scale(a, b, c);
  }
}

const decoded = new Map<Robot['meshes'][0], THREE.BufferGeometry>();

function triangles(mesh: Robot['meshes'][0]): THREE.BufferGeometry {
  let made = decoded.get(mesh);
  if (made) return made;
  const shares = new Uint16Array(bytes(mesh.corners)), places = new Float32Array(shares.length);
  for (let k = 0; k < shares.length; ++k) places[k] = mesh.low[k % 3] + mesh.size[k % 3] * shares[k] / 65535;
  made = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(places, 3));
  made.computeVertexNormals();
  decoded.set(mesh, made);
  return made;
}

/** A cone with round ends, along y. */
function taper(from: number, to: number, length: number): THREE.BufferGeometry {
  const outline: THREE.Vector2[] = [];
  for (let k = 0; k <= 8; ++k) {
    const angle = -Math.PI / 2 + (k / 8) * Math.PI / 2;
    outline.push(new THREE.Vector2(from * Math.cos(angle), -length / 2 + from * Math.sin(angle)));
  }
  for (let k = 0; k <= 8; ++k) {
    const angle = (k / 8) * Math.PI / 2;
    outline.push(new THREE.Vector2(to * Math.cos(angle), length / 2 + to * Math.sin(angle)));
  }
  return new THREE.LatheGeometry(outline, 32);
}

export type Look = 'solid' | 'ghost' | 'other';

function material(shape: Shape, look: Look): THREE.Material {
  const colour = shape.colour ? new THREE.Color(...(shape.colour.slice(0, 3) as Vec3))
                              : new THREE.Color(roleColours[shape.role]);
  if (look !== 'solid')
    return new THREE.MeshLambertMaterial({
      color: look === 'ghost' ? 0x3d9be0 : 0x009e73, transparent: true, opacity: 0.35, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4}); // where the two agree, the solid one is seen
  const opacity = shape.colour ? shape.colour[3] : 1;
  return new THREE.MeshLambertMaterial({
    color: colour, transparent: opacity < 1, opacity});
}

/** One group for each body, the world first. */
export function bodyGroups(robot: Robot, look: Look): THREE.Group[] {
  const groups = robot.bodies.map(() => new THREE.Group());
  const materials = new Map<string, THREE.Material>();
  for (const shape of robot.shapes) {
    if (look !== 'solid' && shape.body === 0) continue;
    const key = JSON.stringify([shape.role, shape.colour]);
    let made = materials.get(key);
    if (!made) materials.set(key, made = material(shape, look));
    const mesh = new THREE.Mesh(geometry(robot, shape), made);
    mesh.castShadow = look === 'solid';
    mesh.receiveShadow = look === 'solid';
    setPose(mesh, shape.position, shape.quaternion);
    groups[shape.body].add(mesh);
  }
  return groups;
}
