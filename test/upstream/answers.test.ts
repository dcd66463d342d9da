import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseActivity,
  parseBadges,
  parseLeaderboard,
  parseList,
  parseReputation,
  parseStats,
} from '#upstream/response-bodies';
import { InvalidResponseError } from '#upstream/response-fields';
import { shortAddress } from '#wallet/wallet';
import { ETH_A, SOL_A } from '../support/ledger.ts';

const REPUTATION = {
  address: ETH_A.address,
  chain: 'ethereum',
  score: 9420,
  tier: 'Titan',
  rank: 12,
  totalUsers: 48_210,
  badges: ['Early Adopter'],
  lastUpdated: '2025-12-15T14:30:00Z',
};
const BADGE = {
  id: 'early-adopter',
  name: 'Early Adopter',
  description: 'There from the start',
  tier: 'Legendary',
  earnedAt: '2024-01-15T00:00:00Z',
  imageUrl: 'https://example.org/a.png',
  soulbound: true,
};
const ENTRY = {
  rank: 1,
  address: ETH_A.address,
  displayName: 'alice.eth',
  score: 9420,
  tier: 'Titan',
  badges: 3,
};
const ITEM = {
  id: 'act_0a',
  type: 'governance_vote',
  description: 'Voted',
  points: -5,
  timestamp: '2025-12-15T14:30:00Z',
};
const STATS = {
  totalUsers: 3,
  totalBadgesIssued: 2,
  chains: { ethereum: { users: 1 }, solana: { users: 1 }, algorand: { users: 1 } },
  averageScore: 12.345,
  topTier: { titan: 0, whale: 0, shark: 0, dolphin: 0, shrimp: 3 },
};
const QUERY = { chain: 'all', limit: 10, offset: 0 } as const;
const page = (entry: object, more: object = {}) => ({
  leaderboard: [{ ...ENTRY, ...entry }],
  total: 5,
  limit: 10,
  offset: 0,
  ...more,
});
const without = (from: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

describe('an upstream response', () => {
  it('is copied field by field, in our order, without extra fields', () => {
    const shuffled = Object.fromEntries(Object.entries({ ...REPUTATION, extra: 1 }).toReversed());
    expect(JSON.stringify(parseReputation(shuffled, ETH_A))).toBe(JSON.stringify(REPUTATION));
    const badges = { address: ETH_A.address, badges: [BADGE], total: 1 };
    expect(JSON.stringify(parseBadges({ ...badges, page: 1 }, ETH_A))).toBe(JSON.stringify(badges));
    expect(parseLeaderboard(page({ extra: true }), QUERY)).toEqual(page({}));
    const list = { address: ETH_A.address, activities: [ITEM], total: 9 };
    expect(parseActivity(list, ETH_A, 5)).toEqual(list);
    expect(parseStats({ ...STATS, more: {} })).toEqual({ ...STATS, averageScore: 12.35 });
  });

  it.each([
    ['no address and chain', without(REPUTATION, 'address', 'chain')],
    ['a shortened address', { ...REPUTATION, address: '0x5aAe…eAed' }],
    ['dots in it', { ...REPUTATION, address: '0x5aAe...eAed' }],
    ['another case', { ...REPUTATION, address: ETH_A.address.toLowerCase() }],
    ['a tier in another case', { ...REPUTATION, tier: 'titan' }],
    ['a time with an offset', { ...REPUTATION, lastUpdated: '2025-12-15T16:30:00.123+02:00' }],
  ])('lets pass in form: %s', (_, body) => {
    expect(parseReputation(body, ETH_A)).toEqual(REPUTATION);
  });

  it('may have a rank out of order, a shortened address or a missing name on a leaderboard', () => {
    const entry = without({ ...ENTRY, rank: 7, address: '0x5aAe...eAed' }, 'displayName');
    const { leaderboard, limit } = parseLeaderboard(
      { leaderboard: [entry], total: 5, limit: 3 },
      QUERY,
    );
    expect(leaderboard).toEqual([
      { ...ENTRY, rank: 7, address: '0x5aAe...eAed', displayName: '0x5aAe…eAed' },
    ]);
    expect(limit).toBe(3);
  });

  it('may be a page after the last one, or of nobody', () => {
    const none = { leaderboard: [], limit: 10 };
    expect(parseLeaderboard({ ...none, total: 0 }, QUERY).leaderboard).toEqual([]);
    expect(parseLeaderboard({ ...none, total: 5 }, { ...QUERY, offset: 5 }).total).toBe(5);
    const unseen = { address: ETH_A.address.toLowerCase(), code: 'wallet-not-found' };
    expect(parseList({ results: [unseen] }, [ETH_A], parseReputation)).toEqual([undefined]);
  });

  it.each([
    ['nothing to see', '\u3164'],
    ["another wallet's address", '0x000000000000000000000000000000000000dEaD'],
    ["another wallet's address, shortened", '0x0000…dEaD'],
  ])('may have a name with %s, which is shown as the address', (_, displayName) => {
    const entry = { ...ENTRY, displayName };
    const { leaderboard } = parseLeaderboard({ leaderboard: [entry], total: 5, limit: 3 }, QUERY);
    expect(leaderboard[0]?.displayName).toBe(shortAddress(ENTRY.address));
  });

  it('may have badges without description and image, but no image outside the web', () => {
    const bare = without(BADGE, 'description', 'imageUrl');
    const bad = { ...BADGE, imageUrl: 'javascript:alert(1)' };
    const { badges } = parseBadges({ badges: [bare, bad] }, ETH_A);
    expect(badges.map((each) => each.imageUrl)).toEqual(['', '']);
    expect(badges[0]?.description).toBe('');
  });

  it.each([
    ['a score of text', { ...REPUTATION, score: '9420' }],
    ['no score', without(REPUTATION, 'score')],
    ['a score of null', { ...REPUTATION, score: null }],
    ['a broken score', { ...REPUTATION, score: 1.5 }],
    ['a score below 0', { ...REPUTATION, score: -1 }],
    ['a score that cannot be counted with', { ...REPUTATION, score: 2 ** 60 }],
    ['no tier', without(REPUTATION, 'tier')],
    ['an unknown tier', { ...REPUTATION, tier: 'Kraken' }],
    ['rank 0', { ...REPUTATION, rank: 0 }],
    ['a rank below all users', { ...REPUTATION, rank: 13, totalUsers: 12 }],
    ['no users', { ...REPUTATION, totalUsers: 0 }],
    ['no badges', without(REPUTATION, 'badges')],
    ['a badge that is no text', { ...REPUTATION, badges: [1] }],
    ['no time', { ...REPUTATION, lastUpdated: 'yesterday' }],
    ['another wallet', { ...REPUTATION, address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' }],
    ['another shortened wallet', { ...REPUTATION, address: '0xfB69…d359' }],
    ['another chain', { ...REPUTATION, chain: 'solana' }],
    ['a list', [REPUTATION]],
    ['null', null],
    ['a problem', { type: 'about:blank', title: 'oh', status: 200 }],
  ])('does not believe %s', (_, body) => {
    expect(() => parseReputation(body, ETH_A)).toThrow(InvalidResponseError);
  });

  it.each([
    ['a part of the badges', () => parseBadges({ badges: [BADGE], total: 2 }, ETH_A)],
    [
      'a badge tier of its own',
      () => parseBadges({ badges: [{ ...BADGE, tier: 'Mythic' }] }, ETH_A),
    ],
    [
      'an id of a badge with markup',
      () => parseBadges({ badges: [{ ...BADGE, id: '"><x' }] }, ETH_A),
    ],
    [
      'no word on being soulbound',
      () => parseBadges({ badges: [without(BADGE, 'soulbound')] }, ETH_A),
    ],
    ['another page', () => parseLeaderboard(page({}, { offset: 10 }), QUERY)],
    ['more entries than asked for', () => parseLeaderboard(page({}), { ...QUERY, limit: 0 })],
    ['an address with quotes', () => parseLeaderboard(page({ address: '"},{"' }), QUERY)],
    ['an empty page of more', () => parseLeaderboard(page({}, { leaderboard: [] }), QUERY)],
    ['fewer users than listed', () => parseLeaderboard(page({}, { total: 0 }), QUERY)],
    ['none of some activities', () => parseActivity({ activities: [], total: 3 }, ETH_A, 9)],
    ['an empty list of wallets', () => parseList({ results: [] }, [ETH_A], parseReputation)],
    [
      'that another wallet has no activity',
      () =>
        parseList(
          { results: [{ address: SOL_A.address, code: 'wallet-not-found' }] },
          [ETH_A],
          parseReputation,
        ),
    ],
    ['no total', () => parseLeaderboard(without(page({}), 'total'), QUERY)],
    [
      'points of text',
      () => parseActivity({ activities: [{ ...ITEM, points: '5' }], total: 1 }, ETH_A, 9),
    ],
    [
      'fewer in all than listed',
      () => parseActivity({ activities: [ITEM, ITEM], total: 1 }, ETH_A, 9),
    ],
    [
      'a type with quotes',
      () => parseActivity({ activities: [{ ...ITEM, type: 'a"b' }], total: 1 }, ETH_A, 9),
    ],
    [
      'a chain that can be no text',
      () => parseReputation({ ...REPUTATION, chain: { toString: false } }, ETH_A),
    ],
    [
      'an address that can be no text',
      () => parseReputation({ ...REPUTATION, address: { toString: false } }, ETH_A),
    ],
    [
      'a tier that can be no text',
      () => parseReputation({ ...REPUTATION, tier: { toString: false } }, ETH_A),
    ],
    ['an average that is none', () => parseStats({ ...STATS, averageScore: 'NaN' })],
    [
      'a chain that is missing',
      () => parseStats({ ...STATS, chains: without(STATS.chains, 'solana') }),
    ],
    [
      'a tier that is missing',
      () => parseStats({ ...STATS, topTier: without(STATS.topTier, 'shrimp') }),
    ],
  ])('does not believe %s', (_, read) => {
    expect(read).toThrow(InvalidResponseError);
  });

  it('is a record or invalid, whatever it contains', () => {
    const readers = [
      (body: unknown) => parseReputation(body, ETH_A),
      (body: unknown) => parseBadges(body, SOL_A),
      (body: unknown) => parseLeaderboard(body, QUERY),
      (body: unknown) => parseActivity(body, SOL_A, 5),
      parseStats,
    ];
    const nearly = fc.record(
      Object.fromEntries(
        Object.entries({ ...REPUTATION, ...STATS, ...page({}), activities: [ITEM] }).map(
          ([name, value]) => [name, fc.oneof(fc.constant(value), fc.jsonValue())],
        ),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly), fc.constantFrom(...readers), (body, read) => {
        try {
          const record = read(body);
          const score = (record as { score?: unknown }).score;
          expect(score === undefined || score === (body as { score: number }).score).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidResponseError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
