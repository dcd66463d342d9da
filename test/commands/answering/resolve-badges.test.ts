import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import type { Command } from '#commands/answering/command';
import { resolveBadges, suggestBadges } from '#commands/answering/resolve';
import { commands } from '#commands/index';
import type { BadgeDefinition } from '#reputation/badge';

const gate = commands.find(({ name }) => name === 'gate') as Command;

function badge(id: string, name: string): BadgeDefinition {
  const imageUrl = 'https://example.com/b.png';
  return { id, name, description: '', tier: 'Rare', imageUrl, soulbound: true };
}

const BADGES = [
  badge('bridge-builder', 'Bridge Builder'),
  badge('ea24', 'Early Adopter'),
  badge('voter-1', 'Voter'),
  badge('voter-2', 'Voter'),
];

const PHONE = [
  badge('star', 'L’Étoile “d’or”'),
  badge('ten', 'Top – 10'),
  badge('ten-not', 'Top-10'),
  badge('fish', '🐋'),
];

function resolved(text: string, badges: readonly BadgeDefinition[] | undefined = BADGES) {
  const call = { command: 'gate', args: { action: 'add', badge: text } };
  const all = badges && (() => badges);
  try {
    return resolveBadges(gate, call, all, textsFor('en')).args.badge;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

describe('a badge that was typed', () => {
  it.each([
    ['ea24', 'ea24'],
    ['EA24', 'ea24'],
    ['Early Adopter', 'ea24'],
    ['early  adopter', 'ea24'],
    ['bridge builder', 'bridge-builder'],
    ['voter-2', 'voter-2'],
  ])('A badge that was typed as %j is %s', (text, id) => {
    expect(resolved(text)).toBe(id);
  });

  it.each([
    ['Erly Adopter', '“Erly Adopter”', '“Early Adopter”'],
    ['bridge', '“bridge”', '“Bridge Builder”'],
    ['Whale Watcher', '“Whale Watcher”', '/badges'],
    ['please', '“please”', 'tier, score, top'],
    ['Voter', '“Voter”', 'voter-1, voter-2'],
  ])(
    'A badge that was typed as %j is refused by that word, with what was meant',
    (text, word, meant) => {
      expect(resolved(text)).toContain(word);
      expect(resolved(text)).toContain(meant);
    },
  );

  it.each([
    ['L’Étoile “d’or”', 'star'],
    ["l'etoile d'or", 'star'],
    ['Top – 10', 'ten'],
    ['Top-10', 'ten-not'],
    ['🐋', 'fish'],
  ])('with the quotes and dashes of a phone, %j is %s', (text, id) => {
    expect(resolved(text, PHONE)).toBe(id);
  });

  it('is none as both are emoji', () => {
    expect(resolved('🔱', PHONE)).toContain('“🔱”');
  });

  it('passes for an id where the source can’t list badges', () => {
    const call = { command: 'gate', args: { action: 'add', badge: 'voter' } };
    expect(resolveBadges(gate, call, undefined, textsFor('en'))).toEqual(call);
  });
});

it('A suggestion offers badges by a part of their name or id', () => {
  expect(suggestBadges('vot', BADGES).map(({ value }) => value)).toEqual(['voter-1', 'voter-2']);
  expect(suggestBadges('ea', BADGES)).toEqual([{ label: 'Early Adopter', value: 'ea24' }]);
  expect(suggestBadges('', BADGES)).toHaveLength(4);
});
