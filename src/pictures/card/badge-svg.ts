import { FAMILY } from '#pictures/fonts/faces';
import { BADGE_SIZE } from '#pictures/shown/paths';
import type { PicturedBadge } from '#pictures/shown/rank-card';
import { badgeDisc } from './badge-art.ts';

/** A badge without a picture: initials on its tier's colour and a pattern of its own. */
export function badgeSvg(badge: PicturedBadge): string {
  const { width: size, height } = BADGE_SIZE;
  const disc = badgeDisc(badge, undefined, { x: 0, y: 0, size, id: 'badge' });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${height}" viewBox="0 0 ${size} ${height}" font-family="${FAMILY}">${disc}</svg>`;
}
