import { onTestFinished } from 'vitest';
import type { SourceInput } from '#scoring/inputs/input';
import { SnapshotSource } from '#sources/snapshot/index';
import { ethereum } from '#wallet/chains/index';
import { fileOf, validRules } from '../rules.ts';
import { inputsFor } from './read-all.ts';
import type { HubProposal, HubStandIn, HubVoteRow } from './snapshot-hub.ts';

/* Proposals and votes of a hub, and a source that reads them. */

/** 2024-01-01; votes count from here on. */
export const START = 1_704_067_200;
export const NOW = START + 100_000;

export function inputs(...spaces: string[]): SourceInput[] {
  const rules = spaces.map(
    (space, at) =>
      `{id: r${at}, on: {source: snap, space: ${space}, since: 2024-01-01}, give: {type: voted, points: 1}}`,
  );
  return inputsFor(validRules(fileOf(...rules)).rules.rules);
}

export function sourceOf(hubs: readonly HubStandIn[], path = '', wall = NOW): SnapshotSource {
  let now = 0;
  const chain = new SnapshotSource({
    id: 'snap',
    urls: hubs.map(({ url }) => new URL(`${url.href}${path}`)),
    apiKey: 'kEy-of-hub',
    wall: () => wall,
    now: () => {
      now += 600_000;
      return now;
    },
  });
  onTestFinished(() => chain.close());
  return chain;
}

/** A voter's address, in the letter case that the hub returns. */
export function voterOf(number: number): string {
  return ethereum.canonical(`0x${String(number).padStart(40, '0')}`);
}

export function proposal(id: string, end: number, more: Partial<HubProposal> = {}): HubProposal {
  return { id, space: 'reef.eth', end, scores_state: 'final', ...more };
}

export function vote(
  id: string,
  of: string,
  created: number,
  more: Partial<HubVoteRow> = {},
): HubVoteRow {
  return { id, proposal: of, voter: voterOf(1), created, vp_state: 'final', ...more };
}
