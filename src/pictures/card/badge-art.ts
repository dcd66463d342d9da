import { FAMILY, WEIGHTS } from '#pictures/fonts/faces';
import { isDrawable, sizeFor, withPlainEmoji } from '#pictures/fonts/text';
import type { PicturedBadge } from '#pictures/shown/rank-card';
import { badgeInitials } from '#reputation';
import { badgeMotif } from './badge-motif.ts';
import { BADGE_COLOURS } from './palette.ts';
import { coordinate as c, dataUri, escapeXml } from './svg.ts';

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
