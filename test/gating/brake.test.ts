import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { GatedCommunity } from '../support/gated-community.ts';

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const held = async () => (await guild.store.gating.heldRuns(guild.community)).length;
const taken = async () =>
  new Set((await guild.audit()).filter((row) => row.startsWith('taken '))).size;

/** Members who get the role from a rule. */
async function give(count: number): Promise<void> {
  await guild.rule({ graceSeconds: 0 });
  for (const id of ids(1, count)) await guild.member(id, 6_000);
  await guild.pass();
  expect(guild.holders()).toHaveLength(count);
}

async function fall(from: number, to: number): Promise<void> {
  for (const id of ids(from, to)) guild.score(id, 10);
  await guild.hours(2);
}

it('a preview says if a run would ask before it removes anything', async () => {
  await give(20);
  for (const [fallen, isTooMuch] of [
    [5, false],
    [10, true],
  ] as const) {
    for (const id of ids(1, fallen)) guild.score(id, 10);
    await guild.hours(0.5);
    await guild.hours(0.5);
    guild.now += 1_800;
    const { counts, isTooMuch: said } = await guild.gated.gating.preview(guild.community);
    expect([counts.losses, said]).toEqual([fallen, isTooMuch]);
    for (const id of ids(1, fallen)) guild.score(id, 6_000);
    await guild.pass();
  }
});

describe("the brake, if members can't be listed,", () => {
  it("doesn't count members who left as holders", async () => {
    await give(80);
    for (const id of ids(9, 80)) guild.adapter.roles.delete(String(id));
    await fall(1, 8);
    expect(await taken()).toBe(0);
    expect(await held()).toBe(1);
  });

  it("doesn't count members whose role was removed by hand as holders", async () => {
    await give(80);
    for (const id of ids(9, 80)) guild.adapter.join(String(id));
    await fall(1, 8);
    expect(await taken()).toBe(0);
    expect(await held()).toBe(1);
  });

  it('allows a tenth of the actual holders, and checks no more members than it needs', async () => {
    await give(150);
    guild.adapter.calls.length = 0;
    await fall(1, 8);
    expect(await taken()).toBe(8);
    const asked = new Set(guild.adapter.calls.filter((call) => call.startsWith('member ')));
    expect(asked.size).toBe(80);
  });

  it('counts a member who lost the role and has it again once', async () => {
    await give(100);
    await fall(1, 10);
    expect(guild.holders()).toHaveLength(90);
    for (const id of ids(1, 10)) guild.score(id, 6_000);
    await guild.pass();
    expect(guild.holders()).toHaveLength(100);
    await fall(11, 11);
    expect(await taken()).toBe(10);
    expect(await held()).toBe(1);
  });

  it('waits until the platform can say who has it', async () => {
    await give(150);
    let isAway = true;
    guild.adapter.before = (call) => {
      const [step, id] = call.split(' ');
      if (isAway && step === 'member' && Number(id) > 8) throw new RetryableError('502');
      return undefined;
    };
    await fall(1, 8);
    expect(await taken()).toBe(0);
    expect(await held()).toBe(0);
    isAway = false;
    await guild.gated.watch.begin();
    expect(await taken()).toBe(8);
  });
});
