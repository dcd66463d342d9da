import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { isForLink, readLinkInput } from '#linking/input/link-input';
import { pastedSignature } from '#linking/input/pasted-signature';
import { withoutCommand } from '#wallet/wallet';
import { algorandWallet, ethereumWallet, solanaWallet } from '../support/wallet-keys.ts';

const { address } = ethereumWallet('a').wallet;
const HEX = `0x${'1b'.repeat(65)}`;
const BASE64 = `${'aB4/'.repeat(21)}aB==`;

describe.each([HEX, BASE64, '4z'.repeat(44)])('a signature that was pasted, %s', (signature) => {
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

it('A signature of Solana is found wherever a space broke it', async () => {
  for (let i = 0; i < 5; i += 1) {
    const signature = await solanaWallet('a').sign(`text ${i}`);
    for (const at of [24, 32, 36, 40, 42, 45, 48, 56, 64]) {
      const broken = `${signature.slice(0, at)} ${signature.slice(at)}`;
      expect(readLinkInput(broken), broken).toEqual({ kind: 'signature', signature });
      expect(readLinkInput(`Here it is: ${broken}`), broken).toEqual({
        kind: 'signature',
        signature,
      });
    }
  }
});

it.each(['…', '...'])('A signature that a phone cut with %s is asked for again', async (dots) => {
  for (const wallet of [ethereumWallet, solanaWallet, algorandWallet]) {
    const signature = await wallet('a').sign('text');
    expect(readLinkInput(signature.slice(0, 70) + dots).kind).toBe('no-signature');
    expect(isForLink(signature.slice(0, 70) + dots)).toBe(true);
  }
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
  'A pasted text may hold no signature: “%s”',
  (text) => {
    expect(pastedSignature(text)).toBeUndefined();
  },
);

it.each([BASE64.slice(3), `/${'a'.repeat(85)}==`, `/${'a'.repeat(85)}`, `/a=${'b'.repeat(85)}`])(
  'A pasted signature that begins with a slash is not taken for a command: %s',
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
    expect(readLinkInput(part.repeat(100_000)).kind).not.toBe('nothing');
  },
);

/** As Python shows bytes; it takes double quotes where there's a single one among them. */
function python(bytes: Uint8Array): string {
  const shown = [...bytes].map((each) => {
    const named = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' }[each];
    const isPlain = each >= 32 && each < 127;
    return named ?? (isPlain ? String.fromCharCode(each) : `\\x${hex(Uint8Array.of(each))}`);
  });
  const quote = bytes.includes(39) ? '"' : "'";
  return `b${quote}${shown.join('').replaceAll(quote, `\\${quote}`)}${quote}`;
}

const octal = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`;

/** In octal but for what can be read. */
function shell(bytes: Uint8Array): string {
  const shown = [...bytes].map((each) => {
    if (each === 39 || each === 92) return `\\${String.fromCharCode(each)}`;
    return each >= 32 && each < 127 ? String.fromCharCode(each) : octal(each);
  });
  return `'${shown.join('')}'`;
}

/** As a program prints bytes in rows. @param row from their place, themselves in hex and their characters */
const dumped = (row: (place: string, own: string[], shown: string) => string) => {
  return (bytes: Uint8Array) => {
    const rows: string[] = [];
    for (let at = 0; at < bytes.length; at += 16) {
      const own = bytes.slice(at, at + 16);
      const shown = Buffer.from(own.map((each) => (each >= 32 && each < 127 ? each : 46)));
      rows.push(row(at.toString(16).padStart(8, '0'), pairs(own), shown.toString()));
    }
    return rows.join('\n');
  };
};
const xxd = dumped((place, own, shown) => {
  const words = own.join('').replaceAll(/.{4}(?=.)/g, '$& ');
  return `${place}: ${words.padEnd(40)} ${shown}`;
});
const hexdump = dumped((place, own, shown) => {
  const halves = [own.slice(0, 8), own.slice(8)].map((each) => each.join(' '));
  return `${place}  ${halves.join('  ').padEnd(49)} |${shown}|`;
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const pairs = (bytes: Uint8Array) => hex(bytes).match(/../g) ?? [];

it('A word of Russian is no approval on chain', () => {
  expect(readLinkInput('\u041e\u0445').kind).toBe('unclear');
});

describe('the bytes of a signature', () => {
  it.each([
    ['Python prints', python],
    ['Python prints behind a label', (bytes) => `signature: ${python(bytes)}`],
    ['a buffer shows', (bytes) => `<Buffer ${pairs(bytes).join(' ')}>`],
    ['a tool prints with colons', (bytes) => pairs(bytes).join(':')],
    ['.NET prints', (bytes) => pairs(bytes).join('-').toUpperCase()],
    ['Java prints', (bytes) => `[${Array.from(new Int8Array(bytes)).join(', ')}]`],
    ['Java exports', (bytes) => JSON.stringify({ signature: [...new Int8Array(bytes)] })],
    ['Java writes', (bytes) => `{${pairs(bytes).map((each) => `(byte) 0x${each}`)}}`],
    [
      'Kotlin writes',
      (bytes) => `byteArrayOf(${pairs(bytes).map((each) => `0x${each}.toByte()`)})`,
    ],
    [
      'C writes',
      (bytes) => `{\n${pairs(bytes).join('').replaceAll(/../g, '            0x$&U,\n')}}`,
    ],
    ['Rust writes', (bytes) => `[${[...bytes].map((each) => `${each}_u8`).join(', ')}]`],
    ['a list has in hex', (bytes) => `[${pairs(bytes).join(', ')}]`],
    ['C prints', (bytes) => `"\\x${pairs(bytes).join('\\x')}"`],
    ['C prints in octal', (bytes) => `"${[...bytes].map(octal).join('')}"`],
    ['Bash prints', (bytes) => `$${shell(bytes)}`],
    ['Postgres prints', (bytes) => shell(bytes)],
    ['xxd prints', xxd],
    ['a terminal shows', (bytes) => `ana@pc:~$ xxd sig.bin\n${xxd(bytes)}\nana@pc:~$ `],
    ['xxd prints and a chat joins', (bytes) => xxd(bytes).replaceAll('\n', ' ')],
    [
      'hexdump prints',
      (bytes) => `${hexdump(bytes)}\n${bytes.length.toString(16).padStart(8, '0')}`,
    ],
    ['hexdump prints and a chat joins', (bytes) => hexdump(bytes).replaceAll('\n', ' ')],
    [
      'a dump has in lines',
      (bytes) => hex(bytes).replaceAll(/../g, '$& ').replaceAll(/.{48}/g, '$&\n'),
    ],
  ] as [string, (bytes: Uint8Array) => string][])('are read as %s them', async (_, shown) => {
    // Of many, some have quotes, backslashes and line breaks.
    for (let i = 0; i < 20; i += 1) {
      const solana = base58.decode(await solanaWallet('a').sign(`text ${i}`));
      const ethereum = await ethereumWallet('a').sign(`text ${i}`);
      expect(isForLink(shown(solana))).toBe(true);
      expect(pastedSignature(shown(solana))).toBe(Buffer.from(solana).toString('base64'));
      expect(pastedSignature(shown(Buffer.from(ethereum.slice(2), 'hex')))).toBe(ethereum);
    }
  });

  it('are asked for again where a buffer shows only some of them', async () => {
    const bytes = Buffer.from((await ethereumWallet('a').sign('text')).slice(2), 'hex');
    expect(readLinkInput(inspect(bytes))).toEqual({ kind: 'no-signature' });
  });

  it('are asked for again wherever they were cut', async () => {
    const bytes = Buffer.from((await ethereumWallet('a').sign('text')).slice(2), 'hex');
    const [r, s, v] = [bytes.subarray(0, 32), bytes.subarray(32, 64), bytes[64]];
    const shown = [
      ...[`0x${hex(bytes)}`, python(bytes), `[${bytes.join(', ')}]`, pairs(bytes).join(':')],
      ...[`<Buffer ${pairs(bytes).join(' ')}>`, pairs(bytes).join('-')],
      `[]byte{${pairs(bytes)
        .map((each) => `0x${each}`)
        .join(', ')}}`,
      `{\n  v: '0x${hex(bytes.subarray(64))}',\n  r: '0x${hex(r)}',\n  s: '0x${hex(s)}'\n}`,
      `v=${v}, r=${BigInt(`0x${hex(r)}`)}, s=${BigInt(`0x${hex(s)}`)}`,
    ];
    for (const whole of shown) {
      expect(readLinkInput(whole), whole).toMatchObject({ kind: 'signature' });
      // A key has half as many; the last characters are brackets and quotes.
      for (let length = Math.ceil(whole.length * 0.55); length < whole.length - 8; length += 1) {
        const read = readLinkInput(whole.slice(0, length));
        if (read.kind === 'signature') {
          // Long pieces are told by whoever checks them: neither whole nor a contract's `0x`.
          expect(read.signature, whole.slice(0, length)).not.toMatch(/^0x(?:[0-9a-f]{130})?$/);
        } else {
          expect(read.kind, whole.slice(0, length)).toMatch(/^(?:no-signature|key-or-hash)$/);
        }
      }
    }
    expect(readLinkInput('where do I put the 0x').kind).toBe('unclear');
    expect(readLinkInput('firma 0x')).toEqual({ kind: 'signature', signature: '0x' });
  });

  it('are read in two lines of base58, each of which may be an address', async () => {
    for (let i = 0; i < 20; i += 1) {
      const signature = await solanaWallet('a').sign(`text ${i}`);
      const lines = `${signature.slice(0, 44)}\n${signature.slice(44)}`;
      expect(pastedSignature(lines)).toBe(signature);
      expect(pastedSignature(`Here it is:\n${lines}`)).toBe(signature);
    }
  });

  it('are read with a parity in hex', async () => {
    for (const seed of ['a', 'b', 'c', 'd']) {
      const [r, s, v] =
        /^0x(.{64})(.{64})(..)$/.exec(await ethereumWallet(seed).sign('text'))?.slice(1) ?? [];
      expect(pastedSignature(`r: 0x${r}\ns: 0x${s}\nv: ${v}`)).toBe(`0x${r}${s}${v}`);
      expect(pastedSignature(JSON.stringify({ r: `0x${r}`, s: `0x${s}`, v }))).toBe(
        `0x${r}${s}${v}`,
      );
    }
  });
});

it.each([
  ...['0x', '0X', '/0x', '`0X`', 'Ox', '0×', '0\u0445', '\u041ex.'].map(
    (typed) => [typed, '0x'] as const,
  ),
  ...['Ox', '0×', '0\u0445', '\u041ex'].flatMap((zero) => [
    [zero + HEX.slice(2), HEX] as const,
    [`${zero}${'1f'.repeat(20)} ${zero}${HEX.slice(2)}`, HEX] as const,
  ]),
  ...[HEX, HEX.slice(2), BASE64].map((signature) => [`/${signature}`, signature] as const),
])('is read with a slash in front, as phones leave it, and in capitals: %s', (typed, signature) => {
  expect(pastedSignature(typed)).toBe(signature);
});

it.each([ethereumWallet, solanaWallet, algorandWallet])(
  'A signature is read from a text with a slash in front: %#',
  async (wallet) => {
    for (let i = 0; i < 20; i += 1) {
      const signature = await wallet('a').sign(`text ${i}`);
      expect(pastedSignature(`/${signature}`)).toBe(signature);
      expect(pastedSignature(signature)).toBe(signature);
    }
  },
);

it.each([64, 65, 130, 195])('Base64 of %i bytes keeps the slash that it begins with', (length) => {
  const bytes = Uint8Array.from({ length }, (_, i) => (i === 0 ? 0xfc : (i * 37) % 256));
  const signature = Buffer.from(bytes).toString('base64');
  expect(pastedSignature(signature)).toBe(signature);
  expect(readLinkInput(`b‘${signature}’`)).toEqual({ kind: 'signature', signature });
});

it.each([
  'hola quiero vincular mi cartera pero no se como hacerlo desde el celular me pueden ayudar por favor',
  'HI I HAVE 3 WALLETS AND WANT TO LINK THE 2ND ONE BUT THE BOT TELLS ME TO SIGN AND I DONT KNOW HOW TO',
  '01010101 '.repeat(64),
  '1234 '.repeat(40),
])('A sentence and numbers are no signature, however long: %s', (typed) => {
  expect(readLinkInput(typed)).toEqual({ kind: 'unclear' });
});

it.each(['ja'.repeat(45), '7'.repeat(200), '-'.repeat(88)])(
  'A word or number is asked to be copied whole rather than taken for a signature: %s',
  (typed) => {
    expect(readLinkInput(typed)).toEqual({ kind: 'no-signature' });
  },
);

it.each(['123–456', '123—456', '123 ‑ 456', '12−34−56'])(
  'A code has dashes of any length: %s',
  (typed) => {
    expect(readLinkInput(typed)).toEqual({ kind: 'code', code: '123456' });
  },
);

it.each([solanaWallet, algorandWallet])(
  'The hash of what was signed, above a signature, is no key: %#',
  async (wallet) => {
    const signature = await wallet('a').sign('text');
    const hash = `0x${'1b'.repeat(32)}`;
    for (const shown of [
      `Message hash: ${hash}\nSignature: ${signature}`,
      `digest=${hash}\n${signature}`,
    ]) {
      expect(readLinkInput(shown)).toEqual({ kind: 'signature', signature });
    }
    expect(readLinkInput(`Message hash: ${hash}`).kind).toBe('key-or-hash');
    expect(readLinkInput(`private key: ${hash}\nSignature: ${signature}`).kind).toBe('secret');
    expect(readLinkInput(`${hash}\n${signature}`).kind).toBe('key-or-hash');
  },
);
