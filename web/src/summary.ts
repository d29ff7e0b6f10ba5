// Tables: how the run went, the peaks of its channels, limits exceeded, and all else that the summary of the
// run holds.
import type {Channel, Report} from './data';
import {element} from './dom';
import {isSilent} from './downloads';
import {number, seconds, unitText} from './format';
import type {Player} from './player';

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(fields: unknown, ...path: string[]): unknown {
  let value = fields;
  for (const key of path) value = isFields(value) ? value[key] : undefined;
  return value;
}

function text(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toLocaleString('en').replace(/,/g, '\u202f') : number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(text).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Name, path in summary.json, unit. */
const facts: [string, string[], string][] = [
  ['Simulated time', ['t'], 's'],
  ['Records', ['records'], ''],
  ['Integrator', ['integrator', 'method'], ''],
  ['Relative tolerance', ['integrator', 'rtol'], ''],
  ['Steps', ['steps'], ''],
  ['Rejected steps', ['rejected'], ''],
  ['Evaluations', ['evaluations'], ''],
  ['Computing time', ['wall_seconds'], 's'],
  ['Energy drift', ['drift', 'energy'], 'J'],
  ['Relative drift', ['drift', 'energy_relative'], ''],
  ['Work of efforts', ['work', 'efforts'], 'J'],
  ['Dissipated energy', ['work', 'dissipated'], 'J'],
];

export function factList(report: Report): HTMLElement {
  const list = element('dl', {class: 'facts'});
  const add = (name: string, value: string, kind = '') =>
    list.append(element('div', {class: kind}, element('dt', {}, name), element('dd', {}, value)));
  const complete = at(report.summary, 'complete');
  if (typeof complete === 'boolean') {
    const reason = text(at(report.summary, 'reason'));
    add('Run', complete ? 'complete' : reason, complete ? 'good' : 'bad');
  }
  const over = report.channels.filter((c) => c.records_over).length;
  if (report.channels.some((c) => c.limits))
    add('Limits', over ? `${over} exceeded` : 'kept', over ? 'bad' : 'good');
  for (const [name, path, unit] of facts) {
    const value = at(report.summary, ...path);
    if (value !== undefined && value !== null) add(name, text(value) + (unit && ` ${unit}`));
  }
  add('Robot', report.robot.name);
  add('Mass', `${number(report.robot.mass, 4)} kg`);
  add('Degrees of freedom', String(report.robot.speeds));
  return list;
}

function jump(player: Player, t: number): HTMLElement {
  const node = element('button', {type: 'button', class: 'jump', title: 'Go to this time'}, `${seconds(t)} s`);
  node.addEventListener('click', () => player.seek(t));
  return node;
}

function limitText(channel: Channel): string {
  if (!channel.limits) return '';
  const [low, high] = channel.limits;
  if (low !== null && high !== null && low === -high) return `±${number(high, 4)}`;
  return `${low === null ? '' : number(low, 4)} … ${high === null ? '' : number(high, 4)}`;
}

/** Zero where it is only the rounding of numbers as large as the other one. */
function beside(value: number, other: number): number {
  return Math.abs(value) < 1e-9 * Math.abs(other) ? 0 : value;
}

function peaks(report: Report, player: Player): HTMLElement {
  const body = element('tbody');
  const groups = new Map<string, Channel[]>();
  for (const channel of report.channels) groups.set(channel.group, [...groups.get(channel.group) ?? [], channel]);
  for (const channel of report.channels) {
    if (isSilent(channel, groups.get(channel.group)!)) continue;
    const row = element('tr', {},
        element('th', {scope: 'row'}, channel.name),
        element('td', {class: 'unit'}, unitText(channel.unit)),
        element('td', {}, number(beside(channel.least, channel.greatest))), element('td', {}, jump(player, channel.t_least)),
        element('td', {}, number(beside(channel.greatest, channel.least))), element('td', {}, jump(player, channel.t_greatest)),
        element('td', {}, limitText(channel)),
        element('td', {}, channel.records_over ? `exceeded in ${channel.records_over} records` : ''));
    if (channel.records_over) row.classList.add('over');
    body.append(row);
  }
  const titles = ['Channel', 'Unit', 'Minimum', 'at', 'Maximum', 'at', 'Limits', ''];
  return element('div', {class: 'scroll', tabindex: '0'}, element('table', {},
      element('thead', {}, element('tr', {}, ...titles.map((t) => element('th', {scope: 'col'}, t)))), body));
}

/** Efforts of passive joints and the like. */
function silentChannels(report: Report): string[] {
  return report.channels.filter((c) => isSilent(c, report.channels.filter((other) => other.group === c.group))).map((c) => c.name);
}

function events(report: Report, player: Player): HTMLElement[] {
  const list = at(report.summary, 'events');
  if (!Array.isArray(list) || list.length === 0) return [];
  return [element('h2', {}, 'Events'), element('ul', {class: 'events'}, ...list.filter(isFields).map(
      (event) => element('li', {}, jump(player, Number(event.t)), ` ${text(event.name)}`)))];
}

/** Tables that every run has: headings and, by key, what the columns are called. */
const known: Record<string, {title: string; columns: Record<string, string>}> = {
  motors: {title: 'Motors', columns: {
    name: 'Motor', unit: 'Unit', peak_effort: 'Peak effort', peak_effort_t: 'at', rms_effort: 'RMS', peak_speed: 'Peak speed', peak_speed_t: 'at',
    rms_speed: 'RMS', peak_power: 'Peak power [W]', peak_power_t: 'at', rms_power: 'RMS [W]', energy_taken: 'Energy taken [J]', energy_given_back: 'Energy given back [J]'}},
  bearings: {title: 'Bearings', columns: {
    joint: 'Joint', closes_loop: '', peak_force: 'Peak force [N]', peak_force_t: 'at', peak_moment: 'Peak moment [N m]', peak_moment_t: 'at'}},
  outside_limits: {title: 'Time outside limits', columns: {
    name: 'Joint', position: 'Position [s]', speed: 'Speed [s]', effort: 'Effort [s]', first: 'First at'}},
};

/** Of bearings, only those that carry something beyond rounding. */
function rowsOf(name: string, rows: Fields[]): Fields[] {
  if (name !== 'bearings') return rows;
  const most = (key: string) => Math.max(0, ...rows.map((row) => Number(row[key]) || 0));
  const force = most('peak_force'), moment = most('peak_moment');
  return rows.filter((row) => Number(row.peak_force) > 1e-9 * force || Number(row.peak_moment) > 1e-9 * moment);
}

/** Lists of objects in the summary (motors, bearings, verification) become tables. */
function tables(report: Report, player: Player): HTMLElement[] {
  const out: HTMLElement[] = [];
  const cell = (key: string, value: unknown): Node | string => {
    if (key === 'closes_loop') return value === true ? 'closes a loop' : '';
    if ((key.endsWith('_t') || key === 'first') && typeof value === 'number') return jump(player, value);
    if (key === 'unit') return unitText(text(value));
    return typeof value === 'number' ? number(value) : text(value);
  };
  for (const [name, value] of Object.entries(report.summary)) {
    if (name === 'events' || !Array.isArray(value) || value.length === 0 || !value.every(isFields)) continue;
    const table = Object.prototype.hasOwnProperty.call(known, name) ? known[name] : undefined, rows = rowsOf(name, value);
    if (rows.length === 0) continue;
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    out.push(element('h2', {}, table?.title ?? name), element('div', {class: 'scroll', tabindex: '0'}, element('table', {},
        element('thead', {}, element('tr', {}, ...columns.map((c) => element('th', {scope: 'col'}, table?.columns[c] ?? c)))),
        element('tbody', {}, ...rows.map((row) => element('tr', {},
            ...columns.map((c, k) => k === 0 ? element('th', {scope: 'row'}, text(row[c]))
                                             : element('td', c === 'unit' ? {class: 'unit'} : {}, cell(c, row[c])))))))));
    if (name === 'bearings' && report.summary.bearings_unique === false)
      out.push(element('p', {class: 'note'}, 'Closures are redundant: the loads are not unique. Shown are those for which the closing joints carry least.'));
  }
  return out;
}

function everything(report: Report): HTMLElement[] {
  const rows: HTMLElement[] = [];
  const add = (prefix: string, fields: Fields) => {
    for (const [key, value] of Object.entries(fields)) {
      if (isFields(value)) add(`${prefix}${key}.`, value);
      else if (key !== 'channels' && !(Array.isArray(value) && value.every(isFields)))
        rows.push(element('tr', {}, element('th', {scope: 'row'}, prefix + key), element('td', {class: 'words'}, text(value))));
    }
  };
  add('', report.summary);
  if (rows.length === 0) return [];
  return [element('details', {}, element('summary', {}, 'Complete summary'),
                  element('div', {class: 'scroll', tabindex: '0'}, element('table', {}, element('tbody', {}, ...rows))))];
}

/** Meshes that could not be drawn: one alone is named, several are counted and listed on demand. */
export function leftOut(report: Report): HTMLElement[] {
  const notes = report.robot.left_out;
  if (notes.length === 0) return [];
  if (notes.length === 1) return [element('p', {class: 'note'}, `Not drawn: ${notes[0]}`)];
  return [element('details', {class: 'note left-out'}, element('summary', {}, `${notes.length} meshes are not drawn`),
                  element('ul', {}, ...notes.map((note) => element('li', {}, note))))];
}

export function summary(report: Report, player: Player): HTMLElement {
  const node = element('section', {class: 'summary', 'aria-label': 'Summary'}, element('h2', {}, 'Summary'), factList(report));
  node.append(...leftOut(report));
  if (!report.moves)
    node.append(element('p', {class: 'note'}, 'The run does not hold all coordinates q; those missing are drawn as zero.'));
  if (report.channels.length > 0) node.append(element('h2', {}, 'Peaks'), peaks(report, player));
  const silent = silentChannels(report);
  if (silent.length > 0)
    node.append(element('p', {class: 'note silent'}, `Not shown, because they are zero all the time: ${silent.join(', ')}.`));
  node.append(...events(report, player), ...tables(report, player), ...everything(report));
  return node;
}
