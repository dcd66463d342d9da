import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { gate } from '#commands/gating/gate';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GUILD, ROLE } from '../support/gated-community.ts';

/* A rule as moderators change it, typed as in a chat without forms. */

const TEXTS = textsFor('en');

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity(GUILD);
});

async function say(
  args: Record<string, string>,
  badges: readonly string[] | 'unlisted' = [],
): Promise<string> {
  const { source, gated } = guild;
  const ids = badges === 'unlisted' ? [] : badges;
  const all = ids.map((id) => ({ id, name: id, description: '', tier: 'Rare' as const }));
  Object.assign(source, { allBadges: badges === 'unlisted' ? undefined : () => all });
  const card = await answererWith({ gating: gated.gating, source }).answer({
    call: { command: 'gate', args },
    caller: { platform: GUILD.platform, id: '1', community: GUILD.id },
    locale: 'en',
    isModerator: () => true,
  });
  return cardText(card);
}

async function type(text: string): Promise<string> {
  return await say(sortWords(gate, TEXTS, text));
}

async function ruleMade(needs: Record<string, string>): Promise<string> {
  const before = new Set((await rules()).map(({ id }) => id));
  await say({ action: 'add', role: ROLE, ...needs }, Object.values(needs));
  return (await rules()).find(({ id }) => !before.has(id))?.id ?? '';
}

async function rules() {
  return await guild.gated.gating.rulesOf(GUILD);
}

async function theRule() {
  return (await rules())[0];
}

it.each([
  'below:none most:none chain:any score:none badge:none top:none',
  'below: none, most none no chain without score no badge top:any',
  'debajo:ninguno máximo:ninguno cadena:cualquiera sin puntuación sin insignia puesto:nada',
  'below:“none” most:Ninguna. cadena:"cualquier cadena" score:off badge:No top:none',
])('/gate edit ends what a rule asked for: %s', async (words) => {
  const needs = { tier: 'shark', score: '10', badge: 'voter', top: '100' };
  const id = await ruleMade({ ...needs, below: 'titan', most: '8000', chain: 'ethereum' });
  expect((await theRule())?.requirements).toHaveLength(4);
  await type(`edit ${id} ${words}`);
  expect(await theRule()).toMatchObject({
    requirements: [{ kind: 'tier', tier: 'Shark' }],
    bounds: undefined,
    chain: undefined,
  });
});

it('/gate edit ends it in fields of their own as in words behind each other', async () => {
  const needs = { tier: 'shark', badge: 'voter', top: '100' };
  const id = await ruleMade({ ...needs, below: 'titan', most: '8000', chain: 'ethereum' });
  const words = { badge: 'no badge', top: 'without top', below: 'sin debajo', most: 'No most.' };
  await say({ action: 'edit', rule: id, ...words, chain: 'sin cadena' }, ['voter']);
  expect(await theRule()).toMatchObject({
    requirements: [{ kind: 'tier', tier: 'Shark' }],
    bounds: undefined,
    chain: undefined,
  });
});

it.each([
  [{ score: '5,000 or more' }, { kind: 'score', least: 5_000 }],
  [{ score: 'at least 5000' }, { kind: 'score', least: 5_000 }],
  [{ score: 'score: 5k points' }, { kind: 'score', least: 5_000 }],
  [{ score: 'mínimo 5.000 puntos' }, { kind: 'score', least: 5_000 }],
  [{ score: '“5000”' }, { kind: 'score', least: 5_000 }],
  [{ top: '<= 100' }, { kind: 'top', most: 100 }],
  [{ top: 'top 100' }, { kind: 'top', most: 100 }],
  [{ badge: 'badge: Voter' }, { kind: 'badge', badge: 'voter' }],
] as const)(
  '/gate edit reads in a field of its own what it reads on a line: %j',
  async (field, needed) => {
    const id = await ruleMade({ tier: 'shark' });
    await say({ action: 'edit', rule: id, ...field }, ['voter']);
    expect((await theRule())?.requirements).toContainEqual(needed);
  },
);

it.each([
  (id: string) => `rule:${id}`,
  (id: string) => `Rule ${id.toUpperCase()}`,
  (id: string, name: string) => `${id} ${name}: 10 points or more`,
  (id: string, name: string) => `\`${id}\` **${name}**`,
  (id: string) => `id:${id}`,
  (id: string, name: string) => `${name} (${id})`,
])('/gate edit knows a rule behind its label, and as /gate list shows it', async (written) => {
  const id = await ruleMade({ score: '10' });
  const name = (await theRule())?.grantName ?? '';
  await say({ action: 'edit', rule: written(id, name), score: '20' });
  expect((await theRule())?.requirements).toEqual([{ kind: 'score', least: 20 }]);
});

it('/gate edit leaves a wallet to be known of a rule without anything but a bound, and no rule without either', async () => {
  const id = await ruleMade({ score: '10', most: '8000' });
  await type(`edit ${id} score:none`);
  expect((await theRule())?.requirements).toEqual([{ kind: 'tier', tier: 'Shrimp' }]);
  const other = await ruleMade({ tier: 'whale' });
  expect(await type(`edit ${other} tier:none`)).toContain(TEXTS.gateErrors['gate-empty-rule']);
});

it('A badge that is called so is meant by its name', async () => {
  await say({ action: 'add', role: ROLE, tier: 'whale', badge: 'none' }, ['none']);
  expect((await theRule())?.requirements).toContainEqual({ kind: 'badge', badge: 'none' });
});

it('/gate add takes a badge behind the name of its option, unless a badge is called so', async () => {
  const badges = ['early-adopter', 'insignia-de-oro'];
  for (const badge of ['insignia Early Adopter', 'insignia de oro']) {
    await say({ action: 'add', role: ROLE, badge }, badges);
  }
  const asked = (await rules()).flatMap(({ requirements }) => requirements);
  expect(new Set(asked)).toEqual(new Set(badges.map((badge) => ({ kind: 'badge', badge }))));
});

it.each(['Whales', '@whales', 'WHALES 🐋', 'ballena', `<@&${ROLE}>`, ROLE])(
  '/gate edit rule:%s names the rules that give it',
  async (rule) => {
    for (const needs of [{ tier: 'whale' }, { score: '10' }]) await ruleMade(needs);
    const before = await rules();
    const ids = before.map(({ id }) => id);
    const name = (await theRule())?.grantName ?? '';
    const sentence = TEXTS.gateErrors['gate-rule-by-name'];
    const shown = sentence.replace('{}', name).replace('{}', ids.join(', '));
    expect(await say({ action: 'edit', rule, score: '5' })).toContain(shown);
    expect(await rules()).toEqual(before);
  },
);

it('/gate log says what an edit has changed, as it was and as it is', async () => {
  const id = await ruleMade({ tier: 'whale' });
  await say({ action: 'edit', rule: id, grace: '48', hidden: 'yes', most: '9000' });
  const log = await say({ action: 'log' });
  const { gate: own } = TEXTS;
  expect(log).toContain(`${own.grace('24')} → ${own.grace('48')}`);
  expect(log).toContain(`hidden: ${own.yesNo.no} → ${own.yesNo.yes}`);
  expect(log).toContain(own.most(9000, TEXTS.number(9000)));
  expect(log).not.toContain('exclusive');
});

it('/gate add, edit and remove say when they put a role beside the ladder, or back on it', async () => {
  const { joinsLadder, leavesLadder } = TEXTS.gate;
  const said = async (args: Record<string, string>) => {
    const card = await say(args);
    return [joinsLadder, leavesLadder].filter((each) => card.includes(each));
  };
  const id = await ruleMade({ tier: 'whale' });
  const edit = { action: 'edit', rule: id };
  expect(await said({ ...edit, tier: 'none', score: '5000' })).toEqual([]);
  await said({ action: 'ladder', switch: 'on' });
  expect(await said({ ...edit, tier: 'whale', score: 'none' })).toEqual([joinsLadder]);
  expect(await said({ ...edit, tier: 'shark' })).toEqual([]);
  expect(await said({ ...edit, tier: 'none', score: '5000' })).toEqual([leavesLadder]);
  expect(await said({ ...edit, tier: 'whale', score: 'none' })).toEqual([joinsLadder]);
  expect(await said({ action: 'add', role: ROLE, score: '10' })).toEqual([leavesLadder]);
  const second = (await rules()).find((rule) => rule.id !== id)?.id ?? '';
  expect(await said({ action: 'remove', rule: second })).toEqual([joinsLadder]);
  expect(await said({ action: 'remove', rule: id })).toEqual([]);
});

it('/gate add says what it took for a badge where nobody can tell which there are', async () => {
  const word = 'whalez';
  const caution = TEXTS.gate.badgeUnchecked(word);
  const add = { action: 'add', role: ROLE, badge: word };
  expect(await say(add, 'unlisted')).toContain(caution);
  Object.assign(guild.source, { knowsBadge: () => true });
  expect(await say({ ...add, score: '5' }, [word])).not.toContain(caution);
});
