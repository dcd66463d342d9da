import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import { decodeCall } from '#command/call-code';
import type { Card } from '#command/cards/card';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import type { Community } from '#gating/rules/rule';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, GUILD, ROLE } from '../support/gated-community.ts';

const { gate: texts, gateErrors } = textsFor('en');

let guild: GatedCommunity;

function openGuild(community: Community = GUILD): void {
  guild = new GatedCommunity(community);
}

/** Runs a command as a moderator of the community, or as someone else. */
async function say(
  args: Record<string, string>,
  { isModerator = true, inside = true, locale = 'en', command = 'gate' } = {},
): Promise<Card> {
  const caller: Caller = {
    platform: guild.community.platform,
    id: '1',
    community: inside ? guild.community.id : undefined,
  };
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
  const call = { command, args };
  return await answerer.answer({ call, caller, locale, isModerator: () => isModerator });
}

/** Ids are random. */
async function settled(text: string): Promise<string> {
  const rules = await guild.gated.gating.rulesOf(guild.community);
  const runs = await guild.gated.gating.runsOf(guild.community, 100);
  let same = text;
  for (const [i, { id }] of rules.entries()) same = same.replaceAll(id, `rule${i + 1}`);
  for (const { id } of runs) same = same.replaceAll(id, 'run00000');
  return same;
}

beforeEach(() => openGuild());

describe.each(LANGUAGES)('gating in %s', (language) => {
  it('shows a moderator each step, from the first rule to undoing it', async () => {
    const shown: string[] = [];
    const show = async (args: Record<string, string>) => {
      guild.now += 1;
      const card = await say(args, { locale: language });
      const said = Object.entries(args).map(([name, value]) => ` ${name}:${value}`);
      const file = card.file === undefined ? '' : `${card.file.text.replaceAll('\r', '')}\n`;
      shown.push(await settled(`> /gate${said.join('')}\n${cardText(card)}${file}`));
      return card;
    };
    await show({ action: 'list' });
    await show({ action: 'add', role: ROLE });
    await show({ action: 'add', tier: 'whale' });
    guild.adapter.blockers = ['no-manage-roles', 'role-too-high'];
    await show({ action: 'add', role: ROLE, tier: 'whale' });
    guild.adapter.blockers = [];
    await show({ action: 'add', role: ROLE, tier: 'whale', grace: '48' });
    await show({
      action: 'add',
      role: '901',
      score: '2500',
      top: '100',
      chain: 'sol',
      match: 'any',
      exclusive: 'yes',
      grace: '0',
    });
    await guild.member(11, 6_000);
    await guild.member(12, 9_500);
    await guild.member(13, 10);
    await show({ action: 'preview' });
    await show({ action: 'run' });
    await show({ action: 'list' });
    guild.score(11, 4_000);
    await guild.hours(2);
    await show({ action: 'why', member: '11' });
    await show({ action: 'why', member: '13' });
    await show({ action: 'why', member: '99' });
    await show({ action: 'preview' });
    await show({ action: 'protect', member: '12' });
    await show({ action: 'channel', channel: '55' });
    const [rule] = await guild.gated.gating.rulesOf(GUILD);
    await show({ action: 'edit', rule: rule?.id ?? '', tier: 'shark' });
    await show({ action: 'pause', rule: rule?.id ?? '' });
    await show({ action: 'resume', rule: rule?.id ?? '' });
    const question = await show({ action: 'undo' });
    const button = question.actions[0]?.[0];
    if (button === undefined || !('call' in button)) throw new Error('there is no button');
    await show({ ...button.call.args } as Record<string, string>);
    await show({ action: 'undo' });
    await show({ action: 'log' });
    await show({ action: 'log', page: '2' });
    await show({ action: 'remove', rule: 'nope' });
    await show({ action: 'confirm', rule: 'nonsense' });
    await expect(shown.join('\n')).toMatchFileSnapshot(`golden/gating.${language}.txt`);
  });
});

describe('without permission', () => {
  it.each([
    'add',
    'list',
    'edit',
    'remove',
    'pause',
    'resume',
    'preview',
    'run',
    'undo',
    'why',
    'log',
    'protect',
    'unprotect',
    'channel',
    'confirm',
    'accept',
  ])('/gate %s is refused, and nothing has happened', async (action) => {
    await guild.rule();
    const before = await guild.audit();
    const args = { action, role: ROLE, tier: 'whale', rule: 'abcd', member: '5' };
    expect(cardText(await say(args, { isModerator: false }))).toContain(
      gateErrors['gate-not-allowed'],
    );
    expect(cardText(await say(args, { inside: false }))).toContain(gateErrors['gate-not-here']);
    expect(await guild.audit()).toEqual(before);
  });

  it("everyone is refused if the platform can't say who they are", async () => {
    const answerer = answererWith({ gating: guild.gated.gating });
    const caller: Caller = { platform: 'discord', id: '1', community: GUILD.id };
    const call = { command: 'gate', args: { action: 'list' } };
    const card = await answerer.answer({ call, caller, locale: 'en' });
    expect(cardText(card)).toContain(gateErrors['gate-not-allowed']);
  });
});

it.each([{}, { tier: 'whale' }, { grace: '24', match: 'all', exclusive: 'no', hidden: 'no' }])(
  '/gate edit with %j, which is so already, says that nothing changes',
  async (args: Record<string, string>) => {
    const { id, ...before } = await guild.rule();
    const shown = cardText(await say({ action: 'edit', rule: id, ...args }));
    expect(shown).toContain(gateErrors['gate-same-edit'].replace('{}', id));
    expect((await guild.gated.gating.rulesOf(guild.community))[0]).toMatchObject(before);
  },
);

it.each([
  ['2 days', 48],
  ['un día', 24],
  ['1 week', 168],
  ['none', 0],
])('/gate add with a grace of “%s” says how many hours that is', async (grace, hours) => {
  const shown = cardText(await say({ action: 'add', role: ROLE, tier: 'whale', grace }));
  expect(shown).toContain(hours === 0 ? texts.noGrace : texts.grace(String(hours)));
  const rules = await guild.gated.gating.rulesOf(guild.community);
  expect(rules).toMatchObject([{ graceSeconds: hours * 3_600 }]);
});

it('/gate add makes no second rule that asks for the same', async () => {
  const add = (args: Record<string, string>) => say({ action: 'add', role: ROLE, ...args });
  await add({ tier: 'whale', badge: 'a' });
  const [first] = await guild.gated.gating.rulesOf(guild.community);
  const again = cardText(await add({ tier: 'whale', badge: 'a', grace: '0' }));
  expect(again).toContain(gateErrors['gate-same-rule'].replace('{}', first?.id ?? ''));
  await add({ tier: 'whale', badge: 'a', match: 'any' });
  await add({ tier: 'whale', badge: 'a', chain: 'sol' });
  await add({ tier: 'whale', badge: 'a', most: '9000' });
  await say({ action: 'add', role: '901', tier: 'whale', badge: 'a' });
  expect(await guild.gated.gating.rulesOf(guild.community)).toHaveLength(5);
});

it.each(LANGUAGES)(
  '/gate why in %s counts the checks that a rule was not met in',
  async (language) => {
    await guild.rule();
    const account = await guild.member(2, 6_000);
    await guild.pass();
    guild.score(2, 10);
    const { lackSince } = textsFor(language).gate;
    const why = async () =>
      cardText(await say({ action: 'why', member: account }, { locale: language }));
    await guild.hours(0.5);
    expect(await why()).toContain(lackSince(1, '1'));
    await guild.hours(0.5);
    expect(await why()).toContain(lackSince(2, '2'));
    expect(lackSince(1, 'N')).not.toBe(lackSince(2, 'N'));
  },
);

it('/gate asks for a role in Discord; on Telegram asks for none and returns the invite link', async () => {
  expect(cardText(await say({ action: 'add', tier: 'whale' }))).toContain(
    textsFor('en').errors.missing('role', 'gate'),
  );
  openGuild(GROUP);
  const added = cardText(await say({ action: 'add', tier: 'whale' }));
  expect(added).toContain('https://t.me/+invite');
  expect((await guild.gated.gating.rulesOf(GROUP))[0]).toMatchObject({ grant: 'entry' });
});

it('/gate add says so if there is no link to join by, and promises no run', async () => {
  openGuild(GROUP);
  guild.adapter.invite = async () => undefined;
  const added = cardText(await say({ action: 'add', tier: 'whale' }));
  expect(added).toContain(texts.addedNextNoLink);
  expect(added).not.toContain(texts.addedNext);
});

it('/gate resume shows the link to join by, as /gate add does', async () => {
  openGuild(GROUP);
  await say({ action: 'add', tier: 'whale' });
  const [rule] = await guild.gated.gating.rulesOf(GROUP);
  await say({ action: 'pause', rule: rule?.id ?? '' });
  // The second time there is nothing left to resume.
  for (const _ of [1, 2]) {
    const resumed = cardText(await say({ action: 'resume', rule: rule?.id ?? '' }));
    expect(resumed).toContain(texts.addedNextEntry);
    expect(resumed).toContain('https://t.me/+invite');
  }
});

it('/gate list says how rules go on once what prevents them is mended, or their role is gone', async () => {
  await say({ action: 'add', role: ROLE, tier: 'whale' });
  const list = async () => cardText(await say({ action: 'list' }));
  guild.adapter.blockers = ['no-manage-roles'];
  expect(await list()).toContain(texts.mendedNext);
  guild.adapter.blockers = ['no-role'];
  const gone = await list();
  expect(gone).toContain(texts.roleGone);
  expect(gone).not.toContain(texts.mendedNext);
});

it('/gate list says once what prevents a role, for all of its rules', async () => {
  await say({ action: 'add', role: ROLE, tier: 'whale' });
  await say({ action: 'add', role: ROLE, score: '1' });
  guild.adapter.blockers = ['role-too-high'];
  const rules = await guild.gated.gating.rulesOf(guild.community);
  const shown = cardText(await say({ action: 'list' }));
  expect(shown.split(texts.blockers['role-too-high'])).toHaveLength(2);
  expect(shown).toContain(`(${rules.map(({ id }) => id).join(', ')})`);
});

it('/gate protect says that a member was protected before, and unprotect that they were not', async () => {
  await guild.member(1, 1);
  for (const action of ['protect', 'unprotect']) {
    expect(cardText(await say({ action, member: '1' }))).not.toContain(texts.soAlready);
    expect(cardText(await say({ action, member: '1' }))).toContain(texts.soAlready);
  }
});

it.each([
  [{ action: 'ladder', switch: 'on' }, 1],
  [{ action: 'ladder', switch: 'off' }, 0],
  [{ action: 'language', language: 'es' }, 1],
  [{ action: 'language', language: 'auto' }, 0],
  [{ action: 'wallets', count: 'sum' }, 1],
  [{ action: 'announce', channel: '77' }, 1],
  [{ action: 'announce', switch: 'off' }, 0],
  [{ action: 'panel', switch: 'off' }, 0],
  [{ action: 'digest', digest: 'off' }, 0],
  [{ action: 'channel', channel: '77' }, 1],
  [{ action: 'channel', switch: 'off' }, 0],
  [{ action: 'protect', member: '1' }, 1],
  [{ action: 'unprotect', member: '1' }, 0],
  [{ action: 'bar', member: '1' }, 1],
  [{ action: 'unbar', member: '1' }, 0],
  [{ action: 'pause' }, 1],
  [{ action: 'resume' }, 0],
  [{ action: 'edit' }, 0],
  [{ action: 'edit', tier: 'shark', exclusive: 'yes' }, 1],
] as const)(
  '/gate %j typed twice is logged once, and not if it was so before',
  async (args, rows) => {
    await guild.member(1, 1);
    const { id } = await guild.rule();
    const given = { rule: id, ...args };
    const before = (await guild.audit()).length;
    await say(given);
    await say(given);
    expect((await guild.audit()).length - before).toBe(rows);
  },
);

it.each([
  ['roles', GUILD, ['setup', 'ladder'], ['link', 'renew']],
  ['entry', GROUP, ['link', 'renew'], ['setup', 'ladder']],
] as const)(
  '/gate alone and /help gate name the actions of use where %s can be granted',
  async (_, place, own, others) => {
    openGuild(place);
    const help = await say({ command: 'gate' }, { command: 'help' });
    const shown = [await say({}), help].map((each) =>
      cardText(each)
        .split('\n')
        .find((line) => line.includes('preview, ')),
    );
    for (const line of shown) {
      const named = (actions: readonly string[]) =>
        actions.filter((each) => new RegExp(`\\b${each}\\b`).test(line ?? ''));
      expect(named([...own, 'list'])).toEqual([...own, 'list']);
      expect(named([...others, 'confirm'])).toEqual([]);
    }
    // Options that nobody can give there aren't listed either.
    const listed = cardText(help).includes(textsFor('en').commands.gate.options.role);
    expect(listed).toBe(place === GUILD);
  },
);

it('/gate rejects a badge that nobody can have', async () => {
  Object.assign(guild.source, { knowsBadge: (id: string) => id === 'voter' });
  const add = (badge: string) => say({ action: 'add', role: ROLE, badge });
  expect(cardText(await add('vOter'))).toContain(gateErrors['gate-unknown-badge']);
  expect(cardText(await add('voter'))).toContain(texts.addedTitle);
});

it("The bot tells a member with their next private answer what they'll lose, and when", async () => {
  await guild.rule();
  await guild.member(1, 6_000);
  await guild.pass();
  guild.score(1, 10);
  await guild.hours(2);
  const text = cardText(await say({}, { command: 'apikey' }));
  expect(text).toContain(texts.warning('Whales'));
  guild.score(1, 6_000);
  await guild.hours(1);
  expect(cardText(await say({}, { command: 'apikey' }))).not.toContain(texts.warning('Whales'));
});

it('/gate never names a wallet to moderators', async () => {
  await guild.rule();
  await guild.member(1, 6_000);
  await guild.pass();
  const [link] = await guild.links.linksOf({ platform: 'discord', id: '1' });
  const address = link?.wallet.address ?? '';
  for (const action of ['why', 'preview', 'log', 'list', 'run']) {
    const card = await say({ action, member: '1' });
    const text = `${cardText(card)}${card.file?.text ?? ''}`;
    expect(text, action).not.toContain(address);
  }
});

it('/gate keeps formulas out of the files', async () => {
  guild.adapter.inspect = async () => ({ name: '=HYPERLINK("x"),"y"', blockers: [] });
  await guild.rule();
  await guild.member(1, 6_000);
  const { file } = await say({ action: 'preview' });
  expect(file?.text).toContain(`"'=HYPERLINK(""x""),""y"""`);
});

it('/gate reads buttons of earlier versions: new options come after those they knew', () => {
  const confirm = 'g!confirm!!!!!!!!!!!!run00001';
  expect(decodeCall(confirm, commands)?.call).toEqual({
    command: 'gate',
    args: { action: 'confirm', rule: 'run00001' },
  });
  const earlier = 'action role tier score top chain match exclusive grace'.split(' ');
  const names = commands.find(({ name }) => name === 'gate')?.options.map(({ name }) => name);
  expect(names?.slice(0, 14)).toEqual([...earlier, 'page', 'member', 'channel', 'rule', 'badge']);
});

it.each(['gate', 'card'])(
  '/help %s tells members whose command it is, and no options',
  async (command) => {
    const asked = { command };
    const heading = textsFor('en').help.options;
    const toMember = cardText(await say(asked, { command: 'help', isModerator: false }));
    expect(toMember).toContain(gateErrors['gate-not-allowed']);
    expect(toMember).not.toContain(heading);
    for (const reader of [{}, { inside: false, isModerator: false }]) {
      const shown = cardText(await say(asked, { command: 'help', ...reader }));
      expect(shown).not.toContain(gateErrors['gate-not-allowed']);
      expect(shown).toContain(heading);
    }
  },
);

it('a rule that is paused stays so when it is edited, and the answer says so', async () => {
  const rule = await guild.rule();
  await guild.gated.gating.pause(guild.community, rule.id, 'discord:1');
  const shown = cardText(await say({ action: 'edit', rule: rule.id, score: '5' }));
  expect(shown).toContain(texts.changedPaused);
  expect(shown).not.toContain(texts.addedNext);
});
