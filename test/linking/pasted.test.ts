import { describe, expect, it } from 'vitest';
import { readLinkInput } from '#linking/input/link-input';
import { pastedSignature } from '#linking/input/pasted-signature';
import { withoutCommand } from '#wallet/pasted-address';
import { ethereumWallet } from '../support/wallet-keys.ts';

const { address } = ethereumWallet('a').wallet;
const HEX = `0x${'1b'.repeat(65)}`;
const BASE64 = `${'aB+/'.repeat(21)}aB==`;

describe.each([HEX, BASE64, '4'.repeat(88)])('a signature that was pasted, %s', (signature) => {
  it.each([
    (it: string) => it,
    (it: string) => ` "${it}"\n`,
    (it: string) => `<${it}>`,
    (it: string) => `${it}.`,
    (it: string) => `signature: ${it}`,
    (it: string) => `Sig=${it}`,
    (it: string) => `firma: ${it}`,
    (it: string) => it.replaceAll(/.{40}/g, '$&\r\n'),
    (it: string) => `signature: ${it.replaceAll(/.{40}/g, '$&\n')}`,
    (it: string) => `${address} ${it}`,
    (it: string) => JSON.stringify({ address, msg: 'x wants you to: sign', sig: it, version: '2' }),
    (it: string) => JSON.stringify({ signature: it, address }, null, 2),
  ])('is found in what stands around it: %#', (around) => {
    expect(pastedSignature(around(signature))).toBe(signature);
  });
});

it('Linking accepts a list of numbers, as Solana’s tools print it', () => {
  const bytes = Array.from({ length: 64 }, (_, i) => (i * 37) % 256);
  const base64 = Buffer.from(bytes).toString('base64');
  expect(pastedSignature(JSON.stringify(bytes))).toBe(base64);
  expect(pastedSignature(`[${bytes.join(', ')}]`)).toBe(base64);
  expect(pastedSignature(JSON.stringify([...bytes, 1, 2]))).toBeUndefined();
  expect(pastedSignature(JSON.stringify(bytes.slice(1)))).toBeUndefined();
  expect(pastedSignature(JSON.stringify(bytes.map((each) => each + 256)))).toBeUndefined();
});

it.each([address, `${address} ${address}`, `${address} ${'4'.repeat(44)}`, 'no', '', 'signature:'])(
  'may be none: “%s”',
  (text) => {
    expect(pastedSignature(text)).toBeUndefined();
  },
);

it.each([BASE64.slice(3), `/${'a'.repeat(85)}==`, `/${'a'.repeat(85)}`, `/a=${'b'.repeat(85)}`])(
  'that begins with a slash is not taken for a command: %s',
  (signature) => {
    expect(withoutCommand(signature)).toBe(signature);
    expect(withoutCommand(`/link ${signature}`)).toBe(signature);
    expect(withoutCommand(`</link:123> /link@fathom_bot: ${signature}`)).toBe(signature);
  },
);

// Were each letter tried as the beginning of a word again, each text would take minutes.
it.each(['a1b2', '_/+', 'a:', ' a'])(
  'A pasted signature is looked for once along a long text of “%s”',
  (part) => {
    expect(readLinkInput(part.repeat(200_000)).kind).not.toBe('nothing');
  },
);
