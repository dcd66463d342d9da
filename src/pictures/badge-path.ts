import { hash } from 'node:crypto';
import type { BadgeDefinition } from '#reputation';
import { datedBadgePath } from './shown/paths.ts';

/**
 * The path of a badge's picture for chats and social networks, which keep for days what they fetched: another
 * one once the badge looks different.
 */
export function lastingBadgePath(
  badge: Pick<BadgeDefinition, 'id' | 'name' | 'tier' | 'imageUrl'>,
): string {
  const { name, tier, imageUrl } = badge;
  const look = hash('sha256', JSON.stringify([name, tier, imageUrl]), 'base64url');
  return datedBadgePath(badge, look.slice(0, 10));
}
