import { once } from 'node:events';
import { addressOf } from './addresses.ts';
import { fraction, hash32 } from './hash.ts';
import { importData } from './importer.ts';
import { within } from './process.ts';
import { tell } from './progress.ts';

/** Generated evidence for rules, each line computed from its number alone, and the rules for it. */

export interface Evidence {
  readonly events: number;
  /** The first this many of all wallets. */
  readonly wallets: number;
}

/** 280 days that end yesterday, as half-lives and caps need. */
const DAYS = 280;
const LINES = 1_000;

/**
 * Rules with everything that costs time: conditions, amounts, caps, half-lives, badges, discounts.
 */
export function rulesFile(version: number): string {
  return `fathom: 1
name: bench
version: ${version}
rules:
  - id: workshop
    on: {import: workshop_attended}
    where: {hours: {gte: 2}}
    give: {type: event_attended, points: ${20 + version}, cap: 250 per 365d, half_life: 180d, text: "Workshop, {hours} h"}
  - id: vote
    on: {import: voted}
    once: proposal
    give: {type: governance_vote, points: {of: weight, per: 100, each: 5, most: 500}, cap: 90 per 30d}
badges:
  - {id: bench-regular, name: Regular, description: Five workshops in a year, tier: Epic, imageUrl: "https://example.org/r.png", soulbound: true, need: {type: event_attended, count: 5, within: 365d}, keep: while}
discounts:
  - {id: young, first_seen_within: 30d, factor: 500}
`;
}

export function walletOfEvent({ wallets }: Evidence, event: number): number {
  return Math.floor(wallets * fraction(91, event));
}

export function eventLine(evidence: Evidence, event: number): string {
  const first = Math.floor(Date.now() / 86_400_000 - DAYS) * 86_400;
  const seconds = first + Math.floor(fraction(92, event) * (DAYS - 1) * 86_400);
  const time = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  const random = hash32(93, event);
  const [name, args] =
    event % 2 === 0
      ? ['voted', `{"proposal":"${random % 500}","weight":"${random % 1000}"}`]
      : ['workshop_attended', `{"hours":${random % 5}}`];
  const address = addressOf(walletOfEvent(evidence, event));
  return `{"kind":"event","address":"${address}","event":"${name}","timestamp":"${time}","source":"e${event}","args":${args}}\n`;
}

/** Imports evidence with the real command. */
export async function importEvents(evidence: Evidence, file: string, cwd: string): Promise<void> {
  await importData('-', `sqlite:${file}`, cwd, async (child) => {
    const input = child.process.stdin;
    if (input === null) throw new Error('the import has no standard input');
    for (let from = 0; from < evidence.events; from += LINES) {
      let text = '';
      const to = Math.min(evidence.events, from + LINES);
      for (let event = from; event < to; event += 1) text += eventLine(evidence, event);
      if (!input.write(text)) await within(once(input, 'drain'), 300, 'importing events');
      tell('events imported', to, evidence.events);
    }
    input.end();
  });
}
