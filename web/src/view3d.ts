// The 3D view: the robot, the ground, what is shown besides. Drawn only when something has changed.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {Arrows} from './arrows';
import {Beams} from './beams';
import {Closures} from './closures';
import type {Report, Track} from './data';
import {Elements} from './elements';
import {ModeFrame} from './modes';
import {axes, centreMark, frames, Trace, tracePoints, type TracePoint} from './overlays';
import {bodyGroups, type Look} from './shapes';
import {bodyPose, centreAt} from './track';

export type Layer = 'frames' | 'axes' | 'centre' | 'ghost' | 'other' | 'grid' | 'reactions' | 'externals' | 'guides' | 'loops';

export class View3d {
  readonly points: TracePoint[];
  /** Milliseconds that the last drawing took, for the test. */
  lastDraw = 0;
  draws = 0;
  readonly groups: THREE.Group[];
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private ghosts: {track: Track; groups: THREE.Group[]; root: THREE.Group}[] = [];
  private layers = new Map<Layer, THREE.Object3D[]>();
  private centre: THREE.Mesh;
  private trace = new Trace();
  private arrows: Arrows[] = [];
  readonly beams: Beams;
  readonly closures: Closures;
  readonly elements: Elements;
  readonly modes?: ModeFrame;
  private wanted = false;
  private compiled?: Promise<unknown>;
  private t = 0;
  private bounds = new THREE.Box3();
  private extent: THREE.Vector3[] = []; // corners around the bodies during the run

  constructor(private report: Report, private host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.debug.checkShaderErrors = false; // asking for them waits for the compiler
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    host.append(this.renderer.domElement);
    THREE.Object3D.DEFAULT_UP.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);

    this.groups = this.addRobot('solid').groups;
    if (report.ghost) this.layers.set('ghost', [this.addGhost(report.ghost, 'ghost')]);
    this.layers.set('other', report.others.map((other) => this.addGhost(other.poses, 'other')));
    this.beams = new Beams(report, this.groups);
    this.beams.show(report.time[0]);
    this.layers.set('guides', this.beams.guides);
    if (report.modes) {
      this.modes = new ModeFrame(report.modes, 0.008 * report.robot.reach);
      this.scene.add(this.modes.object);
    }
    this.measure();
    this.layers.set('grid', this.addGround());
    this.layers.set('frames', frames(report, this.groups));
    this.layers.set('axes', axes(report, this.groups));
    this.closures = new Closures(report, this.groups, this.scene);
    this.elements = new Elements(report, this.groups, this.scene);
    this.layers.set('loops', this.closures.marks);
    this.centre = centreMark(0.022 * report.robot.reach);
    this.centre.visible = false;
    this.layers.set('centre', [this.centre]);
    this.points = tracePoints(report);
    for (const [layer, kind] of [['reactions', 'reaction'], ['externals', 'external']] as const) {
      const arrows = new Arrows(report, this.groups, kind);
      if (arrows.empty) continue;
      this.arrows.push(arrows);
      this.layers.set(layer, [arrows.object]);
      this.scene.add(arrows.object);
    }
    this.scene.add(this.centre, this.trace.object);
    this.addLights();

    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    // One finger across turns the robot, up and down scrolls the page, which is longer than a phone.
    this.renderer.domElement.style.touchAction = 'pan-y';
    this.controls.addEventListener('change', () => this.draw());
    this.resetCamera();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  has(layer: Layer): boolean {
    if (layer === 'centre') return this.report.poses.centre !== undefined;
    return (this.layers.get(layer)?.length ?? 0) > 0;
  }
  setLayer(layer: Layer, visible: boolean): void {
    for (const object of this.layers.get(layer) ?? []) object.visible = visible;
    this.show(this.t);
  }
  setTrace(point: TracePoint | undefined): void {
    this.trace.set(this.report, this.report.poses, point);
    this.show(this.t);
  }

  show(t: number): void {
    this.t = t;
    this.pose(this.report.poses, this.groups, t);
    for (const ghost of this.ghosts) if (ghost.root.visible) this.pose(ghost.track, ghost.groups, t);
    centreAt(this.report.poses, t, this.centre.position);
    this.trace.show(t);
    this.beams.show(t);
    for (const arrows of this.arrows) arrows.show(t);
    this.draw();
  }

  /** For tests: where the frame of a body stands. */
  robotPlace = (body: string): number[] => {
    const k = this.report.robot.bodies.indexOf(body);
    return k < 0 ? [] : this.groups[k].position.toArray();
  };

  /** For tests: directions of the force arrows that are seen, by kind. */
  arrowDirections(): Record<string, number[][]> {
    return Object.fromEntries(this.arrows.map((a) => [a.kind, a.directions()]));
  }

  redraw(): void {
    this.show(this.t);
  }

  draw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => void this.render());
  }

  private async render(): Promise<void> {
    await (this.compiled ??= this.compile());
    this.wanted = false;
    const begin = performance.now();
    this.closures.update();
    this.elements.update();
    this.renderer.render(this.scene, this.camera);
    this.lastDraw = performance.now() - begin;
    ++this.draws;
  }

  /** The page shows its plots meanwhile: shaders compile beside it where that can be, else after it. */
  private compile(): Promise<unknown> {
    if (this.renderer.getContext().getExtension('KHR_parallel_shader_compile'))
      return this.renderer.compileAsync(this.scene, this.camera);
    return new Promise((done) => setTimeout(done));
  }

  resetCamera(): void {
    const centre = this.bounds.getCenter(new THREE.Vector3());
    const direction = new THREE.Vector3(0.62, -0.68, 0.38).normalize();
    let distance = Math.max(this.bounds.getSize(new THREE.Vector3()).length(), 1e-6);
    // As near as all that moves allows, and in the middle; with room for the switches above.
    for (let k = 0; k < 10; ++k) {
      this.camera.near = distance / 100;
      this.camera.far = distance * 30;
      this.camera.position.copy(centre).addScaledVector(direction, distance);
      this.camera.lookAt(centre);
      this.camera.updateProjectionMatrix();
      this.camera.updateMatrixWorld();
      const seen = new THREE.Box3().setFromPoints(this.extent.map((point) => point.clone().project(this.camera)));
      const middle = seen.getCenter(new THREE.Vector3()), half = seen.getSize(new THREE.Vector3()).divideScalar(2);
      const tall = distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
      const across = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
      const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
      centre.addScaledVector(across, middle.x * tall * this.camera.aspect).addScaledVector(up, (middle.y + 0.06) * tall);
      distance *= Math.max(half.x / 0.9, half.y / 0.82, 1e-3);
    }
    this.controls.target.copy(centre);
    this.controls.update();
    this.draw();
  }

  private addRobot(look: Look): {root: THREE.Group; groups: THREE.Group[]} {
    const groups = bodyGroups(this.report.robot, look), root = new THREE.Group();
    root.add(...groups);
    this.scene.add(root);
    return {root, groups};
  }
  private addGhost(track: Track, look: Look): THREE.Object3D {
    const {root, groups} = this.addRobot(look);
    this.ghosts.push({track, groups, root});
    return root;
  }

  private pose(track: Track, groups: THREE.Group[], t: number): void {
    for (let body = 1; body < groups.length; ++body)
      bodyPose(track, groups.length, body, t, groups[body].position, groups[body].quaternion);
  }

  /** The extent of the robot over some of its records. */
  private measure(): void {
    const time = this.report.time, count = Math.min(time.length, 24);
    for (let k = 0; k < count; ++k) {
      this.pose(this.report.poses, this.groups, time[Math.floor(k * (time.length - 1) / Math.max(count - 1, 1))]);
      for (const group of this.modes ? [...this.groups, this.modes.object] : this.groups) {
        const box = new THREE.Box3().setFromObject(group, true);
        if (box.isEmpty()) continue;
        this.bounds.union(box);
        for (const x of [box.min.x, box.max.x])
          for (const y of [box.min.y, box.max.y])
            for (const z of [box.min.z, box.max.z]) this.extent.push(new THREE.Vector3(x, y, z));
      }
    }
    if (this.extent.length === 0) this.extent.push(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
    if (this.bounds.isEmpty()) this.bounds.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
  }

  private addGround(): THREE.Object3D[] {
    const extent = this.bounds.getSize(new THREE.Vector3()).length();
    const cell = 10 ** Math.round(Math.log10(extent / 12));
    const cells = 2 * Math.ceil(0.9 * extent / cell);
    const level = this.groundLevel(extent);
    const grid = new THREE.GridHelper(cells * cell, cells, 0x7f8a96, 0x8f99a5);
    grid.rotation.x = Math.PI / 2;
    grid.position.z = level;
    const material = grid.material as THREE.Material;
    material.transparent = true;
    material.opacity = 0.35;
    material.depthWrite = false;
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(cells * cell, cells * cell),
                                  new THREE.ShadowMaterial({opacity: 0.22}));
    ground.receiveShadow = true;
    ground.position.z = level - 1e-3 * extent;
    this.scene.add(grid, ground);
    return level < 0 ? [grid, ground, this.addColumn(level)] : [grid, ground];
  }

  /** The world's plane z = 0, or lower where the robot reaches below it. */
  private groundLevel(extent: number): number {
    const lowest = this.bounds.min.z;
    if (lowest > -0.12 * extent) return 0;
    this.bounds.min.z = lowest - 0.08 * extent;
    return this.bounds.min.z;
  }

  /** What the world's part of the robot stands on then; one that stands upright is on a wall. */
  private addColumn(level: number): THREE.Object3D {
    const foot = new THREE.Box3().expandByObject(this.groups[0]);
    const column = new THREE.Group();
    if (!foot.isEmpty() && foot.min.z - level > foot.max.z - foot.min.z) {
      const height = foot.min.z - level, radius = 0.035 * this.report.robot.reach;
      const material = new THREE.MeshLambertMaterial({color: 0x7c8691});
      const post = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, height, 32).rotateX(Math.PI / 2), material);
      const plate = new THREE.Mesh(new THREE.CylinderGeometry(3 * radius, 3 * radius, 0.3 * radius, 48).rotateX(Math.PI / 2), material);
      const centre = foot.getCenter(new THREE.Vector3());
      post.position.set(centre.x, centre.y, level + height / 2);
      plate.position.set(centre.x, centre.y, level + 0.15 * radius);
      post.castShadow = plate.castShadow = plate.receiveShadow = true;
      column.add(post, plate);
      for (const dx of [-3 * radius, 3 * radius])
        for (const dy of [-3 * radius, 3 * radius]) this.extent.push(new THREE.Vector3(centre.x + dx, centre.y + dy, level));
    }
    this.scene.add(column);
    return column;
  }

  private addLights(): void {
    const centre = this.bounds.getCenter(new THREE.Vector3());
    const radius = this.bounds.getSize(new THREE.Vector3()).length();
    const sky = new THREE.HemisphereLight(0xffffff, 0x8d99a8, 1.7);
    sky.position.set(0, 0, 1);
    const sun = new THREE.DirectionalLight(0xffffff, 2.3);
    sun.position.copy(centre).add(new THREE.Vector3(0.5, -0.7, 1.6).multiplyScalar(radius));
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 4;
    sun.shadow.bias = -1e-3;
    sun.shadow.normalBias = 0.012 * radius;
    const camera = sun.shadow.camera;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = 0.1 * radius;
    camera.far = 4 * radius;
    this.scene.add(sky, sun, sun.target);
  }

  private resize(): void {
    const width = this.host.clientWidth, height = this.host.clientHeight;
    if (width === 0 || height === 0) return;
    const fresh = this.camera.aspect === 1;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (fresh) this.resetCamera();
    this.draw();
  }
}
