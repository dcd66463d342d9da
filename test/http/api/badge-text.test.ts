import { describe, expect, it } from 'vitest';
import { badgeListSerializer } from '#http/api/resources/wallet';
import type { EarnedBadge } from '#reputation/api-records';

const BADGE: EarnedBadge = {
  id: 'voter',
  name: 'Voter',
  description: 'Voted once',
  tier: 'Rare',
  earnedAt: '2025-12-15T14:30:00Z',
  imageUrl: 'https://example.org/voter.png',
  soulbound: true,
};

describe('the text of badges', () => {
  const listOf = (...badges: EarnedBadge[]) => ({ address: '0x1', badges, total: badges.length });

  /** How often the rest of a badge was written. */
  let written = 0;
  const serialize = badgeListSerializer(
    () => (badge) => {
      written += 1;
      return JSON.stringify(badge);
    },
    () => 'https://fathom.example',
  );
  const expectPlain = (list: object) => expect(serialize(list)).toBe(JSON.stringify(list));

  it('is the same as if each were written separately', () => {
    expectPlain(listOf());
    expectPlain(listOf(BADGE, { ...BADGE, id: 'diver', earnedAt: '2026-01-02T03:04:05Z' }));
    const before = written;
    expectPlain(listOf({ ...BADGE, earnedAt: '2024-02-29T23:59:59Z' }));
    expect(written).toBe(before);
  });

  it.each([
    ['description', 'says "earnedAt":"2020-01-01T00:00:00Z" itself'],
    ['description', '\u2028 \n \ud800 "\\'],
    ['name', 'Señor "Sonar"'],
    ['imageUrl', 'https://example.org/?"earnedAt":"x"'],
    ['tier', 'Epic'],
    ['soulbound', false],
  ])('is that of the definition now, where its %s changed to %j', (field, value) => {
    expectPlain(listOf(BADGE));
    expectPlain(listOf({ ...BADGE, [field]: value }));
    expectPlain(listOf(BADGE));
  });

  it('has the URL of our own drawing for a badge without a picture', () => {
    const drawn = { ...BADGE, imageUrl: '' };
    const imageUrl = 'https://fathom.example/badge-picture/voter.png';
    expect(serialize(listOf(drawn))).toBe(JSON.stringify(listOf({ ...BADGE, imageUrl })));
    expectPlain(listOf(BADGE));
  });

  it('takes a bounded number of badges', () => {
    for (let i = 0; i < 5_000; i++) expectPlain(listOf({ ...BADGE, id: `badge-${i}` }));
  });
});
