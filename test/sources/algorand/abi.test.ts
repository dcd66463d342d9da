import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArc28Event } from '#scoring/signature';
import { AbiFault, decodeTuple, decodeValue, layoutOf } from '#sources/algorand/decoders';
import { addressOfKey } from '#wallet/chains/index';
import { type AbiValue, encodeTuple, encodeValue } from '../../support/sources/abi-encode.ts';

function layoutsOf(text: string) {
  return parseArc28Event(text).args.map(({ type }) => layoutOf(type));
}

const KEY = Buffer.from(hash('sha256', 'a wallet', 'buffer'));

describe('a tuple', () => {
  // Written out by hand from https://dev.algorand.co/arc-standards/arc-0004/#encoding
  it.each([
    ['E(uint64,uint8)', '00000000000000ff07', ['255', '7']],
    ['E(bool,bool,bool)', 'a0', ['true', 'false', 'true']],
    ['E(bool,uint8,bool)', '800580', ['true', '5', 'true']],
    ['E(string,uint16)', '0004002a00026869', ['hi', '42']],
    ['E(string,string)', '00040007000161000162', ['a', 'b']],
    ['E(uint8[3],byte)', '01020309', [undefined, '9']],
    ['E(bool[9],byte)', 'ff8009', [undefined, '9']],
    ['E((bool,bool,uint8),byte)', 'c00109', [undefined, '9']],
    ['E((string,uint8),byte)', '00030900030100', [undefined, '9']],
    ['E(uint64[],string)', '0004000600000001' + '61', [undefined, 'a']],
    ['E(uint512)', 'f'.repeat(128), [String(2n ** 512n - 1n)]],
    ['E(ufixed64x2,bool)', `${'00'.repeat(8)}80`, [undefined, 'true']],
  ])('is decoded: %s', (text, hex, values) => {
    expect(decodeTuple(layoutsOf(text), Buffer.from(hex, 'hex'))).toEqual(values);
  });

  it('has no value in bits that pad its booleans, and only two that stand alone', () => {
    expect(decodeTuple(layoutsOf('E(bool,bool,bool)'), Buffer.from('bf', 'hex'))).toEqual([
      ...['true', 'false', 'true'],
    ]);
    const [bool] = layoutsOf('E(bool)');
    if (bool === undefined) throw new Error('there is no layout');
    expect(['80', '00'].map((hex) => decodeValue(bool, Buffer.from(hex, 'hex')))).toEqual([
      ...['true', 'false'],
    ]);
    for (const hex of ['01', '02', '40', '81', 'ff', '8000', '']) {
      expect(() => decodeValue(bool, Buffer.from(hex, 'hex')), hex).toThrow(AbiFault);
    }
  });

  it('has addresses as they are shown', () => {
    expect(decodeTuple(layoutsOf('E(address)'), KEY)).toEqual([addressOfKey(KEY)]);
  });

  it.each([
    ['E(uint64)', '00'],
    ['E(uint64)', '000000000000000000'],
    ['E(string)', '0002ffff61'],
    ['E(string)', 'ffff'],
    ['E(string)', '0000'],
    ['E(string)', '00020001ff'],
    ['E()', '00'],
  ])('is rejected if its bytes are something else: %s %s', (text, hex) => {
    expect(() => decodeTuple(layoutsOf(text), Buffer.from(hex, 'hex'))).toThrow(AbiFault);
  });

  it('is decoded to what was encoded, whatever it holds', () => {
    const part: fc.Arbitrary<AbiValue> = fc.oneof(
      fc.boolean().map((value): AbiValue => ({ type: 'bool', value })),
      fc.nat(255).map((value): AbiValue => ({ type: 'uint8', value: BigInt(value) })),
      fc.bigInt(0n, 2n ** 64n - 1n).map((value): AbiValue => ({ type: 'uint64', value })),
      fc
        .constantFrom('', 'a', 'é', '🐳 \u0000', 'x'.repeat(300))
        .map((value): AbiValue => ({ type: 'string', value })),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value): AbiValue => {
        return { type: 'address', value: Buffer.from(value) };
      }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const layouts = parts.map(({ type }) => layoutOf(type));
        expect(decodeTuple(layouts, encodeTuple(parts))).toEqual(parts.map(textOf));
        const alone = parts.map((each) => decodeValue(layoutOf(each.type), encodeValue(each)));
        expect(alone).toEqual(parts.map(textOf));
      }),
    );
  });

  it('never reads beyond its end', () => {
    const signature = fc.constantFrom('E(string,bool,uint64)', 'E(address,string)', 'E(bool,bool)');
    fc.assert(
      fc.property(signature, fc.uint8Array({ maxLength: 60 }), (text, bytes) => {
        try {
          decodeTuple(layoutsOf(text), Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(AbiFault);
        }
      }),
    );
  });
});

function textOf({ value }: AbiValue): string {
  return Buffer.isBuffer(value) ? addressOfKey(value) : String(value);
}
