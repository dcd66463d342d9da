import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { readLine } from '../../support/typed-line.ts';

const EDIT = { action: 'edit', rule: 'ync9' };

describe("what a sentence's end stands behind", () => {
  it.each<[string, Record<string, unknown>]>([
    ['/gate edit ync9 tier:“whale”.', { ...EDIT, tier: 'whale' }],
    ['/gate edit “ync9”, tier:“whale”, grace:“12”.', { ...EDIT, tier: 'whale', grace: 12 }],
    ['/gate edit ync9 badge:“Early Adopter”.', { ...EDIT, badge: 'Early Adopter' }],
    [
      '/gate edit ync9 badge:"Early Adopter",tier:whale',
      { ...EDIT, badge: 'Early Adopter', tier: 'whale' },
    ],
    ['/gate edit ync9 tier:whale!!!', { ...EDIT, tier: 'whale' }],
    ['/gate edit ync9 tier, whale…', { ...EDIT, tier: 'whale' }],
    ['/gate edit ync9 score 5000!', { ...EDIT, score: 5000 }],
    ['/gate edit ync9 grace, 12 h.', { ...EDIT, grace: 12 }],
    ['/gate edit ync9 no tier.', { ...EDIT, tier: null }],
    ['/gate edit ync9 without badge.', { ...EDIT, badge: null }],
    ['/gate edit ync9 exclusive.', { ...EDIT, exclusive: 'yes' }],
    ['/gate announce off!!', { action: 'announce', switch: 'off' }],
    ["/gate why '6100000007'.", { action: 'why', member: '6100000007' }],
  ])('is read without it: %s', (line, read) => {
    expect(readLine(line)).toEqual(read);
  });

  it.each([
    ['/gate edit ync9 sin insignia.', { ...EDIT, badge: null }],
    ['/gate edit ync9 insignia: «Early Adopter».', { ...EDIT, badge: 'Early Adopter' }],
  ])('is read without it in Spanish: %s', (line, read) => {
    expect(readLine(line, textsFor('es'))).toEqual(read);
  });

  it('keeps it in the name of a badge', () => {
    expect(readLine('/gate edit ync9 badge:Hodl!')).toEqual({ ...EDIT, badge: 'Hodl!' });
  });

  it('is asked about where it asks: /gate undo? undoes nothing', () => {
    expect(() => readLine('/gate undo?')).toThrow('undo');
  });
});
