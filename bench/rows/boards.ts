import { createBoards } from '#app/members/gating';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { rankInWorker } from '#storage/gains/gain-counter';
import type { Bench } from '../context.ts';
import { fillGuild, removeGuild } from '../gated-guild.ts';
import { percentile } from '../latency.ts';
import { say } from '../progress.ts';
import { count, type Row } from '../report.ts';

/** Boards of a community's members, and of what wallets gained. */

const PAGE_LIMIT_MS = 20;
const RANK_LIMIT_MS = 200;
const ASKED = 200;
const TIMES = 7;

export const boards: Bench = {
  name: 'boards',
  about: 'the members of a community by score, and wallets by what they gained',
  async run({ dir, quick }) {
    return [await pageRow(dir, quick ? 1_000 : 10_000), await rankRow(quick ? 100_000 : 1_000_000)];
  },
};

async function pageRow(dir: string, members: number): Promise<Row> {
  const guild = { platform: 'discord', id: '1' } as const;
  const accounts = Array.from({ length: members }, (_, i) => String(10_000_000 + i));
  say(`${count(members)} members with linked wallets who show themselves`);
  const store = await fillGuild(dir, guild, accounts);
  try {
    await store.gating.noteMembers(guild, accounts);
    await store.gating.putRule({
      ...{ id: 'r', community: guild, grant: '2', grantName: 'Whales', match: 'all' },
      ...{ requirements: [{ kind: 'score', least: 1 }], chain: undefined, exclusive: false },
      ...{ graceSeconds: 0, paused: undefined, createdAt: 1, createdBy: 'discord:1' },
    });
    const source = await store.openSource();
    const all = createBoards({
      store: store.gating,
      adapterOf: () => undefined,
      shownAmong: async (_, asked) => new Set(asked),
    });
    const measure = {
      ...{ chain: undefined, days: undefined },
      mode: 'best',
      thresholds: DEFAULT_THRESHOLDS,
    } as const;
    const ask = async (page: number) => {
      const id = accounts[(page * 7_919) % members] as string;
      const began = performance.now();
      const asked = { page, size: 10 };
      await all.page({ platform: 'discord', id }, guild, measure, source.reading(), asked);
      return performance.now() - began;
    };
    const first = await ask(1);
    const times: number[] = [];
    for (let i = 0; i < ASKED; i++) times.push(await ask(1 + ((i * 37) % (members / 10))));
    const worst = percentile(times, 0.99);
    return {
      what: `Board of ${count(members)} members, a page, p99`,
      fathom: `${worst.toFixed(1)} ms`,
      ...{ peer: '', ratio: '', target: '' },
      limit: `≤ ${PAGE_LIMIT_MS} ms`,
      met: worst <= PAGE_LIMIT_MS,
      note: `${ASKED} pages from all over the board, asked for by members, each of whose rows is checked in the embedded store; the first page, for which all members are read, took ${first.toFixed(0)} ms.`,
    };
  } finally {
    await store.close();
    removeGuild(dir);
  }
}

async function rankRow(wallets: number): Promise<Row> {
  say(`${count(wallets)} wallets ranked by what they gained`);
  const shared = () => new Float64Array(new SharedArrayBuffer(wallets * 8));
  const [imported, scored] = [shared(), shared()];
  for (let i = 0; i < wallets; i++) imported[i] = (i * 7_919) % 100_003;
  const times: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const scores = new Float64Array(wallets).fill(50_000);
    const chains = new Uint8Array(wallets);
    const began = performance.now();
    await rankInWorker({ imported, scored, scores, chains, chainCount: 3 });
    times.push(performance.now() - began);
  }
  const median = percentile(times, 0.5);
  return {
    what: `Board of a period over ${count(wallets)} wallets, after a change`,
    fathom: `${median.toFixed(0)} ms`,
    ...{ peer: '', ratio: '', target: '' },
    limit: `≤ ${RANK_LIMIT_MS} ms`,
    met: median <= RANK_LIMIT_MS,
    note: `Of all wallets and each chain's, ranked in a thread that is started for it; the median of ${TIMES}. All wallets have gained something. What was added since the last count, at most a minute ago, is read before.`,
  };
}
