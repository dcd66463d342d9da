import { beforeEach, expect, it } from 'vitest';
import { PLATFORMS } from '#app/config';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import type { Answerer } from '#commands/answering/answerer';
import { AnnouncingCommunity } from '../support/announcing.ts';
import { answererWith, CALLER } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GROUP } from '../support/gated-community.ts';

/* `/gate announce`, and the switch for it in `/privacy`. */

let guild: AnnouncingCommunity;
let answerer: Answerer;

beforeEach(() => {
  serve(new AnnouncingCommunity());
});

function serve(community: AnnouncingCommunity): void {
  guild = community;
  answerer = answererWith({ gating: guild.gated.gating, platforms: PLATFORMS });
}

async function say(args: Record<string, string>, locale = 'en', isModerator = true) {
  const { platform, id } = guild.community;
  const card = await answerer.answer({
    call: { command: 'gate', args },
    caller: { platform, id: '1', community: id },
    locale,
    isModerator: () => isModerator,
  });
  return cardText(card);
}

const en = textsFor('en');
const es = textsFor('es');

const settings = async () => (await guild.gated.gating.announcing.of(guild.community)).settings;

it('/gate announce says what is announced, changes it, and turns it off', async () => {
  const none = await say({ action: 'announce' });
  expect(none).toContain(en.announce.off);
  expect(none).toContain(en.announce.examples.channel);
  const inSpanish = await say({ action: 'announce' }, 'es');
  expect(inSpanish).toContain(es.announce.examples.channel);
  expect(await say({ action: 'announce', from: 'shark' })).toContain('channel');
  expect(await settings()).toBeUndefined();
  expect(await say({ action: 'announce', channel: '77' })).toContain(
    en.announce.tiers(en.tiers.Whale),
  );
  expect(await settings()).toEqual({ channel: '77', from: 'Whale', badges: undefined });
  const shown = await say({ action: 'announce', from: 'shark', badges: 'epic' });
  expect(shown).toContain(
    `${en.announce.tiers(en.tiers.Shark)}, ${en.announce.badges(en.rarities.Epic)}`,
  );
  expect(await settings()).toEqual({ channel: '77', from: 'Shark', badges: 'Epic' });
  expect(await say({ action: 'announce' }, 'es')).toContain(es.announce.tiers(es.tiers.Shark));
  await guild.rule();
  expect(await say({ action: 'list' })).toContain(en.announce.goTo);
  await say({ action: 'announce', badges: 'none' });
  expect((await settings())?.badges).toBeUndefined();
  await say({ action: 'announce', switch: 'off' });
  expect(await settings()).toBeUndefined();
  const log = await say({ action: 'log' });
  expect(log).toMatch(new RegExp(`${en.gate.events['announce-on']}[^•]*#77`));
  expect(log).toContain(en.gate.events['announce-off']);
});

it('/gate announce needs no channel in Telegram, where the group is the place', async () => {
  serve(new AnnouncingCommunity(GROUP));
  const { chat } = en.announce.examples;
  expect(await say({ action: 'announce' })).toContain(chat);
  expect(await say({ action: 'digest', digest: 'weekly' })).toContain(chat);
  expect(await say({ action: 'announce', from: 'titan' })).toContain(en.announce.here);
  expect(await settings()).toMatchObject({ channel: GROUP.id, from: 'Titan' });
});

it('A community has a weekly digest where announcements go, which ends with them', async () => {
  expect(await say({ action: 'digest' })).toContain(en.digest.off);
  expect(await say({ action: 'digest', digest: 'weekly' })).toContain(
    en.digest.needsPlace(en.announce.examples.channel),
  );
  await say({ action: 'announce', channel: '77' });
  expect(await say({ action: 'digest', digest: 'weekly' })).toContain(en.digest.on);
  expect(await say({ action: 'digest' }, 'es')).toContain(es.digest.on);
  await guild.rule();
  expect(await say({ action: 'list' })).toContain(en.digest.on);
  await say({ action: 'digest', digest: 'off' });
  expect(await say({ action: 'list' })).not.toContain(en.digest.on);
  await say({ action: 'digest', digest: 'weekly' });
  await say({ action: 'announce', switch: 'off' });
  await say({ action: 'announce', channel: '77' });
  expect(await say({ action: 'digest' })).toContain(en.digest.off);
  expect(await say({ action: 'log' })).toMatch(
    new RegExp(`${en.gate.events['digest-off']}[^]*${en.gate.events['digest-on']}`),
  );
});

it('The setting of announcements is listed with all others, also where there are no rules yet', async () => {
  const { gate, digest, panel } = en;
  const all = [gate.ladderOn, gate.walletsSum, digest.on, panel.isIn, gate.logTo];
  const rest = [en.announce.goTo, gate.languageSet(gate.languages.es), '77', '78', '79'];
  const none = await say({ action: 'list' });
  for (const text of [...all, ...rest]) expect(none).not.toContain(text);
  await say({ action: 'announce', channel: '77' });
  await say({ action: 'digest', digest: 'weekly' });
  await say({ action: 'panel', channel: '78' });
  await say({ action: 'language', language: 'es' });
  await say({ action: 'ladder', switch: 'on' });
  await say({ action: 'wallets', count: 'sum' });
  await say({ action: 'channel', channel: '79' });
  const without = await say({ action: 'list' });
  for (const text of [gate.none, ...all, ...rest]) expect(without).toContain(text);
  await guild.rule();
  const listed = await say({ action: 'list' });
  for (const text of all) expect(listed).toContain(text);
});

it.each(['en', 'es'])('Lists say in %s that an announcement may be missing', async (locale) => {
  await say({ action: 'announce', channel: '77' });
  const announced = { refused: 'answer-lost' } as const;
  await guild.store.gating.putSettings(guild.community, { announced });
  const { announce } = textsFor(locale);
  for (const action of ['list', 'announce']) {
    const shown = await say({ action }, locale);
    expect(shown).toContain(announce.lost);
    expect(shown).not.toContain(announce.refusedIn);
  }
});

it('/gate announce is for moderators', async () => {
  await say({ action: 'announce', channel: '77' }, 'en', false);
  expect(await settings()).toBeUndefined();
});

it('/privacy has a switch of its own, which other choices keep', async () => {
  const privacy = async (args: Record<string, string>) =>
    cardText(
      await answerer.answer({ call: { command: 'privacy', args }, caller: CALLER, locale: 'en' }),
    );
  expect(await privacy({})).not.toContain('Announce');
  expect(await privacy({ choice: 'public' })).toContain(en.announce.on);
  expect(await privacy({ announce: 'off' })).toContain(en.announce.declined);
  expect(await privacy({ choice: 'public' })).toContain(en.announce.declined);
  expect(await privacy({ announce: 'on' })).toContain(en.announce.on);
});

it('/gate announce and /gate digest say what keeps the bot from posting, if the platform answers', async () => {
  const canPost = async (_: string, channel: string) => {
    if (channel === '80') throw new RetryableError('away');
    return channel === '77' || ('channel-gone' as const);
  };
  Object.assign(guild.adapter, { canPost });
  const { channelFailed, chooseAnotherWith } = textsFor('en').gate;
  const why = `${channelFailed['channel-gone']} ${chooseAnotherWith('/gate announce')}`;
  for (const [channel, isWarned] of [
    ['77', false],
    ['78', true],
    ['80', false],
  ] as const) {
    expect((await say({ action: 'announce', channel })).includes(why)).toBe(isWarned);
    expect((await say({ action: 'digest', digest: 'weekly' })).includes(why)).toBe(isWarned);
    expect((await say({ action: 'list' })).includes(why)).toBe(isWarned);
    expect((await settings())?.channel).toBe(channel);
  }
});
