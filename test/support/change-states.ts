import type { ChangeEntry } from '#reputation/changes';
import type { ReputationSource } from '#reputation/reputation-source';
import { ALL_WALLETS, badgeNamed } from './ledger.ts';

export const BADGES = ['voter', 'diver', 'early'].map((id) => badgeNamed(id));
export const badge = (id: string) =>
  `badges:\n  - {id: ${id}, name: B, description: b, tier: Rare, imageUrl: "https://example.org/b.png", soulbound: true, need: {type: event_attended, count: 2, within: 365d}, keep: while}\n`;

export interface Shown {
  readonly score: number;
  readonly badges: readonly string[];
}

/** What is shown about all wallets; those without activity are missing. */
export async function stateOf(source: ReputationSource): Promise<Map<string, Shown>> {
  const state = new Map<string, Shown>();
  for (const wallet of ALL_WALLETS) {
    const reading = source.reading();
    const reputation = await reading.reputation(wallet);
    if (reputation === undefined) continue;
    const badges = (await reading.badges(wallet))?.badges.map(({ id }) => id) ?? [];
    state.set(wallet.address, { score: reputation.score, badges });
  }
  return state;
}

export const byText = (one: string, other: string) => (one < other ? -1 : 1);

/** The changes that lead from one state to another, by address, without cursors and times. */
export function differences(before: ReadonlyMap<string, Shown>, after: ReadonlyMap<string, Shown>) {
  return [...new Set([...before.keys(), ...after.keys()])].sort(byText).flatMap((address) => {
    const [was, is] = [before.get(address), after.get(address)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return {
      address,
      score: is?.score ?? 0,
      previousScore: was?.score ?? null,
      badgesEarned: is?.badges.filter((id) => !was?.badges.includes(id)) ?? [],
      ...(is === undefined && { noActivity: true }),
    };
  });
}

export const essence = (entries: readonly ChangeEntry[]) =>
  entries
    .flatMap((entry) =>
      'rules' in entry
        ? []
        : {
            address: entry.address,
            score: entry.score,
            previousScore: entry.previousScore,
            badgesEarned: entry.badgesEarned,
            ...(entry.noActivity && { noActivity: true }),
          },
    )
    .sort((one, other) => (one.address < other.address ? -1 : 1));
