import { beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { ENTRY } from '#gating/rules/rule';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { Life } from '../support/mortal.ts';

const EN = textsFor('en');

let group: GatedCommunity;

beforeEach(() => {
  group = new GatedCommunity(GROUP);
});

const request = (account: string): Promise<Card | undefined> => {
  group.adapter.requests.add(account);
  return group.gated.watch.requested(GROUP, account, 'en');
};
const wordsOf = (card: Card | undefined) => (card === undefined ? '' : cardText(card));

async function stranger(id: number, score: number): Promise<void> {
  group.score(id, score);
  await group.link(String(id), walletOf(id));
}

describe('a request to join', () => {
  it('to a group without a rule is left to its administrators', async () => {
    await stranger(1, 9_000);
    expect(await request('1')).toBeUndefined();
    expect(group.adapter.roles.has('1')).toBe(false);
    expect(await group.audit()).toEqual([]);
  });

  it('is approved at once if a wallet meets the rule', async () => {
    await group.rule({ grant: ENTRY });
    await group.gated.watch.idle();
    await stranger(1, 6_000);
    expect(await request('1')).toBeUndefined();
    expect(group.adapter.roles.has('1')).toBe(true);
    expect(await group.audit()).toEqual(['rule-added', 'give-begun 1', 'admitted 1']);
    expect(group.adapter.told.map(({ card }) => wordsOf(card)).join()).toContain(
      EN.gate.joinAdmitted,
    );
    expect(await group.store.gating.member(GROUP, '1')).toBeDefined();
  });

  it('by somebody who is barred while they are judged is told so, and not that the platform refused', async () => {
    await group.rule({ grant: ENTRY });
    await stranger(1, 6_000);
    const { gating } = group.store;
    const recordsOf = gating.recordsOf.bind(gating);
    let isBarred = false;
    gating.recordsOf = async (...asked) => {
      const before = await recordsOf(...asked);
      if (!isBarred) {
        isBarred = true;
        await group.open().gating.barring.bar(GROUP, '1', ENTRY, 'telegram:5');
      }
      return before;
    };
    expect(wordsOf(await request('1'))).toContain(EN.gate.joinBarred);
    expect(group.adapter.roles.has('1')).toBe(false);
  });

  it("without a linked wallet is told what's missing, and how to link", async () => {
    await group.rule({ grant: ENTRY });
    const answer = await request('5');
    expect(wordsOf(answer)).toContain(EN.gate.tier(EN.tiers.Whale));
    expect(wordsOf(answer)).toContain('/link');
  });

  it('below all bars is told what every rule requires', async () => {
    await group.rule({ grant: ENTRY });
    group.now += 1;
    await group.rule({ grant: ENTRY, requirements: [{ kind: 'score', least: 3_000 }] });
    await stranger(1, 2_500);
    expect(wordsOf(await request('1'))).toContain(
      `${EN.gate.tier(EN.tiers.Whale)} ${EN.gate.or} ${EN.gate.score(3_000, '3,000')}`,
    );
  });

  it('waits while figures are unavailable, and is checked again automatically', async () => {
    await group.rule({ grant: ENTRY });
    await stranger(1, 6_000);
    group.source.isStale = true;
    expect(wordsOf(await request('1'))).toContain(EN.gate.joinUnknown);
    await group.pass();
    expect(group.adapter.roles.has('1')).toBe(false);
    group.source.isStale = false;
    await group.pass();
    expect(group.adapter.roles.has('1')).toBe(true);
    expect(await group.audit()).toContain('admitted 1');
  });

  it('is approved automatically once a wallet that meets the rule is linked', async () => {
    await group.rule({ grant: ENTRY });
    await request('1');
    await group.gated.watch.tick();
    await stranger(1, 6_000);
    group.gated.watch.linksChanged({ platform: 'telegram', id: '1' });
    await group.gated.watch.idle();
    expect(group.adapter.roles.has('1')).toBe(true);
    const audit = await group.audit();
    expect(audit.indexOf('give-begun 1')).toBeLessThan(audit.indexOf('admitted 1'));
  });

  it("isn't made up when a wallet is linked", async () => {
    await group.rule({ grant: ENTRY });
    await group.gated.watch.tick();
    await stranger(1, 6_000);
    const calls = group.adapter.calls.length;
    group.gated.watch.linksChanged({ platform: 'telegram', id: '1' });
    await group.gated.watch.idle();
    expect(group.adapter.calls.slice(calls)).toEqual([]);
    expect(await group.audit()).toEqual(['rule-added']);
  });
});

it('Whoever writes a lot in private, or has cards suggested by the keystroke, keeps out nobody else', async () => {
  await group.rule({ grant: ENTRY });
  await group.gated.watch.tick();
  await group.gated.watch.idle();
  await request('1');
  await stranger(1, 6_000);
  for (let i = 0; i < 3_000; i += 1) group.gated.watch.seen({ platform: 'telegram', id: 'inline' });
  group.gated.watch.linksChanged({ platform: 'telegram', id: '1' });
  await group.gated.watch.idle();
  expect(group.adapter.roles.has('1')).toBe(true);
});

it('Gating notices a permission restored during a pass that saw it missing', async () => {
  await group.rule({ grant: ENTRY });
  await stranger(1, 6_000);
  // The next scheduled pass is far away.
  await group.gated.watch.tick();
  const { inspect } = group.adapter;
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  group.adapter.inspect = async () => {
    begun.resolve();
    await held.promise;
    return { name: 'Whales', blockers: ['no-invite-right'] };
  };
  const pass = group.pass();
  await begun.promise;
  group.adapter.inspect = inspect;
  group.gated.watch.standingChanged(GROUP);
  await group.gated.watch.idle();
  held.resolve();
  await pass;
  expect(wordsOf(await request('1'))).toContain(EN.gate.joinPaused);
  await group.gated.watch.tick();
  expect(group.adapter.roles.has('1')).toBe(true);
});

describe('an admitted member', () => {
  beforeEach(async () => {
    await group.rule({ grant: ENTRY, graceSeconds: 7_200 });
    await stranger(1, 6_000);
    await request('1');
    group.adapter.told.length = 0;
  });

  it('gets a warning without links or buttons', async () => {
    group.score(1, 10);
    await group.hours(2);
    const [warning] = group.adapter.told;
    expect(warning?.card.actions).toEqual([]);
    expect(cardText(warning?.card as never)).not.toMatch(/https?:/);
  });

  it('stays as an administrator, whatever their wallet', async () => {
    group.adapter.admins.add('1');
    group.score(1, 0);
    await group.hours(20);
    expect(group.adapter.roles.has('1')).toBe(true);
  });
});

it("A member isn't removed if they were there before the rule", async () => {
  group.adapter.join('9', ENTRY);
  await group.member(9, 10);
  await group.rule({ grant: ENTRY, graceSeconds: 0 });
  await group.hours(20);
  expect(group.adapter.calls.filter((call) => call.startsWith('take'))).toEqual([]);
});

it('A join request stays when the group becomes a supergroup, as do the rules', async () => {
  await group.rule({ grant: ENTRY });
  await stranger(1, 6_000);
  await request('1');
  const to = { platform: 'telegram', id: '-100800' } as const;
  group.gated.watch.moved(GROUP, to);
  await group.gated.watch.idle();
  expect(await group.gated.gating.rulesOf(GROUP)).toEqual([]);
  expect(await group.gated.gating.rulesOf(to)).toHaveLength(1);
  expect(await group.store.gating.member(to, '1')).toBeDefined();
});

it('A member is fully removed after a restart if a kill interrupted the removal', async () => {
  await group.rule({ grant: ENTRY, graceSeconds: 0 });
  await stranger(1, 6_000);
  await request('1');
  const finished: string[] = [];
  const finishTake = async (_: string, account: string) => void finished.push(account);
  Object.assign(group.adapter, { finishTake });
  const life = new Life();
  const killed = Promise.withResolvers<void>();
  group.gated = group.open({
    store: life.of(group.store.gating),
    adapterOf: () => life.of(group.adapter),
  });
  const { take } = group.adapter;
  group.adapter.take = async (_, account) => {
    group.adapter.roles.delete(account);
    life.end();
    killed.resolve();
    return 'done';
  };
  group.score(1, 10);
  void group.hours(4).catch(() => undefined);
  await killed.promise;
  group.adapter.take = take;
  group.gated = group.open();
  await group.gated.watch.begin();
  await group.gated.watch.poll();
  expect(await group.store.gating.openRuns()).toEqual([]);
  expect(finished).toEqual(['1']);
});

it.each([
  ['is not carried out', false],
  ['is carried out, although no answer arrives', true],
])('Who is let in is told so, whichever call a killed process makes last %s', async (_, isDone) => {
  for (let killedAt = 1; ; killedAt += 1) {
    group = new GatedCommunity(GROUP);
    await group.rule({ grant: ENTRY });
    await group.gated.watch.idle();
    await stranger(1, 6_000);
    const life = new Life(killedAt - 1, isDone);
    group.gated = group.open({
      store: life.of(group.store.gating),
      adapterOf: () => life.of(group.adapter),
    });
    let isOver = false;
    void request('1').then(() => {
      isOver = true;
    });
    await expect.poll(() => isOver || life.isOver, { interval: 1 }).toBe(true);
    const wasKilled = life.isOver;

    group.gated = group.open();
    await group.gated.watch.begin();
    await group.gated.watch.idle();
    const about = `killed in call ${killedAt}`;
    const isIn = group.adapter.roles.has('1');
    const told = group.adapter.told.map(({ card }) => wordsOf(card));
    expect(told.join().includes(EN.gate.joinAdmitted), about).toBe(isIn);
    expect(told.length, about).toBeLessThanOrEqual(isIn && wasKilled ? 2 : 1);
    await group.store.close();
    if (wasKilled) continue;
    expect(killedAt).toBeGreaterThan(20);
    expect(isIn).toBe(true);
    return;
  }
});
