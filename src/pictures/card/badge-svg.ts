import type { PicturedBadge } from '#core/pictures/rank-card';
import { FAMILY } from '#pictures/fonts/faces';
import { badgeDisc } from './badge-art.ts';

/** Pixels of a badge's picture, on either side. */
const BADGE_SIZE = 256;

/** A badge without a picture of its own: initials on its tier's colour. */
export function badgeSvg(badge: PicturedBadge): string {
  const disc = badgeDisc(badge, undefined, { x: 0, y: 0, size: BADGE_SIZE, id: 'badge' });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${BADGE_SIZE}" height="${BADGE_SIZE}" viewBox="0 0 ${BADGE_SIZE} ${BADGE_SIZE}" font-family="${FAMILY}">${disc}</svg>`;
}
