import { describe, expect, it } from 'vitest';
import { countWallets, type WalletMode } from '#gating/decide/counted-wallets';
import { evaluateRule, type MemberStandings, type Standing } from '#gating/decide/verdict';
import type { Requirement } from '#gating/requirements/index';
import type { Rule } from '#gating/rules/rule';
import { DEFAULT_THRESHOLDS, tierOf } from '#reputation/tier';
import type { Chain } from '#wallet/wallet';
import { ruleOf } from '../support/gate-records.ts';
import { addressOf } from '../support/import-lines.ts';

const thresholds = DEFAULT_THRESHOLDS;

let made = 0;

/** A wallet with this score; undefined for one that was never seen. */
function walletWith(
  score: number | undefined,
  change: { chain?: Chain; badges?: string[]; rank?: number } = {},
): Standing {
  made += 1;
  const { chain = 'ethereum', badges = [], rank = 500 } = change;
  const address = addressOf(chain, made);
  const wallet = { chain, address };
  if (score === undefined) return { wallet, record: undefined, badges };
  const tier = tierOf(score, thresholds);
  const known = { address, chain, score, tier, rank, totalUsers: 900, badges: [] };
  return { wallet, record: { ...known, lastUpdated: '2026-11-22T12:37:01Z' }, badges };
}

const needs = (...requirements: Requirement[]) => requirements;

function answer(
  change: Partial<Rule>,
  standings: readonly Standing[],
  mode: WalletMode = 'sum',
  more: { last?: number; unread?: readonly Standing[]; isPartial?: boolean } = {},
) {
  const { last, unread = [], isPartial = false } = more;
  const rule = ruleOf('aaaa', { ...change, walletMode: mode });
  const read: MemberStandings = {
    ...{ standings, asOf: 1, isPartial },
    unread: unread.map(({ wallet }) => wallet),
  };
  const [cutoff] = last === undefined ? [] : [walletWith(last)];
  const entry = { address: '', displayName: '', badges: 0, rank: 1, tier: 'Titan' as const };
  const cutoffs = new Map([['aaaa', cutoff && { ...entry, score: last ?? 0 }]]);
  return evaluateRule(rule, read, cutoffs, thresholds);
}

const WHALE = { requirements: needs({ kind: 'tier', tier: 'Whale' }) };

describe('The wallets of a member', () => {
  const wallets = [
    walletWith(1_000, { badges: ['a'] }),
    walletWith(3_000, { badges: ['a', 'b'] }),
    walletWith(undefined),
    walletWith(2_500, { chain: 'solana', badges: ['c'] }),
  ];

  it('count each by itself, highest score first', () => {
    const counted = countWallets(wallets, { mode: 'best', thresholds });
    expect(counted).toEqual([wallets[1], wallets[3], wallets[0], wallets[2]]);
  });

  it('count as one with the points and badges of all, also of a chain', () => {
    expect(countWallets(wallets, { mode: 'sum', thresholds })).toEqual([
      { record: { score: 6_500, tier: 'Whale' }, badges: ['a', 'b', 'c'], isSum: true },
    ]);
    expect(countWallets(wallets, { mode: 'sum', chain: 'ethereum', thresholds })).toEqual([
      { record: { score: 4_000, tier: 'Shark' }, badges: ['a', 'b'], isSum: true },
    ]);
  });

  it.each(['best', 'sum'] as const)('count as what it is if there is one, with %s', (mode) => {
    const [first] = wallets;
    expect(countWallets(wallets.slice(0, 1), { mode, thresholds })).toEqual([first]);
    expect(countWallets(wallets, { mode, chain: 'solana', thresholds })).toEqual([wallets[3]]);
    expect(countWallets(wallets, { mode, chain: 'algorand', thresholds })).toEqual([]);
  });

  it('have no score together if none of them was ever seen', () => {
    const unseen = [walletWith(undefined), walletWith(undefined)];
    const [sum] = countWallets(unseen, { mode: 'sum', thresholds });
    expect(sum).toEqual({ record: undefined, badges: [], isSum: true });
  });
});

describe('A rule', () => {
  const halves = [walletWith(2_500), walletWith(2_500)];

  it('is met by a sum that no wallet reaches, where wallets are added up', () => {
    expect(answer(WHALE, halves, 'best').answer).toBe('lacks');
    expect(answer(WHALE, halves, 'sum')).toMatchObject({
      answer: 'meets',
      standing: { record: { score: 5_000, tier: 'Whale' } },
    });
  });

  it('of a chain counts the wallets there alone', () => {
    const wallets = [...halves, walletWith(4_999, { chain: 'solana' })];
    expect(answer({ ...WHALE, chain: 'ethereum' }, wallets).answer).toBe('meets');
    expect(answer({ ...WHALE, chain: 'solana' }, wallets).answer).toBe('lacks');
  });

  it('has a badge of any wallet beside the points of all', () => {
    const rule = {
      requirements: needs({ kind: 'tier', tier: 'Whale' }, { kind: 'badge', badge: 'reef' }),
    };
    const wallets = [walletWith(5_000), walletWith(1, { badges: ['reef'] })];
    expect(answer(rule, wallets, 'best').answer).toBe('lacks');
    expect(answer(rule, wallets, 'sum').answer).toBe('meets');
  });

  it.each([
    ['as many points as the last of the top N', 5_000, 'meets'],
    ['a point less', 5_001, 'lacks'],
    ['fewer wallets than N above it', undefined, 'meets'],
  ])('about the top N, by %s', (_, last, expected) => {
    const rule = { requirements: needs({ kind: 'top', most: 10 }) };
    // No wallet of theirs is there by itself.
    const more = last === undefined ? {} : { last };
    expect(answer(rule, halves, 'sum', more).answer).toBe(expected);
    expect(answer(rule, halves, 'best').answer).toBe('lacks');
  });

  it('with a bound is about the sum', () => {
    const rule = {
      requirements: needs({ kind: 'score', least: 1 }),
      bounds: [{ kind: 'most', score: 4_000 } as const],
    };
    expect(answer(rule, halves, 'best').answer).toBe('meets');
    expect(answer(rule, halves, 'sum').answer).toBe('lacks');
  });
});

describe.each(['best', 'sum'] as const)('A wallet that cannot be read, with %s', (mode) => {
  const unread = [walletWith(9_999)];

  it('makes unknown what the others do not reach', () => {
    const lacking = answer(WHALE, [walletWith(2_000)], mode, { unread });
    expect(lacking).toEqual({ answer: 'unknown', why: 'unavailable' });
  });

  it('changes nothing where the others suffice', () => {
    expect(answer(WHALE, [walletWith(5_000)], mode, { unread }).answer).toBe('meets');
    const top = { requirements: needs({ kind: 'top', most: 10 }) };
    const first = [walletWith(5_000, { rank: 1 }), walletWith(1)];
    expect(answer(top, first, mode, { unread, last: 5_001 - 1 }).answer).toBe('meets');
  });

  it('makes unknown whether a bound is kept', () => {
    const rule = { ...WHALE, bounds: [{ kind: 'most', score: 9_000 } as const] };
    expect(answer(rule, [walletWith(5_000)], mode, { unread }).answer).toBe('unknown');
  });

  it('does not matter to a rule about another chain', () => {
    const rule = { ...WHALE, chain: 'solana' as const };
    const own = [walletWith(2_000, { chain: 'solana' })];
    expect(answer(rule, own, mode, { unread }).answer).toBe('lacks');
  });
});

it('The tier of a sum is unknown by a source whose tiers begin elsewhere', () => {
  const other = walletWith(9_500);
  const shark = { ...other, record: other.record && { ...other.record, tier: 'Shark' as const } };
  const verdict = answer(WHALE, [shark, walletWith(10)], 'sum');
  expect(verdict).toEqual({ answer: 'unknown', why: 'implausible' });
  expect(answer(WHALE, [shark], 'sum').answer).toBe('lacks');
});

it('A sum lacks nothing for sure while points may be missing', () => {
  const wallets = [walletWith(2_000), walletWith(2_000)];
  const partial = answer(WHALE, wallets, 'sum', { isPartial: true });
  expect(partial).toEqual({ answer: 'unknown', why: 'partial' });
});
