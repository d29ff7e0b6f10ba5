// The page: header, 3D view with its switches, plots, player, summary; keyboard.
import {cameraKeys} from './camera_keys';
import {readReport, type Report} from './data';
import {button, element} from './dom';
import {startFilm} from './film';
import {number, seconds, unitText} from './format';
import {modePanel, swing} from './modes';
import {saveCanvas, saveData} from './downloads';
import {Player} from './player';
import {PlotSet} from './plots';
import {handControls} from './hand';
import {factList, leftOut, summary} from './summary';
import {View3d, type Layer} from './view3d';

const paths = {
  play: 'M4 2.5v11l9-5.5z', pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z', back: 'M11 3v10L5 8zM3.5 3h1.5v10H3.5z',
  ahead: 'M5 3v10l6-5zM11 3h1.5v10H11z', loop: 'M4 5h6.5V3L14 6l-3.5 3V7H5v3H3V6zM12 11H5.5v2L2 10l3.5-3v2H11V6h2v4z',
  home: 'M8 2 1.5 8H3.5v6h3.5v-4h2v4h3.5V8H14.5z', theme: 'M8 1.2a6.8 6.8 0 1 0 0 13.6a6.8 6.8 0 1 0 0-13.6zM8 3v10a5 5 0 0 1 0-10z',
};
const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];
const timeKeys = 5; // the first ones, of no use to a robot without a run
const keys: [string, string][] = [
  ['Space', 'play or pause'], ['← →', 'one record back or forward (Shift: ten)'], ['Home End', 'start, end'],
  ['+ −', 'faster, slower'], ['L', 'loop'], ['R', 'reset the view'],
  ['F A C G', 'frames, joint axes, centre of mass, commanded pose'], ['W', 'show reactions as arrows'], ['D', 'dark or light colours'], ['Tab to the robot', 'arrow keys rotate the view, with Shift they pan it; + − zoom'],
  ['?', 'this list'],
];

function playerBar(player: Player): HTMLElement {
  const range = element('input', {type: 'range', min: String(player.start), max: String(player.end), step: 'any',
                                  class: 'scrub', 'aria-label': 'Time'});
  const readout = element('output', {class: 'time'});
  const play = button('Play (Space)', paths.play, () => player.toggle());
  play.classList.add('play');
  const loop = button('Loop (L)', paths.loop, () => player.setLoop(!player.loop));
  const speed = element('select', {'aria-label': 'Speed', title: 'Speed (+ and −)'},
                        ...speeds.map((s) => element('option', {value: String(s)}, `${s}×`)));
  speed.addEventListener('change', () => player.setSpeed(Number(speed.value)));
  range.addEventListener('input', () => player.seek(Number(range.value)));
  player.onTime((t) => {
    range.value = String(t);
    range.style.setProperty('--done', `${100 * (t - player.start) / (player.end - player.start || 1)}%`);
    readout.textContent = `${seconds(t)} / ${seconds(player.end)} s`;
  });
  player.onState(() => {
    play.querySelector('path')!.setAttribute('d', player.playing ? paths.pause : paths.play);
    play.setAttribute('aria-label', player.playing ? 'Pause (Space)' : 'Play (Space)');
    play.title = play.getAttribute('aria-label')!;
    loop.setAttribute('aria-pressed', String(player.loop));
    speed.value = String(player.speed);
  });
  return element('footer', {class: 'player'}, button('Back one record (←)', paths.back, () => player.step(-1)), play,
                 button('Forward one record (→)', paths.ahead, () => player.step(1)), range, readout, speed, loop);
}

function switches(view: View3d, report: Report): {node: HTMLElement; toggle: (layer: Layer) => void} {
  const node = element('div', {class: 'switches'});
  const boxes = new Map<Layer, HTMLInputElement>();
  const layers: [Layer, string, boolean][] = [
    ['grid', 'Ground', true], ['frames', 'Frames', false], ['axes', 'Joint axes', false], ['loops', 'Loop closures', false],
    ['centre', 'Centre of mass', false], ['reactions', 'Reactions', false], ['externals', 'Wrenches', true], ['guides', 'Undeformed', true],
    ['ghost', 'Commanded', true], ['other', report.others.map((run) => run.title).join(', '), true],
  ];
  for (const [layer, name, on] of layers) {
    if (!view.has(layer)) continue;
    const box = element('input', {type: 'checkbox'});
    box.checked = on;
    box.addEventListener('change', () => view.setLayer(layer, box.checked));
    boxes.set(layer, box);
    node.append(element('label', {class: layer}, box, name));
    view.setLayer(layer, on);
  }
  if (!view.beams.empty) {
    const scale = element('input', {type: 'range', min: '0', max: '20', step: 'any', 'aria-label': 'Scale of deflections', title: 'Scale of deflections'});
    scale.value = '1';
    const shown = element('output', {}, '×1');
    scale.addEventListener('input', () => {
      view.beams.scale = Number(scale.value);
      shown.textContent = `×${Number(scale.value).toPrecision(2)}`;
      view.redraw();
    });
    node.append(element('label', {class: 'deflection'}, 'Deflection', scale, shown));
  }
  if (report.time.length > 1) {
    const choice = element('select', {'aria-label': 'Trace of a point'}, element('option', {value: '-1'}, 'no trace'),
        ...view.points.map((p, k) => element('option', {value: String(k)}, `trace: ${p.name}`)));
    choice.addEventListener('change', () => view.setTrace(view.points[Number(choice.value)]));
    choice.value = String(view.points.findIndex((p) => p.name === report.robot.tip));
    view.setTrace(view.points[Number(choice.value)]);
    node.append(choice);
  }
  return {node, toggle: (layer) => boxes.get(layer)?.click()};
}

function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark' ||
    (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
}

function help(still: boolean): HTMLDialogElement {
  const useful = still ? keys.slice(timeKeys) : keys;
  const close = element('button', {type: 'button'}, 'Close');
  const dialog = element('dialog', {'aria-label': 'Keys'}, element('h2', {}, 'Keys'),
      element('dl', {class: 'keys'}, ...useful.flatMap(([key, what]) => [element('dt', {}, key), element('dd', {}, what)])),
      element('p', {class: 'note'}, `${still ? '' : 'Drag in a plot to zoom in time, double-click to show everything, click to go to a time. '}Drag the robot to rotate it; drag with the right button or two fingers to pan.`),
      close);
  close.addEventListener('click', () => dialog.close());
  return dialog;
}

/** Without WebGL there is no robot, but everything else. */
function viewOf(report: Report, stage: HTMLElement): View3d | undefined {
  try {
    return new View3d(report, stage);
  } catch (error) {
    console.warn(error);
    stage.replaceChildren(element('p', {class: 'failure', role: 'status'},
        'The robot cannot be drawn: this browser has no WebGL, or it is switched off.' + (report.kind === 'run' ? ' Plots, data and summary are complete.' : '')));
    return undefined;
  }
}

/** What can be said of a robot or of its modes without drawing it. */
function withoutView(report: Report): HTMLElement[] {
  const table = (titles: string[], rows: string[][]) => element('div', {class: 'summary'}, element('div', {class: 'scroll', tabindex: '0'},
      element('table', {}, element('thead', {}, element('tr', {}, ...titles.map((t) => element('th', {scope: 'col'}, t)))),
              element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map((c, k) => element(k ? 'td' : 'th', k ? {} : {scope: 'row'}, c))))))));
  const shown = (x: number | null) => x === null ? '–' : number(x);
  const out: HTMLElement[] = [factList(report)];
  if (report.sliders)
    out.push(table(['Joint', 'Unit', 'Position', 'Lower limit', 'Upper limit'],
                   report.sliders.coordinates.map((c) => [c.name, unitText(c.unit), number(Math.abs(c.value) < 1e-12 ? 0 : c.value), shown(c.lower), shown(c.upper)])));
  for (const step of report.modes?.steps ?? [])
    out.push(table([step.label ? `Mode, ${step.label}` : 'Mode', 'Frequency [Hz]'], step.modes.map((m, k) => [`${k + 1}`, number(m.hz, 6)])));
  return out;
}

function savings(report: Report, view: View3d | undefined): HTMLElement[] {
  const make = (name: string, title: string, act: () => void) => {
    const node = element('button', {type: 'button', class: 'save', title}, name);
    node.addEventListener('click', act);
    return node;
  };
  const out: HTMLElement[] = [];
  if (report.channels.length > 0) out.push(make('CSV', 'Save the data of the run', () => saveData(report)));
  if (view) out.push(make('PNG', 'Save a picture of the robot', () => saveCanvas(view.renderer.domElement, report.title)));
  return out;
}

function start(report: Report, app: HTMLElement): void {
  const player = new Player(report.time);
  const still = report.time.length < 2 || !!report.modes; // steps of a sweep are no times to play
  const stage = element('div', {class: 'stage'});
  const side = element('div', {class: 'side'});
  const keysDialog = help(still);
  const theme = button('Dark or light (D)', paths.theme, () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    plots.redraw();
  });
  const helpButton = element('button', {type: 'button', title: 'Keys (?)', 'aria-label': 'Keys'}, '?');
  helpButton.addEventListener('click', () => keysDialog.showModal());
  const header = element('header', {}, element('h1', {}, report.title),
      element('p', {}, [report.robot.name === report.title ? '' : report.robot.name, report.robot.description].filter((part) => part).join(' · ')),
      element('span', {class: 'tools'}, theme, helpButton));
  app.append(header, element('main', {}, stage, side), keysDialog);

  const plots = new PlotSet(report, player);
  const view = viewOf(report, stage);
  if (!view) app.classList.add('no-view');
  const layers = view && switches(view, report);
  if (view && layers) {
    cameraKeys(view);
    stage.append(layers.node, button('Reset the view (R)', paths.home, () => view.resetCamera()));
    stage.lastElementChild!.classList.add('home');
  }
  header.querySelector('.tools')!.prepend(...savings(report, view));
  const hand = report.sliders && view && handControls(report, view);
  if (hand) side.append(...hand.nodes, factList(report), ...leftOut(report));
  else if (report.kind !== 'run' && !view) side.append(...withoutView(report));
  let swinging: {toggle: () => void} | undefined;
  let panel: {set: (step: number) => void} | undefined;
  if (view?.modes && report.modes) {
    const controls = modePanel(view.modes, report.modes, (step) => player.seek(step));
    panel = controls;
    side.append(controls.node, factList(report));
    swinging = swing(view.modes, () => view.draw());
  }
  if (report.channels.length > 0) side.append(plots.node);
  if (still) app.classList.add('still'); else app.append(playerBar(player));
  if (report.kind === 'run') app.querySelector('main')!.after(summary(report, player));

  player.onTime((t) => {
    panel?.set(Math.round(t)); // the records of a sweep are its steps
    view?.show(t);
  });
  player.setSpeed(1);
  player.seek(player.start);
  hand?.sliders.set(hand.sliders.q); // exactly, where the track is rounded
  plots.start();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plots.redraw());

  const pace = (by: number) => {
    const k = Math.min(Math.max(speeds.indexOf(player.speed) + by, 0), speeds.length - 1);
    player.setSpeed(speeds[k]);
  };
  const actions: Record<string, (e: KeyboardEvent) => void> = {
    ' ': () => swinging ? swinging.toggle() : player.toggle(), ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1), Home: () => player.seek(player.start),
    End: () => player.seek(player.end), '+': () => pace(1), '-': () => pace(-1), l: () => player.setLoop(!player.loop),
    r: () => view?.resetCamera(), f: () => layers?.toggle('frames'), a: () => layers?.toggle('axes'),
    c: () => layers?.toggle('centre'), g: () => layers?.toggle('ghost'), w: () => layers?.toggle('reactions'), d: () => theme.click(),
    '?': () => keysDialog.showModal(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keysDialog.open) return;
    const target = event.target as HTMLElement;
    // What has a use for these keys itself keeps them.
    if (target.matches('select, textarea, input[type=number], input[type=range]:not(.scrub)')) return;
    if (event.key === ' ' && target.matches('button, input[type=checkbox], summary')) return;
    const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });

  // For tests: what is shown, in numbers.
  (window as unknown as {ulna: unknown}).ulna = {report, player, view, plots, hand};
}

const app = document.getElementById('app')!;
try {
  const report = readReport(document.getElementById('data')!.textContent);
  if (report.film) startFilm(report, app); else start(report, app);
} catch (error) {
  app.append(element('p', {class: 'failure'}, `The report cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
  throw error;
}
