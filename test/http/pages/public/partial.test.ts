import { expect, it, onTestFinished } from 'vitest';
import { textsFor } from '#command/texts/index';
import type { CommandContext } from '#commands/answering/command';
import { footerOf } from '#commands/shared/card-parts';
import { wordsFor } from '#http/pages/words/index';
import type { Store } from '#storage/store';
import { spansText } from '../../../support/card-text.ts';
import { openMemoryStore } from '../../../support/empty-store.ts';
import { FixedSource, NOW } from '../../../support/fixed-source.ts';
import { activityOf, batchOf, ETH_A, writeTo } from '../../../support/ledger.ts';
import { openPublicPages, pageText } from '../../../support/public-pages.ts';

const PATH = `/v1/reputation/${ETH_A.address}`;

it('That scores are partial is said by responses and pages while chains are still being read, and no longer', async () => {
  let store: Store | undefined;
  const pages = await openPublicPages({}, undefined, async (opened) => {
    store = opened;
  });
  onTestFinished(() => pages.close());
  await pages.add({ activities: [activityOf(ETH_A, 'a', { points: 7 })] });
  const tags: (string | null)[] = [];
  const said = async () => {
    const { headers } = await pages.get(PATH);
    tags.push(headers.get('etag'));
    const text = pageText(await pages.html(`/wallet/${ETH_A.address}`));
    return {
      status: headers.get('reputation-status'),
      data: headers.get('fathom-data'),
      page: text.includes('Chains are still being read, so scores are incomplete.'),
    };
  };
  expect(await said()).toEqual({ status: 'fresh', data: null, page: false });
  store?.markPartial(true);
  // Everything that has been read is shown.
  expect(await said()).toEqual({ status: 'fresh', data: 'partial', page: true });
  const etag = (await pages.get(PATH)).headers.get('etag') ?? '';
  const again = await pages.get(PATH, { 'if-none-match': etag });
  expect([again.status, again.headers.get('fathom-data')]).toEqual([304, 'partial']);
  const spanish = pageText(await pages.html('/leaderboard?lang=es'));
  expect(spanish).toContain(textsFor('es').partial);
  store?.markPartial(false);
  expect(await said()).toEqual({ status: 'fresh', data: null, page: false });
  // A header that a 304 doesn't have would stay in caches.
  expect(tags).toEqual([tags[0], etag, tags[0]]);
  expect(etag).not.toBe(tags[0]);
});

it('That scores are partial is said of an answer that was read while it was so, even if it ends afterwards', async () => {
  const store = openMemoryStore();
  onTestFinished(async () => void (await store.close()));
  const source = await store.openSource();
  await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a', { points: 7 })] }));
  await store.refresh();
  store.markPartial(true);
  const reading = source.reading();
  expect(await reading.reputation(ETH_A)).toMatchObject({ score: 7 });
  store.markPartial(false);
  expect(reading.isPartial).toBe(true);
  expect(source.reading().isPartial).toBe(false);
});

it('That scores are partial is said where a wallet isn’t known, since its activity may be still to come', async () => {
  let store: Store | undefined;
  const pages = await openPublicPages({}, undefined, async (opened) => {
    store = opened;
  });
  onTestFinished(() => pages.close());
  const unknown = async (language: string) =>
    pageText(await pages.html(`/wallet/${ETH_A.address}?lang=${language}`));
  expect(await unknown('en')).toContain(wordsFor(['en']).pages.lost.wallet.title);
  expect(await unknown('en')).not.toContain(textsFor('en').partial);
  store?.markPartial(true);
  expect(await unknown('en')).toContain(`${textsFor('en').partial}.`);
  expect(await unknown('es')).toContain(textsFor('es').partial);
});

it('That scores are partial is said below cards in the chats', () => {
  const source = Object.assign(new FixedSource([]), { isPartial: true });
  const context = { source, texts: textsFor('en'), now: NOW } as unknown as CommandContext;
  const { partial, page, dataAsOf } = textsFor('en');
  expect(spansText(footerOf(context, { page: 2, pages: 3 } as never))).toMatch(
    new RegExp(`^⚠ ${partial} · ${page('2', '3')} · ${dataAsOf} `),
  );
  source.isPartial = false;
  expect(spansText(footerOf(context))).toMatch(new RegExp(`^${textsFor('en').dataAsOf} `));
});
