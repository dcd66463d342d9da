import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { ENTRY } from '#gating/rules/rule';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, MODERATOR } from '../support/gated-community.ts';

/* A rule that asks for a badge is told by the badge's name, which is what people know it by. */

const BADGE = { id: 'ea24', name: 'Early Adopter', description: '', tier: 'Rare', imageUrl: '' };
const ASKED = textsFor('en').gate.badge(BADGE.name);

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
  tellsNames(guild);
});

function tellsNames({ source }: GatedCommunity, isTold = true): void {
  const find = (id: string) => (isTold && id === BADGE.id ? BADGE : undefined);
  Object.assign(source, { badgeWithId: find, allBadges: () => [BADGE] });
}

async function say(command: string, args: Record<string, string>): Promise<string> {
  const { gated, source, community } = guild;
  const card = await answererWith({ gating: gated.gating, source }).answer({
    call: { command, args },
    caller: { platform: community.platform, id: '1', community: community.id },
    locale: 'en',
    isModerator: () => true,
  });
  return cardText(card);
}

it('A rule given with a badge’s name is told by that name wherever it is told', async () => {
  const told: string[] = [];
  const tell = async (command: string, args: Record<string, string>) =>
    void told.push(await say(command, args));
  await tell('gate', { action: 'add', role: '900', badge: BADGE.name });
  const [rule] = await guild.gated.gating.rulesOf(guild.community);
  expect(rule?.requirements).toEqual([{ kind: 'badge', badge: BADGE.id }]);
  await guild.member(1, 6_000);
  const id = rule?.id ?? '';
  await tell('gate', { action: 'edit', rule: id, grace: '5' });
  await tell('gate', { action: 'list' });
  await tell('gate', { action: 'why', member: '1' });
  await tell('access', {});
  await tell('gate', { action: 'pause', rule: id });
  await tell('gate', { action: 'resume', rule: id });
  await guild.gated.gating.panels.turnOn(guild.community, '77', MODERATOR);
  await guild.gated.gating.panels.of(guild.community);
  told.push(...guild.adapter.posts.map(({ card }) => cardText(card)));
  await tell('gate', { action: 'remove', rule: id });
  await tell('gate', { action: 'log' });
  expect(told).toHaveLength(10);
  for (const text of told) {
    expect(text).toContain(ASKED);
    expect(text).not.toContain(BADGE.id);
  }
});

it('Whoever asks to join a group is told the name of the badge', async () => {
  guild = new GatedCommunity(GROUP);
  tellsNames(guild);
  await guild.rule({ grant: ENTRY, requirements: [{ kind: 'badge', badge: BADGE.id }] });
  guild.adapter.requests.add('5');
  const card = await guild.gated.watch.requested(GROUP, '5', 'en');
  expect(card && cardText(card)).toContain(ASKED);
});

it('A badge whose name the source does not tell is called by its ID', async () => {
  tellsNames(guild, false);
  await guild.rule({ requirements: [{ kind: 'badge', badge: BADGE.id }] });
  expect(await say('gate', { action: 'list' })).toContain(textsFor('en').gate.badge(BADGE.id));
});
