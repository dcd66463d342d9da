import { beforeEach, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { cardText } from '../support/card-text.ts';
import type { FixedSource } from '../support/fixed-source.ts';
import { GatedCommunity, GUILD, MODERATOR } from '../support/gated-community.ts';

const EN = textsFor('en');

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= 9; id++) await guild.member(id, 6_000);
  await guild.pass();
  await guild.gated.gating.setLogChannel(guild.community, '55', reportCard(), MODERATOR);
  guild.adapter.reports.length = 0;
});

/** Keeps one wallet in ten. */
function loseMost(): void {
  for (const address of [...guild.source.scores.keys()].slice(1))
    guild.source.scores.delete(address);
}

const accept = () => guild.gated.gating.accept(GUILD, MODERATOR);

describe('a source that legitimately shows far fewer wallets', () => {
  it('is asked about once after three passes over an hour, and applied once accepted', async () => {
    loseMost();
    await guild.pass();
    guild.now += 1_800;
    await guild.pass();
    expect(guild.adapter.reports).toEqual([]);
    await expect(accept()).rejects.toMatchObject({ code: 'gate-nothing' });
    guild.now += 1_800;
    await guild.pass();
    expect(guild.adapter.reports.map(cardText)).toEqual([
      expect.stringContaining(EN.gate.doubtful.lost('10', '1', true)),
    ]);
    expect(guild.adapter.reports[0]?.actions).toContainEqual([
      {
        label: EN.gate.acceptButton,
        call: { command: 'gate', args: { action: 'accept', rule: 'lost1' } },
      },
    ]);
    await guild.hours(3);
    expect(guild.adapter.reports).toHaveLength(1);

    expect(await accept()).toEqual({ kind: 'lost', before: 10, now: 1 });
    expect((await guild.audit()).at(-1)).toBe('accepted');
    await guild.hours(2);
    // Nine of ten are too many to remove without asking.
    expect(guild.adapter.reports.at(-1)?.title).toContain(EN.gate.heldTitle);
    expect(guild.holders()).toHaveLength(9);
  });

  it('is asked about until a moderator could be told, even after a restart', async () => {
    loseMost();
    guild.adapter.before = (call) => {
      if (call.startsWith('report')) throw new Error('the channel is gone');
      return undefined;
    };
    await guild.hours(2);
    expect(guild.adapter.reports).toEqual([]);
    await guild.restart();
    guild.adapter.before = () => undefined;
    await guild.pass();
    expect(guild.adapter.reports).toHaveLength(1);
  });

  it('is forgotten once it shows them again', async () => {
    const before = new Map(guild.source.scores);
    loseMost();
    await guild.hours(1);
    for (const [address, score] of before) guild.source.scores.set(address, score);
    await guild.pass();
    loseMost();
    await guild.hours(1);
    expect(guild.adapter.reports).toEqual([]);
    await expect(accept()).rejects.toMatchObject({ code: 'gate-nothing' });
  });

  it("isn't accepted by a button that asked about something else, weeks ago", async () => {
    loseMost();
    await guild.hours(2);
    const press = (code: string) => guild.gated.gating.accept(GUILD, MODERATOR, code);
    for (const code of ['zeros1', 'lost5', 'lost', '', 'lost99999999999999999999']) {
      await expect(press(code)).rejects.toMatchObject({ code: 'gate-nothing' });
    }
    expect(await press('lost1')).toEqual({ kind: 'lost', before: 10, now: 1 });
  });

  it("isn't accepted if it shows much less than what was asked about", async () => {
    for (const address of [...guild.source.scores.keys()].slice(4)) {
      guild.source.scores.delete(address);
    }
    await guild.hours(2);
    expect(guild.adapter.reports).toHaveLength(1);
    loseMost();
    await expect(accept()).rejects.toMatchObject({ code: 'gate-nothing' });
  });
});

describe('a source whose wallets have no points', () => {
  it('is applied once that was accepted, until there are points again', async () => {
    for (const address of guild.source.scores.keys()) guild.source.scores.set(address, 0);
    await guild.hours(2);
    expect(guild.adapter.reports.map(cardText)).toEqual([
      expect.stringContaining(EN.gate.doubtful.zeros),
    ]);
    expect(await accept()).toEqual({ kind: 'zeros', now: 10 });
    expect((await guild.pass())?.doubt).toBeUndefined();
    guild.score(1, 7_000);
    expect((await guild.pass())?.doubt).toBeUndefined();
    guild.score(1, 0);
    expect((await guild.pass())?.doubt).toBe('implausible');
  });
});

it("a source that contradicts itself can't be accepted", async () => {
  guild.source.zeros = true;
  await guild.hours(2);
  expect(guild.adapter.reports.map(cardText)).toEqual([
    expect.stringContaining(EN.gate.doubtful.contradiction),
  ]);
  expect(guild.adapter.reports[0]?.actions).toEqual([]);
  await expect(accept()).rejects.toMatchObject({ code: 'gate-nothing' });
});

it('a wallet that joins between two questions fails no pass', async () => {
  const { source } = guild;
  const reading = source.reading.bind(source);
  source.reading = () => {
    const now = reading();
    const stats = now.stats.bind(now);
    // Committed right after the first answer.
    now.stats = () => ({ ...stats(), totalUsers: stats().totalUsers - 1 });
    return now as FixedSource;
  };
  expect((await guild.pass())?.doubt).toBeUndefined();
});

function reportCard() {
  const parts = { blocks: [], actions: [], menu: undefined, footer: [], private: false };
  return { tone: 'plain' as const, title: 'Reports', ...parts };
}
