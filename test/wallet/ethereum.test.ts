import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { ethereum } from '#wallet/chains/index';

/** The examples of EIP-55: all capitals, all lower case, mixed. */
const VECTORS = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

const digits = fc.stringMatching(/^[0-9a-f]{40}$/);

describe('Ethereum addresses', () => {
  it.each(VECTORS)('%s is canonical, and the form of its other spellings', (address) => {
    const body = address.slice(2);
    expect(ethereum.looksLike(address)).toBe(true);
    expect(ethereum.canonical(address)).toBe(address);
    expect(ethereum.canonical(`0x${body.toLowerCase()}`)).toBe(address);
    expect(ethereum.canonical(`0x${body.toUpperCase()}`)).toBe(address);
  });

  it('refuses mixed case that carries no right checksum, and says what to do', () => {
    const wrong = '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(() => ethereum.canonical(wrong)).toThrow(UserError);
    expect(() => ethereum.canonical(wrong)).toThrowErrorMatchingInlineSnapshot(
      `[UserError: This Ethereum address has a wrong checksum (EIP-55), so at least one character is wrong. Copy it again, or write it in lower case if you're sure of it.]`,
    );
  });

  it('looks only at 0x and 40 hex digits', () => {
    const body = '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
    for (const text of [
      `0X${body}`,
      body,
      `0x${body}0`,
      `0x${body.slice(1)}`,
      `0x${body}\n`,
      ` 0x${body}`,
      `0x${body.slice(1)}g`,
      `0x${body.slice(1)}٣`,
    ]) {
      expect(ethereum.looksLike(text), JSON.stringify(text)).toBe(false);
    }
  });

  it('has one canonical form for every spelling, which is its own', () => {
    fc.assert(
      fc.property(digits, (body) => {
        const canonical = ethereum.canonical(`0x${body}`);
        expect(canonical.toLowerCase()).toBe(`0x${body}`);
        expect(ethereum.canonical(canonical)).toBe(canonical);
        expect(ethereum.canonical(`0x${body.toUpperCase()}`)).toBe(canonical);
      }),
    );
  });

  it('refuses the other case of any one letter of a mixed-case address', () => {
    fc.assert(
      fc.property(digits, fc.nat(39), (body, at) => {
        const canonical = ethereum.canonical(`0x${body}`);
        const letter = canonical.charAt(at + 2);
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        const changed = canonical.slice(0, at + 2) + other + canonical.slice(at + 3);
        const inner = changed.slice(2);
        fc.pre(changed !== canonical);
        fc.pre(inner !== inner.toLowerCase() && inner !== inner.toUpperCase());
        expect(() => ethereum.canonical(changed)).toThrow(UserError);
      }),
    );
  });
});
