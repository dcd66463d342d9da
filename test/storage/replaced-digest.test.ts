import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Standings } from '#reputation/standings/standings';
import { ScoreDigest } from '#scoring/digest';
import type { ExplanationRows } from '#storage/following/explanation-rows';
import type { Follower } from '#storage/following/follow';
import { LedgerPosition } from '#storage/following/position';
import { ScoreExplanations } from '#storage/following/score-explanations';
import { RuleTitles } from '#storage/scoring/rule-titles';
import { addressOf } from '../support/import-lines.ts';

const WALLET = addressOf('ethereum', 1);

/** What is shown of a score version. */
function loaded(edition: number, points: number, change: number) {
  const standings = new Standings();
  standings.addWallet(1, 'ethereum', WALLET);
  standings.apply(1, { activities: 1, points, committedAt: 1_700_000_000 });
  const position = Object.assign(new LedgerPosition(), { edition, change });
  return { standings, position };
}

function digestOf(points: number): string {
  const digest = new ScoreDigest(createHash('sha256'));
  digest.add(WALLET, points);
  return digest.hex();
}

it('the digest is of live rules where those replaced lose their changes meanwhile', async () => {
  let shown = loaded(1, 30, 5);
  let live = 1;
  const follower = {
    get shown() {
      return shown;
    },
    // A point was given since the scores were settled, and other rules went live before that was read.
    catchUp: async () => {
      shown = loaded(live, 70, 5);
    },
  };
  const rows = {
    sources: ({ edition }: { edition: number }) => [
      {
        ...{ name: 'test', version: edition, hash: 'ab', applied_at: 1_700_000_000 },
        ...{ height: null, at: null, as_of: 19_000, state: edition === live ? 'live' : 'past' },
        settled: JSON.stringify({ change: edition === 1 ? 4 : 5, asOf: 19_000, ends: '[]' }),
      },
    ],
    changes: () => {
      live = 2;
      return [];
    },
  };
  const titles = new RuleTitles({ rulesText: async () => undefined }, undefined);
  const explanations = new ScoreExplanations(
    follower as unknown as Follower,
    rows as unknown as ExplanationRows,
    titles,
  );
  const [{ rules, digest }] = await explanations.provenance(() => undefined);
  expect([rules?.version, digest]).toEqual([2, digestOf(70)]);
});
