/** Bytes; icons have a few thousand. */
const SIZE_MAX = 200_000;
const ELEMENTS_MAX = 3_000;
/** Copies of copies multiply: with this many there are at most some hundred. */
const USES_MAX = 16;
const DEPTH_MAX = 60;

/** What draws shapes; nothing that loads, runs, repeats or blurs. */
const ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'metadata', 'style', 'path', 'rect'],
  ...['circle', 'ellipse', 'line', 'polyline', 'polygon', 'lineargradient', 'radialgradient'],
  ...['stop', 'clippath', 'mask', 'text', 'tspan'],
]);

const TAG = /<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>/g;
const OUTSIDE = [
  // Entities and style sheets from elsewhere; the XML declaration alone may begin like this.
  /<!(?!--|\[CDATA\[)/,
  /<\?(?!xml\s)/,
  /@import/i,
  // References: only to parts of the picture itself.
  /\b(?:href|src)\s*=\s*(?:"\s*[^#"]|'\s*[^#']|[^"'\s])/i,
  /url\(\s*['"]?\s*[^#'"\s]/i,
  /\bon\w+\s*=/i,
];

/**
 * Whether an SVG only draws. Anything doubtful is refused rather than mended: what is left out of a
 * list of dangers would get through.
 */
export function isSafeSvg(file: Buffer): boolean {
  if (file.length > SIZE_MAX) return false;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    return false;
  }
  if (OUTSIDE.some((pattern) => pattern.test(text))) return false;
  return areFew(text.replace(/<!--[\s\S]*?-->/g, ''));
}

/** Whether the elements are known, and neither too many nor too deep. */
function areFew(text: string): boolean {
  let elements = 0;
  let uses = 0;
  let depth = 0;
  for (const [, closing, name = '', , empty] of text.matchAll(TAG)) {
    if (name.includes(':') ? !isForeign(name) : !ELEMENTS.has(name.toLowerCase())) return false;
    if (closing === '/') {
      depth -= 1;
      continue;
    }
    elements += 1;
    if (name.toLowerCase() === 'use') uses += 1;
    if (empty === '') depth += 1;
    if (elements > ELEMENTS_MAX || uses > USES_MAX || depth > DEPTH_MAX) return false;
  }
  // Whatever the pattern for tags has missed.
  return elements > 0 && depth === 0 && (text.match(/<[\w:]/g) ?? []).length === elements;
}

/** Editors' notes, which nothing draws. */
function isForeign(name: string): boolean {
  return /^(?:sodipodi|inkscape|rdf|cc|dc|sketch):/i.test(name);
}
