import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActivityEvent, activityId, correctionId } from '#import/activity-id';

const sha256Hex = (text: string) => hash('sha256', text);
const idOf = (event: ActivityEvent) => activityId(event, sha256Hex);

const EVENT: ActivityEvent = {
  wallet: { chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  type: 'governance_vote',
  description: 'Voted on proposal 7',
  points: 25,
  timestamp: 1_709_640_000,
  badge: undefined,
  source: 'ethereum:0xabc:3',
};
const WITHOUT_SOURCE: ActivityEvent = { ...EVENT, source: undefined };

describe('the id of an activity', () => {
  // Ids are public and stored in databases: these must never change.
  it('never changes', () => {
    expect(idOf(EVENT)).toMatchInlineSnapshot(`"vtctegvpfbn2p0pb"`);
    expect(idOf(WITHOUT_SOURCE)).toMatchInlineSnapshot(`"flsd2dbf4die1469"`);
    expect(
      idOf({ ...WITHOUT_SOURCE, type: 'badge_earned', badge: 'early-adopter' }),
    ).toMatchInlineSnapshot(`"f30d6k5chfj3v71e"`);
  });

  it('is the first 80 bits of the hash in base32hex, most significant first', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (hex) => {
        const id = activityId(EVENT, () => hex);
        const value = BigInt(`0x${hex.slice(0, 20)}`);
        expect(id).toBe(value.toString(32).padStart(16, '0'));
      }),
    );
  });

  it('sorts like its value', () => {
    const digits = fc.stringMatching(/^[0-9a-f]{20}$/).map((hex) => hex.padEnd(64, '0'));
    fc.assert(
      fc.property(digits, digits, (a, b) => {
        const [idA, idB] = [activityId(EVENT, () => a), activityId(EVENT, () => b)];
        expect(idA < idB).toBe(a < b);
      }),
    );
  });

  it.each([
    ['type', { type: 'swap' }],
    ['source', { source: 'ethereum:0xabc:4' }],
    ['chain', { wallet: { ...EVENT.wallet, chain: 'solana' } }],
    ['address', { wallet: { ...EVENT.wallet, address: '0x0' } }],
  ] as const)('differs by %s', (_, change) => {
    expect(idOf({ ...EVENT, ...change })).not.toBe(idOf(EVENT));
  });

  it('does not depend on the rest when there is a source: a corrected text is the same event', () => {
    const change = { description: 'other', points: 1, timestamp: 2, badge: 'b' };
    expect(idOf({ ...EVENT, ...change })).toBe(idOf(EVENT));
  });

  it.each([
    ['type', { type: 'swap' }],
    ['description', { description: 'other' }],
    ['points', { points: 26 }],
    ['timestamp', { timestamp: 1_709_640_001 }],
    ['badge', { badge: 'early-adopter' }],
  ])('differs by %s when there is no source', (_, change) => {
    expect(idOf({ ...WITHOUT_SOURCE, ...change })).not.toBe(idOf(WITHOUT_SOURCE));
  });

  it('hashes different events as different texts', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '","', '"', '\\', 'null', ''));
    const events = fc.record({
      wallet: fc.record({
        chain: fc.constantFrom('ethereum', 'solana'),
        address: fc.constantFrom('x', 'y'),
      }),
      type: fc.constantFrom('a', 'b'),
      description: text,
      points: fc.integer({ min: -1, max: 1 }),
      timestamp: fc.integer({ min: 0, max: 1 }),
      badge: fc.option(text, { nil: undefined }),
      source: fc.option(text, { nil: undefined }),
    }) as fc.Arbitrary<ActivityEvent>;
    const encoded = (event: ActivityEvent) => {
      let seen = '';
      activityId(event, (each) => {
        seen = each;
        return '0'.repeat(64);
      });
      return seen;
    };
    const identity = ({ wallet, type, source, ...rest }: ActivityEvent) =>
      JSON.stringify(
        source === undefined
          ? [
              wallet.chain,
              wallet.address,
              type,
              rest.description,
              rest.points,
              rest.timestamp,
              rest.badge ?? null,
              'fields',
            ]
          : [wallet.chain, wallet.address, type, source, 'source'],
      );
    fc.assert(
      fc.property(events, events, (a, b) => {
        expect(encoded(a) === encoded(b)).toBe(identity(a) === identity(b));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the id of a correction', () => {
  const correction = { ...EVENT, source: 'ethereum:0xabc:3', points: -25, reason: undefined };
  const idOfCorrection = (change: object = {}) =>
    correctionId({ ...correction, ...change }, sha256Hex);

  it('never changes', () => {
    expect(idOfCorrection()).toMatchInlineSnapshot(`"3sq3glgoceed6a3p"`);
    expect(idOfCorrection({ reason: 'Counted twice.' })).toMatchInlineSnapshot(
      `"b0bsjkqb7lk7eoel"`,
    );
  });

  it("differs for every other field, and from the activity's own", () => {
    const ids = [
      idOf(EVENT),
      idOf({ ...EVENT, points: -25 }),
      idOfCorrection(),
      ...[
        { points: 1 },
        { description: 'x' },
        { timestamp: 1 },
        { type: 'x' },
        { source: 'x' },
      ].map(idOfCorrection),
      idOfCorrection({ badge: 'x' }),
      idOfCorrection({ reason: 'x' }),
    ];
    // One id is only that of its source and type.
    expect(new Set(ids).size).toBe(ids.length - 1);
  });
});
