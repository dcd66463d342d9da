import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { LANGUAGES, textsFor } from '#command/texts/index';
import type { Requirement } from '#gating/requirements/index';
import { type Community, ENTRY, type Rule } from '#gating/rules/rule';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, GUILD, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

const { access: words } = textsFor('en');
const WHALE: readonly Requirement[] = [{ kind: 'tier', tier: 'Whale' }];

let guild: GatedCommunity;

/** Someone types `/access` there, or elsewhere. */
async function say(
  account: string,
  args: Record<string, string> = {},
  change: { community?: string | undefined; locale?: string } = {},
): Promise<Card> {
  const { platform, id } = guild.community;
  const caller: Caller = { platform, id: account, community: id, ...change };
  const { locale = 'en' } = change;
  const { gating } = guild.gated;
  const answerer = answererWith({ gating, clock: () => guild.now * 1000 });
  return await answerer.answer({ call: { command: 'access', args }, caller, locale });
}

const stated = async (account: string) => cardText(await say(account));

/** Rules whose roles have names of their own. */
async function rules(...given: readonly (Partial<Rule> & { name: string })[]): Promise<void> {
  for (const [i, { name, ...change }] of given.entries()) {
    guild.now += 1;
    const rule = await guild.rule({ grant: String(900 + i), ...change });
    await guild.store.gating.renameGrant(guild.community, rule.grant, name);
  }
}

beforeEach(() => {
  guild = new GatedCommunity(GUILD);
});

describe.each(LANGUAGES)('/access in %s', (language) => {
  it('tells a member of each rule', async () => {
    await rules(
      { name: 'Sharks', requirements: [{ kind: 'tier', tier: 'Shark' }] },
      { name: 'Whales', requirements: WHALE },
      { name: 'Elite', requirements: [...WHALE, { kind: 'top', most: 1 }] },
      { name: 'Divers', requirements: [{ kind: 'badge', badge: 'reef' }], match: 'any' },
      { name: 'Sol', requirements: WHALE, chain: 'solana' },
      {
        name: 'Small',
        requirements: [{ kind: 'score', least: 1 }],
        bounds: [{ kind: 'below', tier: 'Shark' }],
      },
      { name: 'Barred', requirements: [{ kind: 'score', least: 1 }] },
      { name: 'Secret', requirements: [{ kind: 'score', least: 1 }], isHidden: true },
    );
    const account = await guild.member(5, 3_190);
    guild.adapter.roles.get(account)?.add('900');
    const { gating } = guild.gated;
    await gating.barring.bar(guild.community, account, '906', 'discord:1');
    const shown = [cardText(await say(account, {}, { locale: language }))];
    guild.score(5, 5_000);
    shown.push(cardText(await say(account, {}, { locale: language })));
    shown.push(cardText(await say(account, { check: 'now' }, { locale: language })));
    guild.source.isStale = true;
    shown.push(cardText(await say(account, {}, { locale: language })));
    guild.source.isStale = false;
    guild.adapter.join('77');
    shown.push(cardText(await say('77', {}, { locale: language })));
    const text = shown.join('\n');
    expect(text).not.toContain('Secret');
    await expect(text).toMatchFileSnapshot(`golden/access.${language}.txt`);
  });
});

describe('/access', () => {
  it('says when a member loses something, and that they no longer qualify before that', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 5_000);
    await guild.gated.gating.run(guild.community, 'discord:1');
    expect(guild.adapter.holders(ROLE)).toEqual([account]);
    guild.score(5, 4_000);
    expect(await stated(account)).toContain(
      `${words.haveBut} ${words.missing('1,000 points to Whale')}`,
    );
    for (let i = 0; i < 4; i += 1) {
      guild.now += 1_801;
      await guild.gated.gating.run(guild.community, 'discord:1');
    }
    expect(await stated(account)).toContain(words.losingUnless);
    guild.score(5, 5_000);
    guild.now += 60;
    await guild.gated.gating.run(guild.community, 'discord:1');
    expect(await stated(account)).toContain(words.have);
  });

  it('says of a lower role of a ladder that a higher one takes its place', async () => {
    await guild.store.gating.putSettings(guild.community, { isLadder: true });
    await rules(
      { name: 'Sharks', requirements: [{ kind: 'tier', tier: 'Shark' }] },
      { name: 'Whales', requirements: WHALE },
    );
    const account = await guild.member(5, 5_000);
    const text = await stated(account);
    expect(text).toContain(words.passed);
    expect(text).toContain(words.next);
    expect(cardText(await say(account, { check: 'now' }))).toContain(words.have);
    expect(guild.adapter.roles.get(account)).toEqual(new Set(['901']));
  });

  it('gives at once what a member qualifies for, though no round has seen them yet', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 5_000);
    await guild.store.gating.forgetMember(guild.community, account);
    expect(await stated(account)).toContain(words.next);
    expect(guild.adapter.holders(ROLE)).toEqual([]);
    expect(cardText(await say(account, { check: 'now' }))).toContain(words.have);
    expect(guild.adapter.holders(ROLE)).toEqual([account]);
  });

  it('asks the platform for nothing that a member does not qualify for', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 4_999);
    await say(account, { check: 'now' });
    expect(guild.adapter.calls.filter((call) => !call.startsWith('member'))).toEqual([]);
    expect(await guild.gated.gating.runsOf(guild.community, 9)).toEqual([]);
  });

  it('writes nothing, not even what the source shows, for a look', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 4_000);
    await guild.pass();
    const memoryNow = async () => (await guild.store.gating.settingsOf(guild.community)).memory;
    const memory = await memoryNow();
    expect(memory).toEqual({ totalUsers: 2 });
    await guild.member(6, 4_000);
    await say(account);
    await guild.gated.gating.preview(guild.community);
    await guild.gated.gating.why(guild.community, account);
    expect(await memoryNow()).toEqual(memory);
    await guild.pass();
    expect(await memoryNow()).toEqual({ totalUsers: 3 });
  });

  it('says what a check has done, also if that is nothing', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 5_000);
    const given = await say(account, { check: 'now' });
    expect(given.toast).toBe(words.checkedAndGiven);
    expect(cardText(given)).toContain(words.checkedAndGiven);
    const again = await say(account, { check: 'now' });
    expect(again.toast).toBe(words.checked);
    expect((await say(account)).toast).toBeUndefined();
  });

  it('tells of a role that replaced another, though they are as many as before', async () => {
    await guild.store.gating.putSettings(guild.community, { isLadder: true });
    await rules(
      { name: 'Sharks', requirements: [{ kind: 'tier', tier: 'Shark' }] },
      { name: 'Whales', requirements: WHALE },
    );
    const account = await guild.member(5, 3_000);
    await say(account, { check: 'now' });
    expect(guild.adapter.roles.get(account)).toEqual(new Set(['900']));
    guild.score(5, 5_000);
    const replaced = await say(account, { check: 'now' });
    expect(guild.adapter.roles.get(account)).toEqual(new Set(['901']));
    expect(replaced.toast).toBe(words.checkedAndGiven);
  });

  it('tells of a role that somebody takes away during the check', async () => {
    await rules({ name: 'Whales', requirements: WHALE }, { name: 'Others', requirements: WHALE });
    const account = await guild.member(5, 5_000);
    guild.adapter.roles.get(account)?.add('900');
    guild.adapter.before = (call) => {
      if (!call.startsWith('give')) return undefined;
      guild.adapter.roles.get(account)?.delete('900');
      throw new RetryableError('the platform is away');
    };
    const { toast } = await say(account, { check: 'now' });
    expect(toast).toBe(`${words.checkedAndLost} ${words.notAllChecked}`);
  });

  it('does not say that nothing has changed where it cannot know', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 5_000);
    const toast = async () => (await say(account, { check: 'now' })).toast;
    guild.source.isStale = true;
    expect(await toast()).toBe(words.notAllChecked);
    guild.source.isStale = false;
    guild.source.before = () => {
      throw new RetryableError('the source is away');
    };
    expect(await toast()).toBe(words.notAllChecked);
    guild.source.before = () => undefined;
    guild.adapter.before = () => {
      throw new RetryableError('the platform is away');
    };
    expect(await toast()).toBe(words.notAllChecked);
  });

  it('says of entry that nothing has changed, as it waits for the member', async () => {
    guild = new GatedCommunity(GROUP);
    await guild.rule({ grant: ENTRY, requirements: WHALE });
    const account = await guild.member(5, 5_000);
    guild.adapter.roles.delete(account);
    const card = await say(account, { check: 'now' });
    expect(cardText(card)).toContain(words.nextEntry);
    expect(card.toast).toBe(words.checked);
  });

  it('asks nobody to ask once more who has asked to join, whatever keeps them out', async () => {
    guild = new GatedCommunity(GROUP);
    await guild.rule({ grant: ENTRY, requirements: WHALE });
    const account = await guild.member(5, 5_000);
    guild.adapter.roles.delete(account);
    const request = { account, locale: undefined, askedAt: guild.now };
    await guild.store.gating.keepJoinRequest(GROUP, request, 9);
    guild.adapter.before = () => {
      throw new RetryableError('the platform is away');
    };
    const card = await say(account, { check: 'now' }, { community: undefined });
    expect(cardText(card)).toContain(words.asked);
    expect(card.toast).toBe(words.notAllChecked);
    const refusal = { account, grant: ENTRY, code: 'refused 7', at: guild.now } as const;
    await guild.store.gating.putRefusal(GROUP, refusal);
    expect(await stated(account)).not.toContain(words.asked);
    guild.now += 90_000;
    expect(await stated(account)).toContain(words.asked);
  });

  it('is private, and never takes or counts anything', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 4_000);
    guild.adapter.roles.get(account)?.add(ROLE);
    const before = await guild.store.gating.grantsOf(guild.community, [account]);
    for (let i = 0; i < 5; i += 1) {
      guild.now += 7_200;
      expect((await say(account)).private).toBe(true);
    }
    expect(await guild.store.gating.grantsOf(guild.community, [account])).toEqual(before);
    expect(guild.adapter.holders(ROLE)).toEqual([account]);
  });

  it('does not tell of hidden rules, not even that there are some', async () => {
    await guild.rule({ requirements: WHALE, isHidden: true });
    const account = await guild.member(5, 5_000);
    const hidden = await stated(account);
    expect(hidden).toContain(words.none);
    const [rule] = await guild.gated.gating.rulesOf(guild.community);
    await guild.gated.gating.remove(guild.community, rule!.id, 'discord:1');
    expect(await stated(account)).toBe(hidden);
  });

  it.each([
    ['a rule is paused', {}, true, words.paused],
    ['only hidden rules are paused', { isHidden: true }, true, words.none],
    ['a hidden rule beside it works', {}, false, words.paused],
  ])('says what is true where %s', async (_, change, alone, said) => {
    const { id } = await guild.rule({ requirements: WHALE, ...change });
    if (!alone) await guild.rule({ requirements: WHALE, grant: '901', isHidden: true });
    const account = await guild.member(5, 5_000);
    await guild.gated.gating.pause(guild.community, id, 'discord:1');
    expect((await stated(account)).includes(said)).toBe(true);
    await guild.gated.gating.unpause(guild.community, id, 'discord:1');
    expect((await stated(account)).includes(words.paused)).toBe(false);
  });

  it('shows nothing of others, and says so of whoever has no wallet', async () => {
    await guild.rule({ requirements: WHALE });
    await guild.member(5, 5_000);
    guild.adapter.join('6');
    const text = await stated('6');
    expect(text).toContain(words.noWallet);
    expect(text).toContain(words.missing(words.wallet));
  });

  it('answers from what is on record while the platform fails', async () => {
    await guild.rule({ requirements: WHALE });
    const account = await guild.member(5, 5_000);
    await guild.gated.gating.run(guild.community, 'discord:1');
    guild.adapter.before = () => {
      throw new RetryableError('the platform is away');
    };
    expect(await stated(account)).toContain(words.have);
  });

  it('belongs to a server, but tells in private of groups that someone asks to join', async () => {
    const away = { community: undefined };
    expect((await say('5', {}, away)).tone).toBe('error');
    guild = new GatedCommunity(GROUP);
    await guild.rule({ grant: ENTRY, requirements: WHALE });
    const account = await guild.member(5, 4_000);
    await guild.store.gating.forgetMember(GROUP, account);
    guild.adapter.roles.delete(account);
    expect(cardText(await say(account, {}, away))).toContain(words.none);
    const request = { account, locale: undefined, askedAt: guild.now };
    await guild.store.gating.keepJoinRequest(GROUP, request, 9);
    const asked = cardText(await say(account, {}, away));
    expect(asked).toContain(words.missing('1,000 points to Whale'));
    expect(asked).toContain(words.entryTo('Whales'));
  });

  it('says in private by the name of each group whether it adds wallets up, where they differ', async () => {
    guild = new GatedCommunity(GROUP);
    const other: Community = { ...GROUP, id: '-100800' };
    const account = await guild.member(5, 4_000);
    await guild.link(account, walletOf(6));
    await guild.store.gating.noteMembers(other, [account]);
    const { id: _, ...rule } = await guild.rule({ grant: ENTRY, requirements: WHALE });
    await guild.gated.gating.add(other, rule, MODERATOR);
    await guild.store.gating.renameGrant(GROUP, ENTRY, 'Reef');
    await guild.store.gating.renameGrant(other, ENTRY, 'Lagoon');
    const inPrivate = async () => cardText(await say(account, {}, { community: undefined }));
    expect((await inPrivate()).split(words.oneWallet)).toHaveLength(2);
    await guild.gated.gating.choices.setWalletMode(other, 'sum', MODERATOR);
    const shown = await inPrivate();
    expect(shown).toContain(`*${words.entryTo('Reef')}*: _${words.oneWallet}_`);
    expect(shown).toContain(`*${words.entryTo('Lagoon')}*: _${words.sumOfWallets}_`);
  });
});
