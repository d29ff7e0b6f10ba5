// Elements with text set as text: names from files are never read as HTML.

type Attributes = Record<string, string | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value === true) node.setAttribute(name, '');
    else if (value !== false) node.setAttribute(name, value);
  node.append(...content);
  return node;
}

/** A drawing of 16 x 16 from a path. */
export function icon(path: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(space, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

export function button(label: string, path: string, act: () => void): HTMLButtonElement {
  const node = element('button', {type: 'button', title: label, 'aria-label': label}, icon(path));
  node.addEventListener('click', act);
  return node;
}
