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
  ['Simulated', ['t'], 's'],
  ['Records', ['records'], ''],
  ['Integrator', ['integrator', 'method'], ''],
  ['Relative tolerance', ['integrator', 'rtol'], ''],
  ['Steps', ['steps'], ''],
  ['Rejected', ['rejected'], ''],
  ['Evaluations', ['evaluations'], ''],
  ['Computed in', ['wall_seconds'], 's'],
  ['Energy drift', ['drift', 'energy'], 'J'],
  ['Relative drift', ['drift', 'energy_relative'], ''],
  ['Work of efforts', ['work', 'efforts'], 'J'],
  ['Dissipated', ['work', 'dissipated'], 'J'],
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

function peaks(report: Report, player: Player): HTMLElement {
  const body = element('tbody');
  const groups = new Map<string, Channel[]>();
  for (const channel of report.channels) groups.set(channel.group, [...groups.get(channel.group) ?? [], channel]);
  for (const channel of report.channels) {
    if (isSilent(channel, groups.get(channel.group)!)) continue;
    const row = element('tr', {},
        element('th', {scope: 'row'}, channel.name),
        element('td', {class: 'unit'}, unitText(channel.unit)),
        element('td', {}, number(channel.least)), element('td', {}, jump(player, channel.t_least)),
        element('td', {}, number(channel.greatest)), element('td', {}, jump(player, channel.t_greatest)),
        element('td', {}, limitText(channel)),
        element('td', {}, channel.records_over ? `exceeded in ${channel.records_over} records` : ''));
    if (channel.records_over) row.classList.add('over');
    body.append(row);
  }
  const titles = ['Channel', 'Unit', 'Least', 'at', 'Greatest', 'at', 'Limits', ''];
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

/** Lists of objects in the summary (verification, operation counts) become tables. */
function tables(report: Report): HTMLElement[] {
  const out: HTMLElement[] = [];
  for (const [name, value] of Object.entries(report.summary)) {
    if (name === 'events' || !Array.isArray(value) || value.length === 0 || !value.every(isFields)) continue;
    const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
    out.push(element('h2', {}, name), element('div', {class: 'scroll', tabindex: '0'}, element('table', {},
        element('thead', {}, element('tr', {}, ...columns.map((c) => element('th', {scope: 'col'}, c)))),
        element('tbody', {}, ...value.map((row) => element('tr', {},
            ...columns.map((c) => element('td', {}, text(row[c])))))))));
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
  return [element('details', {}, element('summary', {}, 'All of the summary'),
                  element('div', {class: 'scroll', tabindex: '0'}, element('table', {}, element('tbody', {}, ...rows))))];
}

/** Meshes that could not be drawn. */
export function leftOut(report: Report): HTMLElement[] {
  return report.robot.left_out.map((note) => element('p', {class: 'note'}, `Not drawn: ${note}`));
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
  node.append(...events(report, player), ...tables(report), ...everything(report));
  return node;
}
