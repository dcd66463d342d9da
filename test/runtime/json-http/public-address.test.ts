import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isPublicAddress, publicLookup } from '#runtime/json-http/public-address';

describe('an address', () => {
  it.each(['1.1.1.1', '172.32.0.1', '192.167.1.1', '223.255.255.255', '2606:4700::1111'])(
    'is public: %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:1.1.1.1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    'localhost',
    '',
  ])('is not public: %s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a look-up for public addresses', () => {
  const PRIVATE = { address: '10.0.0.1', family: 4 };
  const PUBLIC = [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ];

  /** What Node is told, asking for all addresses or for one. */
  function lookUp(found: LookupAddress[], all: boolean) {
    const lookup: LookupFunction = (_name, _options, done) => done(null, found);
    return new Promise((resolve) => {
      publicLookup(lookup)('name', { all }, (error, address, family) =>
        resolve(error?.message ?? (all ? address : { address, family })),
      );
    });
  }

  it('leaves private addresses out', async () => {
    expect(await lookUp([PRIVATE, ...PUBLIC], true)).toEqual(PUBLIC);
    expect(await lookUp([PRIVATE, ...PUBLIC], false)).toEqual(PUBLIC[0]);
  });

  it('fails when no other is left', async () => {
    expect(await lookUp([PRIVATE], true)).toBe('is at a private address');
  });

  it('passes on why a name was not found', async () => {
    const lookup: LookupFunction = (_name, _options, done) => done(new Error('ENOTFOUND'), []);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    publicLookup(lookup)('name', {}, resolve);
    expect(String(await promise)).toContain('ENOTFOUND');
  });
});
