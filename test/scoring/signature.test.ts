import fc from 'fast-check';
import { toEventSignature } from 'viem';
import { describe, expect, it } from 'vitest';
import {
  parseArc4Method,
  parseArc28Event,
  parseSolidityEvent,
  SignatureFault,
} from '#scoring/signature';

const elementary = fc.constantFrom(
  ...['address', 'bool', 'string', 'bytes', 'bytes1', 'bytes32', 'uint8', 'uint256', 'int24'],
);
const { type } = fc.letrec<{ type: string }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    elementary,
    fc.tuple(tie('type'), fc.constantFrom('[]', '[3]')).map(([inner, size]) => inner + size),
    fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((parts) => `(${parts.join(', ')})`),
  ),
}));

describe('a Solidity event', () => {
  it('is parsed as viem parses it, whatever its types', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(type, fc.boolean()), { maxLength: 5 }), (types) => {
        let indexed = 0;
        const args = types.map(([each, isIndexed], index) => {
          const marked = isIndexed && ++indexed <= 3;
          return `${each}${marked ? ' indexed' : ''} a${index}`;
        });
        const text = `Happened(${args.join(', ')})`;
        const parsed = parseSolidityEvent(text);
        expect(parsed.text).toBe(toEventSignature(`event ${text}`));
        expect(parsed.args.map(({ name }) => name)).toEqual(types.map((_, index) => `a${index}`));
      }),
    );
  });

  it('spells its types out', () => {
    const { text, args } = parseSolidityEvent(
      'Paid(uint amount, int indexed delta, tuple(uint a) t)',
    );
    expect(text).toBe('Paid(uint256,int256,(uint256))');
    expect(args.map(({ kind }) => kind)).toEqual(['integer', 'integer', 'composite']);
    expect(args.map(({ max }) => max)).toEqual([2n ** 256n - 1n, 2n ** 255n - 1n, undefined]);
  });

  it('tells which indexed arguments are only hashes', () => {
    const { args } = parseSolidityEvent(
      'E(string indexed a, bytes32 indexed b, uint8[2] indexed c, string d)',
    );
    expect(args.map(({ kind }) => kind)).toEqual(['hash', 'bytes', 'hash', 'text']);
  });

  it.each([
    '',
    'Transfer',
    'Transfer(',
    'Transfer(address',
    'Transfer(address,)',
    'Transfer(,address)',
    'Transfer(address) x',
    'Transfer(address a, address a)',
    'E(uint7)',
    'E(uint08)',
    'E(bytes33)',
    'E(bytes0)',
    'E(int264)',
    'E(address[',
    'E(address[-1])',
    'E(address;)',
    'E(function f)',
    '1E()',
    'E(bool indexed, bool indexed, bool indexed, bool indexed)',
    `E(${'('.repeat(20)}uint${')'.repeat(20)})`,
    `E(${'uint,'.repeat(80)}uint)`,
  ])('rejects %j', (text) => {
    expect(() => parseSolidityEvent(text)).toThrow(SignatureFault);
  });

  it('throws nothing else, whatever the text', () => {
    const piece = fc.constantFrom(
      'E',
      '(',
      ')',
      '[',
      ']',
      ',',
      ' ',
      'uint',
      'indexed',
      '8',
      '☃',
      'tuple',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          parseSolidityEvent(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(SignatureFault);
        }
      }),
    );
  });
});

describe('an Algorand signature', () => {
  it('has ARC-4 types, with or without names', () => {
    expect(parseArc28Event('Vote(address,uint32,uint64)').text).toBe('Vote(address,uint32,uint64)');
    expect(parseArc28Event('Vote(address voter, byte[] data)').args).toMatchObject([
      { name: 'voter', kind: 'address' },
      { name: 'data', kind: 'composite' },
    ]);
    expect(parseArc4Method('vote(uint64,(address,bool)[],account)void').text).toBe(
      'vote(uint64,(address,bool)[],account)void',
    );
    expect(parseArc4Method('sum(uint64,uint64)uint128').text).toBe('sum(uint64,uint64)uint128');
  });

  it.each([
    'vote(ufixed8x0)void',
    'vote(ufixed9x1)void',
    'vote(ufixed8x161)void',
    'vote(bool[01])void',
    'vote(void)void',
    'vote(account[])void',
    'vote((pay,bool))void',
    'vote(uint64)account',
  ])('no encoder emits %s, so only rules that are live may have it', (text) => {
    expect(() => parseArc4Method(text)).toThrow(SignatureFault);
    expect(parseArc4Method(text, { isKept: true }).text).toBe(text);
  });

  it.each(['Voted(txn)', 'Voted(account)', 'Voted(void)', 'Voted(bool[00])'])(
    'no application emits %s either',
    (text) => {
      expect(() => parseArc28Event(text)).toThrow(SignatureFault);
      expect(parseArc28Event(text, { isKept: true }).text).toBe(text);
    },
  );

  it.each([
    'Voted(uint256[0])',
    'Voted(uint256[03] votes)',
    'Voted(uint8[99999999999999999999])',
    'Voted(() x)',
  ])('no compiler takes %s', (text) => {
    expect(() => parseSolidityEvent(text)).toThrow(SignatureFault);
    expect(parseSolidityEvent(text, { isKept: true }).name).toBe('Voted');
  });

  it.each(['vote(uint64)', 'vote(uint7)void', 'vote(uint256 indexed a)void', 'vote(bytes)void'])(
    'rejects the method %s',
    (text) => {
      expect(() => parseArc4Method(text)).toThrow(SignatureFault);
    },
  );
});
