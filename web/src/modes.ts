// Mode shapes: the frame of the structure swinging in one of its modes, a list of frequencies, an amplitude,
// and, for a sweep, a slider through its steps with the frequencies plotted against the parameter.
import * as THREE from 'three';
import uPlot from 'uplot';
import {bytes, type ModesData} from './data';
import {element} from './dom';
import {number} from './format';
import {guideLine, Tube} from './tube';

const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#7f7f7f', '#b8a800'];

interface Step {
  label: string;
  value: number;
  nodes: Float32Array;
  modes: {hz: number; damping: number; note: string; shape: Float32Array}[];
}

/** The swinging frame in the scene. */
export class ModeFrame {
  readonly object = new THREE.Group();
  step = 0;
  mode = 0;
  amplitude = 1;
  readonly steps: Step[];
  private tubes: {tube: Tube; index: number[]; points: Float32Array}[] = [];
  private guides = new THREE.Group();
  private size: number;

  constructor(data: ModesData, radius: number) {
    const floats = (text: string) => new Float32Array(bytes(text));
    this.steps = data.steps.map((s) => ({...s, nodes: floats(s.nodes), modes: s.modes.map((m) => ({...m, shape: floats(m.shape)}))}));
    const material = new THREE.MeshStandardMaterial({color: 0xe8822e, roughness: 0.5, metalness: 0.15});
    for (const index of data.members) {
      const tube = new Tube(index.length, radius, material);
      this.tubes.push({tube, index, points: new Float32Array(3 * index.length)});
      this.object.add(tube.mesh);
    }
    this.object.add(this.guides);
    const box = new THREE.Box3().setFromArray(this.steps[0].nodes);
    this.size = box.getSize(new THREE.Vector3()).length() || 1;
    this.setStep(0);
  }

  setStep(step: number): void {
    this.step = step;
    this.guides.clear();
    const nodes = this.steps[step].nodes;
    for (const {index} of this.tubes)
      this.guides.add(guideLine(index.flatMap((n) => [nodes[3 * n], nodes[3 * n + 1], nodes[3 * n + 2]])));
    this.show(0);
  }

  /** For tests: the points drawn. */
  places(): number[] {
    return this.tubes.flatMap((t) => Array.from(t.points));
  }

  /** At a phase in radians; the largest displacement is a tenth of the frame's size times the amplitude. */
  show(phase: number): void {
    const {nodes, modes} = this.steps[this.step];
    const shape = modes[Math.min(this.mode, modes.length - 1)]?.shape;
    let most = 0;
    for (let k = 0; shape && k < shape.length; k += 3) most = Math.max(most, Math.hypot(shape[k], shape[k + 1], shape[k + 2]));
    const scale = most > 0 ? 0.1 * this.size * this.amplitude * Math.sin(phase) / most : 0;
    for (const {tube, index, points} of this.tubes) {
      index.forEach((n, k) => {
        for (let axis = 0; axis < 3; ++axis) points[3 * k + axis] = nodes[3 * n + axis] + scale * (shape?.[3 * n + axis] ?? 0);
      });
      tube.set(points);
    }
  }
}

/** The controls beside it. `go` asks for a step of a sweep; the page answers with `set`, whoever asked. */
export function modePanel(frame: ModeFrame, data: ModesData, go: (step: number) => void): {node: HTMLElement; set: (step: number) => void} {
  const list = element('div', {class: 'modes', role: 'radiogroup', 'aria-label': 'Modes'});
  const rows: HTMLButtonElement[] = [];
  const mark = () => rows.forEach((row, k) => row.setAttribute('aria-checked', String(k === frame.mode)));
  const fill = () => {
    list.replaceChildren();
    rows.length = 0;
    frame.steps[frame.step].modes.forEach((mode, k) => {
      const row = element('button', {type: 'button', role: 'radio', class: 'mode'},
          element('span', {class: 'name'}, `Mode ${k + 1}`), element('output', {}, `${number(mode.hz, 6)} Hz`),
          element('span', {class: 'note'}, mode.note || (mode.damping ? `damping ${number(100 * mode.damping, 3)} %` : '')));
      row.addEventListener('click', () => { frame.mode = k; mark(); });
      rows.push(row);
      list.append(row);
    });
    mark();
  };
  const amplitude = element('input', {type: 'range', min: '0', max: '4', step: 'any', 'aria-label': 'Amplitude'});
  amplitude.value = '1';
  amplitude.addEventListener('input', () => { frame.amplitude = Number(amplitude.value); });
  const section = element('section', {class: 'sliders', 'aria-label': 'Modes'}, element('h2', {}, 'Modes'), list,
                          element('label', {}, element('span', {class: 'name'}, 'Amplitude'), element('output', {}), amplitude));
  fill();
  let set: ((step: number) => void) | undefined;
  if (frame.steps.length > 1) {
    const shown = element('output', {}, frame.steps[0].label);
    const range = element('input', {type: 'range', min: '0', max: String(frame.steps.length - 1), step: '1', 'aria-label': data.parameter});
    range.value = '0';
    const host = element('div', {class: 'plot'});
    range.addEventListener('input', () => go(Number(range.value)));
    set = (step) => {
      if (step === frame.step) return;
      frame.setStep(step);
      range.value = String(step);
      shown.textContent = frame.steps[step].label;
      fill();
    };
    section.append(element('label', {}, element('span', {class: 'name'}, data.parameter), shown, range), host);
    requestAnimationFrame(() => sweepPlot(frame, data, host));
  }
  return {node: section, set: (step) => set?.(step)};
}

function sweepPlot(frame: ModeFrame, data: ModesData, host: HTMLElement): void {
  const count = Math.max(...frame.steps.map((s) => s.modes.length));
  const style = getComputedStyle(document.documentElement);
  const ink = () => style.getPropertyValue('--muted').trim(), line = () => style.getPropertyValue('--line').trim();
  const axis: uPlot.Axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1, size: 5}, font: '12px system-ui, sans-serif'};
  const series: uPlot.Series[] = [{label: data.parameter}];
  const columns: (number | null)[][] = [frame.steps.map((s) => s.value)];
  for (let k = 0; k < count; ++k) {
    series.push({label: `mode ${k + 1}`, stroke: palette[k % palette.length], width: 1.7});
    columns.push(frame.steps.map((s) => s.modes[k]?.hz ?? null));
  }
  new uPlot({width: host.clientWidth, height: 240, scales: {x: {time: false}}, legend: {show: false}, series,
             axes: [{...axis, label: data.parameter, labelSize: 22}, {...axis, label: 'Hz', labelSize: 22, size: 60}]},
            columns as uPlot.AlignedData, host);
}

/** Swings until the page is closed; Space stops and starts. */
export function swing(frame: ModeFrame, draw: () => void): {toggle: () => void; playing: () => boolean} {
  let playing = true, begin = performance.now(), phase = 0;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const step = (now: number) => {
    if (playing) {
      phase += 2 * Math.PI * 0.8 * (now - begin) / 1000;
      frame.show(phase);
      draw();
    }
    begin = now;
    requestAnimationFrame(step);
  };
  if (still) { playing = false; frame.show(Math.PI / 2); }
  requestAnimationFrame(step);
  return {toggle: () => { playing = !playing; }, playing: () => playing};
}
