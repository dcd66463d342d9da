import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { RoleRehearsal } from '#gating/rehearsal/rehearsed-roles';
import {
  type AskedRequirements,
  cutoffPlace,
  isExcluded,
  isMet,
  kindOf,
  needsBadges,
  REQUIREMENTS,
  type Requirement,
  readRequirements,
  shortfallOf,
} from '#gating/requirements/index';
import { DEFAULT_THRESHOLDS, lowestScoreOf } from '#reputation/tier';
import { HOME, ruleOf } from '../support/gate-records.ts';
import { walletOf } from '../support/import-lines.ts';

/** An option's value for each kind, what it asks for, and a wallet that has just that. */
const ASKED: Readonly<
  Record<keyof typeof REQUIREMENTS, { value: string | number; asks: Requirement }>
> = {
  tier: { value: 'whale', asks: { kind: 'tier', tier: 'Whale' } },
  score: { value: 700, asks: { kind: 'score', least: 700 } },
  badge: { value: 'voter', asks: { kind: 'badge', badge: 'voter' } },
  top: { value: 10, asks: { kind: 'top', most: 10 } },
};
const KINDS = Object.keys(REQUIREMENTS) as (keyof typeof REQUIREMENTS)[];
const BELOW_SHARK = { kind: 'below', tier: 'Shark' } as const;
const NOBODY = { chain: undefined, cutoff: undefined };
/** Of a community that has chosen nothing. */
const NO_SETTINGS = {
  logChannel: undefined,
  memory: undefined,
  memberScan: undefined,
  invite: undefined,
};
const MEASURE = { ...NOBODY, thresholds: DEFAULT_THRESHOLDS, badgeName: (id: string) => id };

function asked(kinds: readonly (keyof typeof REQUIREMENTS)[]) {
  const values = KINDS.map((kind) => [kind, kinds.includes(kind) ? ASKED[kind].value : undefined]);
  return readRequirements(Object.fromEntries(values) as AskedRequirements);
}

describe.each(KINDS)('A requirement of the kind %s', (kind) => {
  const { asks } = ASKED[kind];

  it('is asked for by the option of /gate that has its name', () => {
    const gate = commands.find(({ name }) => name === 'gate');
    expect(gate?.options).toContain(REQUIREMENTS[kind].option);
    expect(REQUIREMENTS[kind].option.name).toBe(kind);
    expect(gate?.subcommands?.options).toMatchObject({
      add: expect.arrayContaining([kind]),
      edit: expect.arrayContaining([kind]),
    });
    expect(asked([kind])).toEqual([asks]);
  });

  it('survives the store, which keeps it as JSON', () => {
    expect(JSON.parse(JSON.stringify(asks))).toEqual(asks);
  });

  it('is met by a wallet that has it, and by none that has nothing', () => {
    const record = { tier: 'Titan', score: 9_000, rank: 1 } as const;
    expect(isMet(asks, { record, badges: ['voter'] }, NOBODY)).toBe(true);
    expect(isMet(asks, { record: undefined, badges: ['voter'] }, NOBODY)).toBe(false);
    const low = { tier: 'Shrimp', score: 1, rank: 99 } as const;
    expect(isMet(asks, { record: low, badges: [] }, NOBODY)).toBe(false);
  });

  it('is rehearsed as it is judged: whoever loses what it asks for would lose the role', async () => {
    const wallet = walletOf(1);
    const member = { account: '1', wallets: [wallet], isProtected: false };
    const roles = await RoleRehearsal.begin(
      {
        communities: () => [HOME],
        rulesOf: () => [ruleOf('aaaa', { requirements: [asks] })],
        settingsOf: () => NO_SETTINGS,
        membersAfter: (_, after) => (after === '' ? [member] : []),
      },
      DEFAULT_THRESHOLDS,
    );
    roles.see(
      wallet,
      { tier: 'Titan', score: 9_000, badges: ['voter'] },
      { tier: 'Shrimp', score: 1, badges: [] },
    );
    // So many others that the wallet falls out of any top.
    for (let i = 2; i < 20; i++) {
      const other = { tier: 'Shrimp', score: 50, badges: [] } as const;
      roles.see(walletOf(i), other, other);
    }
    expect(await roles.result()).toMatchObject([{ before: 1, after: 0, gained: 0, lost: 1 }]);
  });

  it.each(LANGUAGES)('is worded in %s, and so is what is missing for it', (language) => {
    const texts = textsFor(language);
    const low = { record: { tier: 'Shrimp', score: 1, rank: 99 } as const, badges: [] };
    const shortfall = shortfallOf(asks, low, MEASURE);
    expect(shortfall).toMatchObject({ kind });
    expect(kindOf(asks).needText(asks, texts)).toMatch(/\S/);
    expect(shortfall && kindOf(asks).shortfallText(shortfall, texts)).toMatch(/\S/);
  });
});

describe('Requirements', () => {
  it('asked for at once come in the order of their kinds', () => {
    expect(asked(KINDS.toReversed())).toEqual(KINDS.map((kind) => ASKED[kind].asks));
    expect(asked([])).toEqual([]);
  });

  it('say which data rules need: badges, or the last one of the top N', () => {
    expect(needsBadges(asked(['tier', 'score', 'top']))).toBe(false);
    expect(needsBadges(asked(['tier', 'badge']))).toBe(true);
    expect(cutoffPlace(asked(['tier', 'score', 'badge']))).toBeUndefined();
    expect(cutoffPlace(asked(['tier', 'top']))).toBe(10);
  });

  it('are excluded by a bound of their own measure alone', () => {
    const excluded = (bound: Parameters<typeof isExcluded>[1]) =>
      KINDS.filter((kind) => isExcluded(ASKED[kind].asks, bound));
    expect(excluded({ kind: 'below', tier: 'Whale' })).toEqual(['tier']);
    expect(excluded({ kind: 'most', score: 699 })).toEqual(['score']);
    expect(excluded({ kind: 'most', score: 700 })).toEqual([]);
  });

  it('are excluded by a bound of the other measure where it is known which points make a tier', () => {
    const { thresholds } = MEASURE;
    const least = lowestScoreOf('Shark', thresholds);
    const points = (score: number) =>
      isExcluded({ kind: 'score', least: score }, BELOW_SHARK, thresholds);
    expect([least - 1, least].map(points)).toEqual([false, true]);
    const most = (score: number) =>
      isExcluded({ kind: 'tier', tier: 'Shark' }, { kind: 'most', score }, thresholds);
    expect([least - 1, least].map(most)).toEqual([true, false]);
  });
});
