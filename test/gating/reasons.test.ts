import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { keptReason, type Reason, reasonText } from '#gating/decide/reason';
import type { EarnedBadge } from '#reputation/api-records';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/* Reasons are stored as data, and given in the language of whoever reads them. */

const [en, es] = [textsFor('en'), textsFor('es')];
const figures = { tier: 'Whale', score: 6_000, rank: 2 } as const;

const REASONS: readonly (readonly [Reason, string, string])[] = [
  [
    { code: 'met', rule: 'z7v7', figures, asOf: 0 },
    'rule z7v7: met (Whale, 6000 points, rank 2, data of 1970-01-01T00:00:00Z)',
    'regla z7v7: cumplida (Ballena, 6000 puntos, puesto 2, datos del 1970-01-01T00:00:00Z)',
  ],
  [
    {
      ...{ code: 'not-met', rule: 'z7v7' },
      figures: {
        ...figures,
        badges: [
          { name: 'Voter', isHeld: true },
          { name: 'Early Adopter', isHeld: false },
        ],
      },
    },
    'rule z7v7: not met (Whale, 6000 points, rank 2, with badge Voter, without badge Early Adopter)',
    'regla z7v7: no cumplida (Ballena, 6000 puntos, puesto 2, con la insignia Voter, sin la insignia Early Adopter)',
  ],
  [
    { code: 'not-met', rule: 'z7v7', figures: 'none-counts' },
    'rule z7v7: not met (no wallet that counts)',
    'regla z7v7: no cumplida (ninguna cartera que cuente)',
  ],
  [
    { code: 'not-met', rule: 'z7v7', figures: 'never-seen' },
    'rule z7v7: not met (no activity yet)',
    'regla z7v7: no cumplida (aún sin actividad)',
  ],
  [
    { code: 'not-known', rule: 'z7v7', why: 'stale' },
    'rule z7v7: unknown (stale data)',
    'regla z7v7: no se sabe (datos antiguos)',
  ],
  [{ code: 'undo', run: 'run00001' }, 'undo of run run00001', 'reversión de la ejecución run00001'],
  [
    { code: 'too-many', taken: 7, holders: 1_030 },
    '7 of 1,030 would lose it',
    'lo perderían 7 de 1.030',
  ],
  [
    { code: 'risen', name: 'Whales' },
    'has the higher role “Whales” now',
    'ahora tiene el rol superior «Whales»',
  ],
  [{ code: 'language', choice: 'es' }, 'Spanish', 'español'],
  [{ code: 'erased' }, 'the member erased their data', 'el miembro borró sus datos'],
  [{ code: 'no-channel' }, 'nowhere', 'a ninguna parte'],
  [{ code: 'bar', grant: '900', name: 'Whales' }, 'Whales', 'Whales'],
  [{ code: 'bar', grant: '*', name: '' }, 'everything here', 'todo lo de aquí'],
  [
    { code: 'obstacles', obstacles: ['no-role', 'needs-2fa'] },
    `${en.gate.blockers['no-role']} ${en.gate.blockers['needs-2fa']}`,
    `${es.gate.blockers['no-role']} ${es.gate.blockers['needs-2fa']}`,
  ],
  [
    {
      code: 'needs',
      requirements: [{ kind: 'score', least: 1 }],
      match: 'all',
      chain: undefined,
      bounds: [{ kind: 'most', score: 1 }],
    },
    '1 point or more, but at most 1 point',
    'una puntuación de 1 o más, pero con una puntuación de 1 como máximo',
  ],
  [{ code: 'wallets', mode: 'sum' }, 'added up', 'sumadas'],
  [
    {
      code: 'needs',
      requirements: [{ kind: 'tier', tier: 'Whale' }],
      match: 'all',
      chain: 'solana',
    },
    'Whale or higher, on Solana',
    'Ballena o superior, en Solana',
  ],
  [
    {
      code: 'needs',
      requirements: [{ kind: 'tier', tier: 'Shark' }],
      match: 'all',
      chain: undefined,
      bounds: [
        { kind: 'below', tier: 'Titan' },
        { kind: 'most', score: 4_000 },
      ],
    },
    'Shark or higher, but below Titan and at most 4,000 points',
    'Tiburón o superior, pero por debajo de Titán y con una puntuación de 4.000 como máximo',
  ],
  [
    {
      code: 'edit',
      name: 'Whales',
      was: {
        ...{ requirements: [{ kind: 'tier', tier: 'Shark' }], match: 'all', chain: 'solana' },
        ...{ graceSeconds: 86_400, exclusive: false },
      },
      is: {
        ...{ requirements: [{ kind: 'tier', tier: 'Shark' }], match: 'all', chain: undefined },
        ...{ graceSeconds: 0, exclusive: true, isHidden: true },
      },
    },
    'Whales: Shark or higher, on Solana → Shark or higher · 24 h of grace → no grace · exclusive: no → yes · hidden: no → yes',
    'Whales: Tiburón o superior, en Solana → Tiburón o superior · 24 h de plazo → sin plazo · exclusivo: no → sí · oculto: no → sí',
  ],
  [
    {
      code: 'edit',
      name: 'Whales',
      was: {
        ...{ requirements: [{ kind: 'tier', tier: 'Shark' }], match: 'all', chain: undefined },
        ...{ graceSeconds: 0, exclusive: false },
      },
      is: {
        ...{ requirements: [{ kind: 'tier', tier: 'Shark' }], match: 'any', chain: undefined },
        ...{ graceSeconds: 0, exclusive: false },
      },
    },
    'Whales: match: all of them → any of them',
    'Whales: combinar: todo → cualquiera',
  ],
];

const CODES: Readonly<Record<Reason['code'], true>> = {
  met: true,
  'not-met': true,
  'not-known': true,
  undo: true,
  'too-many': true,
  risen: true,
  language: true,
  wallets: true,
  erased: true,
  'no-channel': true,
  bar: true,
  obstacles: true,
  needs: true,
  edit: true,
};

it('every code is tried here', () => {
  expect(new Set(REASONS.map(([{ code }]) => code))).toEqual(new Set(Object.keys(CODES)));
});

it.each(REASONS)('$code has a text in both languages', (reason, english, spanish) => {
  expect(reasonText(keptReason(reason), en)).toBe(english);
  expect(reasonText(keptReason(reason), es)).toBe(spanish);
});

it('known codes become texts, and anything else is shown as it is', () => {
  expect(reasonText('changed-since', es)).toBe(es.gate.skips['changed-since']);
  expect(reasonText('no-role', es)).toBe(es.gate.refusals['no-role']);
  for (const text of ['Whale, 7420 points', '{"code":"later"}', '{', '{}', '42', '']) {
    expect(reasonText(text, es)).toBe(text);
  }
});

/** What the platform is told of each role given, for its own log. */
function reasonsTold({ adapter }: GatedCommunity): readonly string[] {
  const told: string[] = [];
  const give = adapter.give.bind(adapter);
  adapter.give = async (...args: unknown[]) => {
    told.push(String(args[3]));
    return await give(...(args as [string, string, string]));
  };
  return told;
}

/** What a moderator reads. */
async function gate(guild: GatedCommunity, locale: string, args: object): Promise<string> {
  const { platform, id } = guild.community;
  const call = { command: 'gate', args: { ...args } };
  const caller = { platform, id: '1', community: id };
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1_000 });
  const isModerator = () => true;
  return cardText(await answerer.answer({ call, caller, locale, isModerator }));
}

it("a Spanish moderator reads Spanish, an English one English, and the platform the server's language", async () => {
  const guild = new GatedCommunity();
  guild.adapter.language = 'es-ES';
  const told = reasonsTold(guild);
  const rule = await guild.rule();
  await guild.member(1, 6_000);
  await guild.pass();
  expect(told).toEqual([expect.stringContaining(`regla ${rule.id}: cumplida (Ballena, 6000`)]);
  for (const channel of ['9', undefined]) {
    await guild.gated.gating.setLogChannel(guild.community, channel, {} as never, MODERATOR);
  }
  const spanish = await gate(guild, 'es', { action: 'log' });
  expect(spanish).toContain('cumplida (Ballena, 6.000 puntos');
  expect(spanish).toContain(es.gate.tier(es.tiers.Whale));
  expect(spanish).toContain(es.gate.noChannel);
  expect(await gate(guild, 'en', { action: 'log' })).toContain('met (Whale, 6,000 points');
  expect(guild.adapter.holders(ROLE)).toEqual(['1']);
});

it('A role that goes names the higher one of the ladder, also one that they had before', async () => {
  const guild = new GatedCommunity();
  const add = async (grant: string, tier: 'Titan' | 'Whale') =>
    await guild.rule({ grant, requirements: [{ kind: 'tier', tier }] });
  const { grantName } = await add(ROLE, 'Titan');
  await add(`${ROLE}1`, 'Whale');
  await guild.member(1, 9_500);
  await guild.pass();
  await guild.gated.gating.setLadder(guild.community, true, MODERATOR);
  const told = (await guild.pass())?.changes.map(({ reason }) => reason);
  expect(told).toEqual([keptReason({ code: 'risen', name: grantName })]);
});

it('A rule for a badge tells the platform, the log and /gate why whether the wallet has it, by its name', async () => {
  const guild = new GatedCommunity();
  const name = 'Early Adopter';
  const badge: EarnedBadge = {
    ...{ id: 'ea24', name, description: '', imageUrl: '', soulbound: false },
    tier: 'Rare',
    earnedAt: '2026-01-01T00:00:00Z',
  };
  Object.assign(guild.source, { badgeWithId: () => badge });
  const told = reasonsTold(guild);
  await guild.rule({ requirements: [{ kind: 'badge', badge: 'ea24' }] });
  for (const id of [1, 2]) await guild.member(id, 20);
  guild.source.badges.set(walletOf(1).address, [badge]);
  await guild.pass();
  expect(told).toEqual([expect.stringContaining(`20 points, rank 2, ${en.gate.withBadge(name)}`)]);
  expect(await gate(guild, 'es', { action: 'log' })).toContain(es.gate.withBadge(name));
  const why = async (member: string) => await gate(guild, 'en', { action: 'why', member });
  expect(await why('1')).toContain(en.gate.withBadge(name));
  expect(await why('2')).toContain(en.gate.withoutBadge(name));
});
