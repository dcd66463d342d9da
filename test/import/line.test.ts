import { describe, expect, it } from 'vitest';
import { createLineParser } from '#import/line';
import type { RefusalCode } from '#import/refusal';
import { NOW, readingTools } from '../support/import-ledger.ts';
import {
  activityLine,
  addressOf,
  badgeLine,
  type Line,
  nameLine,
} from '../support/import-lines.ts';

const parse = createLineParser({ ...readingTools, knowsBadge: (id) => id === 'early-adopter' });
const parseLine = (line: unknown) => parse(JSON.stringify(line));

const badge = (changes: Line = {}) => badgeLine(1, changes);
const name = (changes: Line = {}) => nameLine('ethereum', 1, changes);
const activity = (changes: Line = {}) => activityLine('ethereum', 1, changes);
const event = (changes: Line = {}) => ({
  kind: 'event',
  address: addressOf('ethereum', 1),
  event: 'workshop_attended',
  timestamp: '2024-01-15T00:00:00Z',
  source: 'workshop-12',
  ...changes,
});
const award = (changes: Line = {}) =>
  activity({ type: 'badge_earned', badge: 'early-adopter', ...changes });
const without = (line: Line, field: string) => {
  const { [field]: _, ...rest } = line;
  return rest;
};
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

describe('a valid line', () => {
  it('defines a badge', () => {
    expect(parseLine(badge())).toEqual({
      kind: 'badge',
      badge: {
        id: 'badge-1',
        name: 'Badge 1',
        description: 'For test 1',
        tier: 'Uncommon',
        imageUrl: 'https://example.org/1.png',
        soulbound: false,
      },
    });
  });

  it('names a wallet, in canonical form', () => {
    const address = addressOf('ethereum', 1);
    expect(parseLine(name({ address: address.toLowerCase(), displayName: '🐋 bleue' }))).toEqual({
      kind: 'wallet',
      wallet: { chain: 'ethereum', address },
      displayName: '🐋 bleue',
    });
  });

  it('adds an activity', () => {
    expect(parseLine(activity({ points: -3, timestamp: '2024-03-05T14:00:00.5+02:00' }))).toEqual({
      kind: 'activity',
      activity: {
        id: expect.stringMatching(/^[0-9a-v]{16}$/),
        wallet: { chain: 'ethereum', address: addressOf('ethereum', 1) },
        type: 'governance_vote',
        description: 'Voted on proposal 1',
        points: -3,
        timestamp: Date.UTC(2024, 2, 5, 12) / 1000,
        badge: undefined,
      },
    });
  });

  it('corrects an activity, found by its source', () => {
    const source = 'test:1';
    const change = { kind: 'correction', points: 7, description: 'Right', reason: 'Was wrong' };
    const known = parseLine(activity({ source }));
    const found = parseLine(activity({ source, ...change }));
    expect(found).toEqual({
      kind: 'correction',
      correction: {
        id: expect.stringMatching(/^[0-9a-v]{16}$/),
        corrects: known.kind === 'activity' && known.activity.id,
        wallet: { chain: 'ethereum', address: addressOf('ethereum', 1) },
        description: 'Right',
        points: 7,
        timestamp: Date.UTC(2024, 2, 5, 12) / 1000,
        badge: undefined,
        reason: 'Was wrong',
      },
    });
  });

  it('may earn a badge', () => {
    expect(parseLine(award())).toMatchObject({ activity: { badge: 'early-adopter' } });
  });

  it('may be of type badge_earned without a badge, and then earns nothing', () => {
    expect(parseLine(without(award(), 'badge'))).toMatchObject({ activity: { badge: undefined } });
  });

  it.each([
    ['a chain by its name', activity({ chain: 'ethereum' })],
    ['a chain by its code', activity({ chain: 'eth' })],
    ['an empty description', activity({ description: '' })],
    ['an empty description of a badge', badge({ description: '' })],
    ['the longest description', activity({ description: 'd'.repeat(1_000) })],
    [
      'a description of 1,000 characters outside the basic plane',
      activity({ description: '🐳'.repeat(1_000) }),
    ],
    ['the longest name', name({ displayName: 'n'.repeat(100) })],
    ['the longest type', activity({ type: 't'.repeat(64) })],
    ['the longest source', activity({ source: 's'.repeat(512) })],
    ['the longest badge id', badge({ id: 'b'.repeat(64) })],
    ['the most points', activity({ points: 1_000_000_000 })],
    ['the fewest points', activity({ points: -1_000_000_000 })],
    ['the first second', activity({ timestamp: '1970-01-01T00:00:00Z' })],
    ['a time a day ahead', activity({ timestamp: iso(NOW + 86_400) })],
    ['no image', badge({ imageUrl: undefined })],
    ['an image on http', badge({ imageUrl: 'HTTP://example.org/a.png?b=c' })],
    ['quotes and backslashes in a text', activity({ description: 'say "hi" \\ \\" \\\\' })],
  ])('may have %s', (_, line) => {
    expect(parseLine(line)).not.toHaveProperty('code');
  });

  it("turns JSON's -0 into 0", () => {
    const text = JSON.stringify(activity({ points: 7 })).replace('7,', '-0,');
    expect(parse(text)).toMatchObject({ activity: { points: 0 } });
    expect(parse(text)).toEqual(parseLine(activity({ points: 0 })));
  });

  it('decodes escapes', () => {
    const plain = JSON.stringify(activity({ description: 'Voted' }));
    expect(parse(plain.replace('"Voted"', '"\\u0056oted"'))).toEqual(parse(plain));
    expect(parse(plain.replace('"points"', '"p\\u006fints"'))).toEqual(parse(plain));
  });
});

const TEXT = [
  ['missing', undefined, 'missing-field'],
  ['null', null, 'not-a-text'],
  ['a number', 7, 'not-a-text'],
  ['a list', ['a'], 'not-a-text'],
  ['an object', { a: 'b' }, 'not-a-text'],
  ['with a tab', 'a\tb', 'bad-characters'],
  ['with a NUL', 'a\0b', 'bad-characters'],
  ['with a line break', 'a\nb', 'bad-characters'],
  ['with DEL', 'a\x7fb', 'bad-characters'],
  ['with a C1 control', 'a\x85b', 'bad-characters'],
  ['with a line separator', 'a\u2028b', 'bad-characters'],
  ['with half a character', 'a\ud800b', 'bad-characters'],
  ['with a right-to-left override', 'a\u202eb', 'bad-characters'],
  ['with an isolate', 'a\u2066b', 'bad-characters'],
  ['with an Arabic letter mark', 'a\u061cb', 'bad-characters'],
] as const;

/** Every field that holds a user's text, with its maximum length. */
const TEXT_FIELDS: readonly (readonly [string, (changes: Line) => Line, number])[] = [
  ['id', badge, 64],
  ['name', badge, 100],
  ['description', badge, 1_000],
  ['imageUrl', badge, 2_048],
  ['displayName', name, 100],
  ['description', activity, 1_000],
  ['type', activity, 64],
  ['source', activity, 512],
  ['badge', award, 64],
];
const MAY_BE_LEFT_OUT = ['imageUrl', 'source', 'badge'];
const MAY_BE_EMPTY = ['description'];

describe.each(TEXT_FIELDS)('the text %j', (field, line, max) => {
  it.each(TEXT)('is refused if it is %s', (_, value, code) => {
    if (value === undefined && MAY_BE_LEFT_OUT.includes(field)) return;
    const found = parseLine(line({ [field]: value }));
    expect(found).toMatchObject({ kind: 'refused', code });
    expect(found).toHaveProperty('reason', expect.stringContaining(field));
  });

  it("is refused if it's too long, with both numbers", () => {
    const found = parseLine(line({ [field]: 'x'.repeat(max + 1) }));
    expect(found).toMatchObject({ code: 'text-too-long' });
    expect(found).toHaveProperty('reason', expect.stringContaining(`${max + 1} characters`));
    expect(found).toHaveProperty('reason', expect.stringContaining(`at most ${max} `));
  });

  it.each(['', '  ', '\u3164', '\u2800 \u2800', '\u200b\u2060'])(
    "is refused if it is %j, where it's required",
    (value) => {
      if (MAY_BE_EMPTY.includes(field)) return;
      expect(parseLine(line({ [field]: value }))).toMatchObject({ code: 'empty-text' });
    },
  );
});

const REFUSALS: readonly (readonly [RefusalCode, string, unknown, string?])[] = [
  ['not-an-object', 'a list', [activity()]],
  ['not-an-object', 'a text', 'activity'],
  ['not-an-object', 'null', null],
  ['missing-field', 'no kind', without(activity(), 'kind'), '"kind" is missing'],
  ['unknown-kind', 'another kind', activity({ kind: 'Activity' })],
  ['unknown-kind', 'a kind that objects inherit', activity({ kind: 'constructor' })],
  ['unknown-field', 'a misspelt field', activity({ timestmap: 1 }), '"timestmap"'],
  ['unknown-field', 'a field of another kind', name({ points: 1 }), '"points"'],
  ['missing-field', 'no points', without(activity(), 'points'), '"points" is missing'],
  ['missing-field', 'no address', without(name(), 'address'), '"address" is missing'],
  ['missing-field', 'no soulbound', without(badge(), 'soulbound'), '"soulbound" is missing'],
  ['missing-field', 'no source', activity({ kind: 'correction' }), '"source" is missing'],
  ['unknown-field', 'a reason of an activity', activity({ reason: 'x' }), '"reason"'],
  ['invalid-address', 'no address of any chain', activity({ address: 'alice.eth' })],
  ['invalid-address', 'a number for an address', activity({ address: 5 })],
  [
    'invalid-address',
    'a wrong checksum',
    activity({ address: `${addressOf('algorand', 1).slice(0, -1)}B` }),
  ],
  ['chain-mismatch', 'another chain', activity({ chain: 'solana' }), 'an address on ethereum'],
  ['chain-mismatch', "another chain's code", activity({ chain: 'algo' }), 'not on algorand'],
  [
    'unknown-chain',
    'an unknown chain',
    activity({ chain: 'Ethereum' }),
    'ethereum, solana, algorand',
  ],
  ['unknown-chain', 'no text for a chain', activity({ chain: null })],
  ['bad-type', 'capitals in a type', activity({ type: 'GovernanceVote' })],
  ['bad-type', 'a hyphen in a type', activity({ type: 'governance-vote' })],
  ['bad-type', 'two underscores in a type', activity({ type: 'governance__vote' })],
  ['bad-type', 'a type that begins with a digit', activity({ type: '1st_vote' })],
  ['missing-field', 'an event without a source', without(event(), 'source'), '"source" is missing'],
  ['unknown-field', 'points of an event', event({ points: 5 }), '"points"'],
  ['bad-event', 'capitals in the name of an event', event({ event: 'Workshop' })],
  ['bad-event', 'a hyphen in the name of an event', event({ event: 'workshop-attended' })],
  ['text-too-long', 'a long name of an event', event({ event: 'a'.repeat(65) })],
  ['bad-args', 'arguments in a list', event({ args: ['a'] })],
  ['bad-args', 'arguments that are null', event({ args: null })],
  ['bad-args', 'an argument with decimals', event({ args: { amount: 1.5 } }), '"amount"'],
  ['bad-args', 'an argument that is null', event({ args: { amount: null } })],
  ['bad-args', 'an argument in an object', event({ args: { amount: { of: 1 } } })],
  ['bad-args', 'a large integer', event({ args: { amount: 2 ** 53 } }), 'in quotes'],
  ['bad-characters', 'a tab in an argument', event({ args: { amount: 'a\tb' } })],
  ['bad-characters', 'an override in an argument', event({ args: { room: 'a\u202eb' } })],
  ['bad-characters', "an override in an argument's name", event({ args: { 'a\u202eb': '1' } })],
  ['bad-characters', 'an override in the source', event({ source: 'a\u202eb' })],
  ['empty-text', 'an argument without a name', event({ args: { '': 1 } })],
  [
    'bad-args',
    'too many arguments',
    event({ args: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, i])) }),
  ],
  ['bad-points', 'a fraction', activity({ points: 1.5 })],
  ['bad-points', 'points in quotes', activity({ points: '10' })],
  ['bad-points', 'points that are null', activity({ points: null })],
  ['bad-points', 'too many points', activity({ points: 1_000_000_001 })],
  ['bad-points', 'too few points', activity({ points: -1_000_000_001 })],
  ['bad-timestamp', 'a day that does not exist', activity({ timestamp: '2023-02-29T00:00:00Z' })],
  ['bad-timestamp', 'no zone', activity({ timestamp: '2024-01-15T00:00:00' })],
  ['bad-timestamp', 'a number for a time', activity({ timestamp: 1_700_000_000 })],
  ['bad-timestamp', 'before 1970', activity({ timestamp: '1969-12-31T23:59:59Z' }), 'before 1970'],
  ['bad-timestamp', 'more than a day ahead', activity({ timestamp: iso(NOW + 86_401) }), 'future'],
  ['bad-badge-id', 'an underscore in a badge id', badge({ id: 'early_adopter' })],
  ['bad-badge-id', 'a hyphen at the end', award({ badge: 'early-' })],
  ['bad-badge-tier', 'an unknown badge tier', badge({ tier: 'Mythic' }), 'Legendary'],
  ['bad-badge-tier', 'a badge tier in lower case', badge({ tier: 'legendary' })],
  ['bad-image-url', 'a relative image', badge({ imageUrl: '/badges/1.png' })],
  ['bad-image-url', 'another scheme', badge({ imageUrl: 'javascript:alert(1)' })],
  ['bad-image-url', 'no host', badge({ imageUrl: 'https://' })],
  ['bad-image-url', 'a space', badge({ imageUrl: 'https://example.org/a b.png' })],
  ['bad-soulbound', 'soulbound in quotes', badge({ soulbound: 'true' })],
  ['bad-soulbound', 'soulbound as a number', badge({ soulbound: 1 })],
  [
    'badge-not-allowed',
    'a badge on another type',
    award({ type: 'governance_vote' }),
    'badge_earned',
  ],
  ['unknown-badge', 'a badge nobody defined', award({ badge: 'nobody-knows' }), '"nobody-knows"'],
];

describe('a line with an event', () => {
  it('is evidence, with arguments as texts in one order', () => {
    const args = { session: 7, isSpeaker: true, amount: '9007199254740993', __proto: 'é' };
    const found = parseLine(event({ args }));
    expect(found).toEqual({
      kind: 'event',
      event: {
        id: expect.stringMatching(/^[0-9a-v]{16}$/),
        wallet: { chain: 'ethereum', address: addressOf('ethereum', 1) },
        event: 'workshop_attended',
        timestamp: Date.UTC(2024, 0, 15) / 1000,
        source: 'workshop-12',
        args: '{"__proto":"é","amount":"9007199254740993","isSpeaker":"true","session":"7"}',
      },
    });
    // 7 and "7" are the same; arguments aren't part of an event's identity.
    const inOtherOrder = {
      __proto: 'é',
      amount: '9007199254740993',
      isSpeaker: 'true',
      session: '7',
    };
    expect(parseLine(event({ args: inOtherOrder }))).toEqual(found);
    expect(parseLine(event())).toMatchObject({
      event: { id: found.kind === 'event' && found.event.id, args: '{}' },
    });
  });

  it.each([
    ['another wallet', { address: addressOf('solana', 1) }],
    ['another name', { event: 'workshop_led' }],
    ['another source', { source: 'workshop-13' }],
  ])('is a different one with %s', (_, change) => {
    const idOf = (line: unknown) => {
      const found = parseLine(line);
      return found.kind === 'event' ? found.event.id : found;
    };
    expect(idOf(event(change))).not.toEqual(idOf(event()));
  });

  it.each([
    ['a field', '"event":', '"event":"x","event":'],
    ['an argument', '"session":', '"session":3,"session":'],
  ])('repeats nothing: %s', (_, found, replacement) => {
    const text = JSON.stringify(event({ args: { session: 7, with: '"' } }));
    expect(parse(text)).toHaveProperty('kind', 'event');
    expect(parse(text.replace(found, replacement))).toHaveProperty('code', 'repeated-field');
  });

  it("is refused, however deeply it's nested", () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const text = JSON.stringify(event({ args: 'here' })).replace('"here"', deep);
    expect(parse(text)).toHaveProperty('code', 'bad-args');
  });
});

describe('a refused line', () => {
  it.each(REFUSALS)('%s: %s', (code, _, line, words = '') => {
    const found = parseLine(line);
    expect(found).toMatchObject({ kind: 'refused', code });
    expect(found).toHaveProperty('reason', expect.stringContaining(String(words)));
  });

  it.each([
    '',
    '{',
    '{"kind":"activity"',
    'kind=activity',
    '{"a":1}{"b":2}',
    '{"points":NaN}',
    '\ufeff{}',
  ])('not-json: %j', (text) => {
    expect(parse(text)).toMatchObject({ kind: 'refused', code: 'not-json' });
  });

  it.each([
    ['a number', '"points":25', '"points":1,"points":25'],
    ['a text', '"type":', '"type":"swap","type":'],
    ['an equal value', '"points":25', '"points":25,"points":25'],
    ['a hidden object', '"points":25', '"points":{"a":"b"},"points":25'],
    ['an escaped name', '"points":25', '"p\\u006fints":1,"points":25'],
    ['the kind', '{"kind"', '{"kind":"wallet","kind"'],
  ])('repeated-field: %s', (_, found, replacement) => {
    const text = JSON.stringify(activity({ description: 'with "quotes" \\' }));
    expect(parse(text)).toHaveProperty('kind', 'activity');
    expect(parse(text.replace(found, replacement))).toHaveProperty('code', 'repeated-field');
  });

  it('names an unknown field even if objects inherit one of that name', () => {
    const text = JSON.stringify(activity());
    for (const field of ['__proto__', 'constructor', 'toString']) {
      expect(parse(text.replace('{', `{"${field}":1,`))).toMatchObject({
        code: 'unknown-field',
        reason: expect.stringContaining(`"${field}"`),
      });
    }
  });

  it("has reasons that don't repeat a long field name", () => {
    const found = parseLine(activity({ ['x'.repeat(10_000)]: 1 }));
    expect(found.kind === 'refused' && found.reason.length).toBeLessThan(300);
  });
});
