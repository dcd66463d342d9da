import { beforeEach, expect, it } from 'vitest';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { auditRow } from '../support/gate-records.ts';
import { GatedCommunity, GUILD, ROLE } from '../support/gated-community.ts';

const { gate: texts } = textsFor('en');

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity(GUILD);
});

/** Runs `/gate` as a moderator. */
async function say(args: Record<string, string>): Promise<Card> {
  const caller = { platform: GUILD.platform, id: '1', community: GUILD.id };
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
  const call = { command: 'gate', args };
  return await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
}

it('/gate log says of a rule which it was, even if it is gone', async () => {
  await say({ action: 'add', role: ROLE, tier: 'whale' });
  const [rule] = await guild.gated.gating.rulesOf(guild.community);
  await say({ action: 'remove', rule: rule?.id ?? '' });
  const log = cardText(await say({ action: 'log' }));
  expect(log).toContain(`${texts.events['rule-removed']} · \`${rule?.id}\``);
  expect(log.match(/Whales: Whale or higher/g)).toHaveLength(2);
});

it('/gate shows a change once in the log, even if its beginning is on another page', async () => {
  const change = { run: 'run00001', rule: 'aaaa', account: '1' };
  const others = Array.from({ length: 20 }, () => auditRow('held', { community: GUILD }));
  await guild.store.gating.audit([
    auditRow('give-begun', { ...change, community: GUILD }),
    ...others,
    auditRow('given', { ...change, community: GUILD }),
  ]);
  expect(cardText(await say({ action: 'log' }))).toContain('granted');
  // The end may have come nearer since a button was made.
  expect(cardText(await say({ action: 'log', page: '99' }))).toContain('granted');
  const second = cardText(await say({ action: 'log', page: '2' }));
  expect(second).toContain('held');
  expect(second).not.toContain('started');
});

it('/gate log credits no rule with what somebody unknown did by hand', async () => {
  const about = { account: '1', community: GUILD, by: undefined, detail: '' };
  await guild.store.gating.audit([auditRow('barred', about), auditRow('unbarred', about)]);
  const log = cardText(await say({ action: 'log' }));
  expect(log).toContain(texts.byHandOf.barred);
  expect(log).toContain(texts.byHandOf.unbarred);
  expect(log).not.toContain(texts.byRule);
});
