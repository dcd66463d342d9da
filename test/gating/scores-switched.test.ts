import { expect, it, onTestFinished } from 'vitest';
import { openQuietly } from '../support/filled-store.ts';
import { GatedCommunity, GUILD } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

const MEMBERS = 40;
const members = Array.from({ length: MEMBERS }, (_, i) => i + 1);

/** Points for an event, and for one that half of the members have in addition. */
const rules = (version: number, points: number, more: number) =>
  rulesText(
    [
      `{id: a, on: {import: joined}, give: {type: joined, points: ${points}}}`,
      `{id: b, on: {import: stayed}, give: {type: stayed, points: ${more}}}`,
    ],
    { version },
  );

/** A community whose roles depend on scores from rules. */
async function scored() {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const source = await store.openSource();
  const guild = new GatedCommunity(GUILD, store);
  guild.gated = guild.open({ source });
  onTestFinished(() => guild.gated.stop());
  const byRules = new ScoredStore(store, TODAY);
  for (const id of members) await guild.member(id, 0);
  await byRules.add(
    ...members.map((id) => eventOf(walletOf(id), 'j', { event: 'joined' })),
    ...members
      .filter((id) => id % 2 === 0)
      .map((id) => eventOf(walletOf(id), 's', { event: 'stayed' })),
  );
  await byRules.apply(rules(1, 6_000, 0));
  await store.refresh();
  await guild.rule({ graceSeconds: 0 });
  await guild.pass();
  expect(guild.holders()).toHaveLength(MEMBERS);
  return { store, source, guild, byRules };
}

it('gating never sees a score version being built, and sees its switch as one change', async () => {
  const { store, source, guild, byRules } = await scored();
  const revision = () => source.reading().revision;
  const before = revision();
  const seen = new Set<string>();
  // After each part, wait as long as a fallen member keeps their role.
  const evaluator = byRules.evaluator(async () => {
    await store.refresh();
    seen.add(revision());
    await guild.hours(2);
  });
  const [evaluation, kept] = byRules.rulesOf(rules(2, 10, 6_000));
  const { number } = await evaluator.build(evaluation, kept);
  expect([...seen]).toEqual([before]);
  expect(guild.holders()).toHaveLength(MEMBERS);

  const live = await store.scoring.live();
  expect(await store.scoring.switchTo(number, live?.number, kept.badges)).toBe(true);
  await store.refresh();
  const after = revision();
  expect(after).not.toBe(before);
  await byRules.store.refresh();
  expect(revision()).toBe(after);

  // All who would lose the role are in one run, which the brake holds.
  await guild.hours(3);
  expect(guild.holders()).toHaveLength(MEMBERS);
  const held = await store.gating.heldRuns(GUILD);
  expect(held).toHaveLength(1);
  const takes = await store.gating.changesOf(held[0]?.id ?? '', undefined, -1, 1_000);
  expect(new Set(takes.map(({ account, step }) => `${step} ${account}`))).toEqual(
    new Set(members.filter((id) => id % 2 === 1).map((id) => `take ${id}`)),
  );
});
