import { FAMILY, isDrawable, sizeFor, WEIGHTS, withPlainEmoji } from '#pictures/fonts/faces';
import { BADGE_SIZE } from '#pictures/shown/pictures';
import type { PicturedBadge } from '#pictures/shown/rank-card';
import { badgeInitials } from '#reputation';
import { BADGE_COLOURS } from './palette.ts';
import { coordinate as c, dataUri, escapeXml } from './svg.ts';

/** A badge without a picture: initials on its tier's colour and a pattern of its own. */
export function badgeSvg(badge: PicturedBadge): string {
  const { width: size, height } = BADGE_SIZE;
  const disc = badgeDisc(badge, undefined, { x: 0, y: 0, size, id: 'badge' });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${height}" viewBox="0 0 ${size} ${height}" font-family="${FAMILY}">${disc}</svg>`;
}

/** Font sizes of the initials, for a badge one unit wide. */
const SIZES = [0.36, 0.34, 0.28, 0.24] as const;
const ROOM = 0.74;

/**
 * A badge as a disc: its picture, or its initials on its tier's colour and a pattern of its own.
 * @param png square, re-encoded by us; undefined to draw initials
 * @param id unique in the picture
 */
export function badgeDisc(
  badge: PicturedBadge,
  png: Uint8Array | undefined,
  place: { readonly x: number; readonly y: number; readonly size: number; readonly id: string },
): string {
  const { x, y, size, id } = place;
  const half = size / 2;
  const [rim, centre] = BADGE_COLOURS[badge.tier];
  const disc = (inset: number, fill: string) =>
    `<circle cx="${c(x + half)}" cy="${c(y + half)}" r="${c(half - inset)}" fill="${fill}"/>`;
  const ring = size * 0.06;
  if (png === undefined) {
    const motif = badgeMotif(badge.id, { x, y, size, ring }, id);
    return disc(0, rim) + disc(ring, centre) + motif + initials(badge, place);
  }
  const inner = size - ring * 2;
  return `<clipPath id="${id}">${disc(ring, '#000')}</clipPath>${disc(0, rim)}${disc(ring, '#ffffff')}
<image clip-path="url(#${id})" x="${c(x + ring)}" y="${c(y + ring)}" width="${c(inner)}" height="${c(inner)}" preserveAspectRatio="xMidYMid slice" href="${dataUri(png)}"/>`;
}

function initials(
  badge: PicturedBadge,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): string {
  const letters = drawnInitials(badge.name);
  const fontSize = sizeFor(letters, size * ROOM, sized(size), 'bold');
  return `<text x="${c(x + size / 2)}" y="${c(y + size / 2 + fontSize * 0.36)}" text-anchor="middle" font-family="${FAMILY}" font-weight="${WEIGHTS.bold}" font-size="${c(fontSize)}" fill="#ffffff">${escapeXml(letters)}</text>`;
}

function sized(size: number): [number, ...number[]] {
  return SIZES.map((each) => each * size) as [number, ...number[]];
}

/** The badge's initials; a star where the fonts don't have them. */
export function drawnInitials(name: string): string {
  const text = badgeInitials(withPlainEmoji(name));
  return text !== '' && isDrawable(text, 'bold') ? text : '★';
}

/** Darker than the colour of any tier behind it, so white initials stand out even more. */
const SHADE = 'fill="#000000" fill-opacity="0.26"';
const DOT = 'fill="#ffffff" fill-opacity="0.8"';

/** What makes a badge's look its own; each value follows from its id. */
interface Traits {
  readonly motif: number;
  /** Degrees. */
  readonly turn: number;
  /** 0 to 3. */
  readonly density: number;
  readonly dots: number;
}

/** Each fills a disc of radius 1 around 0, and somewhat more. */
const MOTIFS: readonly ((density: number) => string)[] = [
  rays,
  waves,
  stripes,
  rings,
  bubbles,
  scales,
  petals,
];

/**
 * A pattern by a badge's id, so that badges of one tier with the same initials still look different.
 * @param place the disc; `ring` is the width of its rim
 */
function badgeMotif(
  id: string,
  {
    x,
    y,
    size,
    ring,
  }: { readonly x: number; readonly y: number; readonly size: number; readonly ring: number },
  clip: string,
): string {
  const { motif, turn, density, dots } = traitsOf(id);
  const radius = size / 2 - ring;
  const [cx, cy] = [x + size / 2, y + size / 2];
  const pattern = MOTIFS[motif]?.(density) ?? '';
  const at = `translate(${c(cx)} ${c(cy)})`;
  const rim = Array.from({ length: dots }, (_, i) => {
    const angle = ((turn + i * 24) * Math.PI) / 180;
    const far = size / 2 - ring / 2;
    return `<circle cx="${c(cx + far * Math.cos(angle))}" cy="${c(cy + far * Math.sin(angle))}" r="${c(ring * 0.32)}" ${DOT}/>`;
  });
  return `<clipPath id="${clip}"><circle cx="${c(cx)}" cy="${c(cy)}" r="${c(radius)}"/></clipPath><g clip-path="url(#${clip})"><g transform="${at} rotate(${turn}) scale(${u(radius)})" ${SHADE}>${pattern}</g></g>${rim.join('')}`;
}

/** The traits of an id: the same on every machine. */
export function traitsOf(id: string): Traits {
  // FNV-1a, then mixed, as ids often differ in their last character alone.
  let hash = 0x811c9dc5;
  for (const each of id) hash = Math.imul(hash ^ (each.codePointAt(0) as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  const take = (choices: number) => {
    const value = hash % choices;
    hash = Math.floor(hash / choices);
    return value;
  };
  return { motif: take(MOTIFS.length), turn: take(24) * 15, density: take(4), dots: take(6) };
}

function rays(density: number): string {
  const count = 5 + density * 2;
  return times(count, (i) => {
    const [from, to] = [i / count, (i + 0.5) / count].map((turn) => turn * 2 * Math.PI) as [
      number,
      number,
    ];
    return `<path d="M0 0L${point(from, 1.2)}L${point(to, 1.2)}Z"/>`;
  });
}

function waves(density: number): string {
  const step = 0.62 - density * 0.08;
  return times(5, (i) => {
    const y = (i - 2) * step;
    const low = y + step * 0.45;
    return `<path d="M-1.2 ${u(y)}Q-0.9 ${u(y - 0.2)} -0.6 ${u(y)}T0 ${u(y)}T0.6 ${u(y)}T1.2 ${u(y)}V${u(low)}Q0.9 ${u(low + 0.2)} 0.6 ${u(low)}T0 ${u(low)}T-0.6 ${u(low)}T-1.2 ${u(low)}Z"/>`;
  });
}

function stripes(density: number): string {
  const step = 0.66 - density * 0.1;
  return times(7, (i) => {
    return `<rect x="-1.2" y="${u((i - 3) * step - step * 0.25)}" width="2.4" height="${u(step * 0.5)}"/>`;
  });
}

function rings(density: number): string {
  const count = 2 + density;
  // Off the middle, so that a turn can be seen.
  return times(count, (i) => {
    const [outer, inner] = [(i + 1) / count, (i + 0.55) / count].map((share) => share * 1.5) as [
      number,
      number,
    ];
    return `<path fill-rule="evenodd" d="${circle(0.45, 0, outer)}${circle(0.45, 0, inner)}"/>`;
  });
}

function bubbles(density: number): string {
  const count = 7 + density * 2;
  return times(count, (i) => {
    // The golden angle spreads them evenly.
    const far = Math.sqrt((i + 0.5) / count);
    const [x, y] = at(i * 2.399963, far);
    return `<circle cx="${u(x)}" cy="${u(y)}" r="${u(0.1 + (0.12 * ((i * 5) % 4)) / 3)}"/>`;
  });
}

function scales(density: number): string {
  const size = 0.5 - density * 0.06;
  return times(6, (row) =>
    times(7, (column) => {
      const x = (column - 3 + (row % 2) / 2) * size;
      const y = (row - 3) * size * 0.75;
      return `<path d="M${u(x - size * 0.42)} ${u(y)}A${u(size * 0.42)} ${u(size * 0.42)} 0 0 0 ${u(x + size * 0.42)} ${u(y)}Z"/>`;
    }),
  );
}

function petals(density: number): string {
  const count = 4 + density;
  return times(count, (i) => {
    return `<ellipse cx="0.6" cy="0" rx="0.5" ry="0.2" transform="rotate(${u((i * 360) / count)})"/>`;
  });
}

function times(count: number, draw: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => draw(i)).join('');
}

function at(angle: number, far: number): [number, number] {
  return [far * Math.cos(angle), far * Math.sin(angle)];
}

function point(angle: number, far: number): string {
  return at(angle, far).map(u).join(' ');
}

function circle(x: number, y: number, r: number): string {
  return `M${u(x - r)} ${u(y)}a${u(r)} ${u(r)} 0 1 0 ${u(2 * r)} 0a${u(r)} ${u(r)} 0 1 0 ${u(-2 * r)} 0Z`;
}

/** A coordinate in a disc of radius 1, which is drawn a hundred times as large. */
function u(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}
