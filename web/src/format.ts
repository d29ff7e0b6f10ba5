// Numbers for people.

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

export function number(x: number, digits = 5): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e6) {
    const text = x.toPrecision(digits);
    return (text.includes('e') ? Math.round(x).toString() : text).replace('-', '−');
  }
  const [mantissa, power] = x.toExponential(Math.max(digits - 2, 0)).split('e');
  const up = power.replace('+', '').replace('-', '⁻').replace(/\d/g, (d) => superscripts[Number(d)]);
  return `${mantissa.replace('-', '−')}·10${up}`;
}

/** A long name shortened inside: names in a row often differ at their ends. */
export function shortName(name: string, most = 26): string {
  const letters = [...name], head = Math.floor((most - 1) / 2);
  return letters.length <= most ? name : `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (most - 1 - head)).join('')}`;
}

export function seconds(t: number): string {
  return t.toFixed(3);
}

const headings: Record<string, string> = {
  q: 'Coordinates', v: 'Speeds', a: 'Accelerations', tau: 'Efforts', energy: 'Energy', power: 'Power',
  momentum: 'Momentum', reference: 'Reference', constraint: 'Constraint',
};

export function heading(group: string): string {
  if (group.startsWith('frame.')) return `Frame ${group.slice(6)}`;
  if (group.startsWith('reaction.')) return `Reaction of ${group.slice(9)}`;
  if (group.startsWith('external.')) return `Wrench on ${group.slice(9)}`;
  return Object.prototype.hasOwnProperty.call(headings, group) ? headings[group] : group;
}

export function unitText(unit: string): string {
  return unit === '' || unit === '1' ? '' : unit.replace('Nm', 'N m').replace('^2', '²');
}
