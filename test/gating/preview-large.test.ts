import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { FILE_MAX } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { noGrant } from '#gating/decide/grant';
import { FindingList } from '#gating/reports/spreadsheet';
import type { Finding } from '#gating/runs/planner';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity } from '../support/gated-community.ts';

const RULES = 25;
const MEMBERS = 300;

let guild: GatedCommunity;
/** The most wallets that may be read without yielding. */
let mostAtOnce: number;

beforeEach(async () => {
  guild = new GatedCommunity();
  for (let i = 0; i < RULES; i++) {
    await guild.rule({ grant: String(900 + i), requirements: [{ kind: 'score', least: 1_000 }] });
  }
  for (let id = 1; id <= MEMBERS; id++) await guild.member(id, 6_000);
  mostAtOnce = 0;
  let runSteps = 0;
  guild.source.before = () => {
    runSteps += 1;
    mostAtOnce = Math.max(mostAtOnce, runSteps);
    if (runSteps === 1) setImmediate(() => (runSteps = 0));
  };
});

it("A preview generates no line for a finding that doesn't fit into the file", () => {
  const list = new FindingList(10);
  let read = 0;
  const rule = { id: 'r', grantName: 'W'.repeat(FILE_MAX / 4) };
  const verdict = { answer: 'lacks' as const, standing: undefined, asOf: undefined };
  const finding = {
    account: '1',
    verdict,
    grant: noGrant('r', '1'),
    get rule() {
      read += 1;
      return rule;
    },
  } as unknown as Finding;
  for (let i = 0; i < 1_000; i++) list.add(finding);
  expect(list.count).toBe(1_000);
  expect(list.lines.count).toBe(3);
  // Once for each line, and for the first that is too long.
  expect(read).toBeLessThanOrEqual(4 * 2);
});

it("A preview counts accounts that weren't looked up page by page", async () => {
  const { gating } = guild.store;
  let runSteps = 0;
  let asked = 0;
  gating.linkedElsewhere = async (_, after, limit) => {
    runSteps += 1;
    expect(runSteps).toBe(1);
    setImmediate(() => (runSteps = 0));
    asked += 1;
    return Array.from({ length: asked < 5 ? limit : 7 }, (_value, i) => `${after}${i}`.slice(-9));
  };
  guild.adapter.before = () => {
    throw new RetryableError('away');
  };
  const { unseen } = await guild.gated.gating.preview(guild.community);
  expect(unseen).toBeGreaterThan(0);
  expect(unseen % 1_000).toBe(7);
});

describe('a preview of many rules and members', () => {
  it('yields to other work, and keeps little of what it counts', async () => {
    const preview = await guild.gated.gating.preview(guild.community);
    expect(preview.counts).toEqual({ gains: RULES * MEMBERS, losses: 0, replaced: 0, atRisk: 0 });
    expect(preview.gains).toHaveLength(1_000);
    // 20 members with 25 rules each make 500 verdicts.
    expect(mostAtOnce).toBeLessThanOrEqual(20 * 2);
    expect(preview.file.text.length).toBeLessThanOrEqual(FILE_MAX);
    expect(preview.file.text.trimEnd().split('\r\n')).toHaveLength(preview.file.count + 1);
    expect(preview.file.count).toBe(RULES * MEMBERS);
  });

  it('says how many of them fit into the file', async () => {
    const { rulesAndSettingsOf } = guild.store.gating;
    const long = 'W'.repeat(400);
    guild.store.gating.rulesAndSettingsOf = async (community) => {
      const { rules, settings } = await rulesAndSettingsOf(community);
      return { rules: rules.map((rule) => ({ ...rule, grantName: long })), settings };
    };
    const { counts, file } = await guild.gated.gating.preview(guild.community);
    expect(counts.gains).toBe(RULES * MEMBERS);
    expect(file.count).toBeLessThan(counts.gains);
    expect(file.text.length).toBeLessThanOrEqual(FILE_MAX);
    expect(file.text.length).toBeGreaterThan(FILE_MAX - 500);
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(file.count + 1);
    const answerer = answererWith({ commands, gating: guild.gated.gating });
    const call = { command: 'gate', args: { action: 'preview' } };
    const caller = { platform: 'discord', id: '1', community: guild.community.id } as const;
    const card = await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
    expect(cardText(card)).toContain(
      textsFor('en').gate.someInFile(file.count.toLocaleString('en'), '7,500'),
    );
  });
});
