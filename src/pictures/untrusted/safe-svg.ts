/** Bytes; icons have a few thousand. */
const SIZE_MAX = 200_000;
const ELEMENTS_MAX = 3_000;
/** Copies of copies multiply; this many make a few hundred at most. */
const USES_MAX = 16;
const DEPTH_MAX = 60;

/** Elements that draw shapes; none that load, run, repeat or blur. */
const ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'metadata', 'style', 'path', 'rect'],
  ...['circle', 'ellipse', 'line', 'polyline', 'polygon', 'lineargradient', 'radialgradient'],
  ...['stop', 'clippath', 'mask', 'text', 'tspan'],
]);

const TAG = /<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>/g;
const OUTSIDE = [
  // Declarations of entities or external style sheets; only the XML declaration may start like this.
  /<!(?!--|\[CDATA\[)/,
  /<\?(?!xml\s)/,
  /@import/i,
  // References to anything but parts of the picture itself.
  /\b(?:href|src)\s*=\s*(?:"\s*[^#"]|'\s*[^#']|[^"'\s])/i,
  /url\(\s*['"]?\s*[^#'"\s]/i,
  /\bon\w+\s*=/i,
];

/**
 * Whether an SVG does nothing but draw. Anything doubtful is refused rather than sanitized: a list of dangers
 * always misses one.
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

/** Whether all elements are known, and not too many or too deeply nested. */
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
  // Tags that the pattern missed.
  return elements > 0 && depth === 0 && (text.match(/<[\w:]/g) ?? []).length === elements;
}

/** Editors' metadata, which nothing draws. */
function isForeign(name: string): boolean {
  return /^(?:sodipodi|inkscape|rdf|cc|dc|sketch):/i.test(name);
}
