import fc from 'fast-check';
import {
  czech,
  english,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
} from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { looksSecret, mayBeHash } from '#linking/challenge/secrets';

/* Phrases as wallets make them, of the published lists of words. */

const LISTS = {
  ...{ czech, english, french, italian, japanese },
  ...{ korean, portuguese, simplifiedChinese, spanish, traditionalChinese },
};

const phraseOf = (words: readonly string[], lengths: readonly number[]) =>
  fc
    .constantFrom(...lengths)
    .chain((length) =>
      fc.array(fc.constantFrom(...words), { minLength: length, maxLength: length }),
    );

describe('a phrase of BIP-39', () => {
  it.each(Object.entries(LISTS))('in %s is recognised', (_, words) => {
    fc.assert(
      fc.property(phraseOf(words, [12, 15, 18, 21, 24]), (phrase) => {
        expect(looksSecret(phrase.join(' '))).toBe(true);
        expect(looksSecret(phrase.join('\u3000'))).toBe(true);
        // As people copy them from paper.
        const numbered = phrase.map((word, place) => `${place + 1}. ${word}`).join('\n');
        expect(looksSecret(numbered)).toBe(true);
      }),
    );
  });
});

/** Of the format's own test vectors, by SatoshiLabs (MIT). */
const SHARE =
  'duckling enlarge academic academic agency result length solution fridge kidney coal piece deal husband erode duke ajar critical decision keyboard';

describe('a phrase of BIP-39 among other words', () => {
  const around: Readonly<Record<string, readonly [string, string]>> = {
    english: ['Hi! Here is my phrase: ', '. Please help me, nothing works'],
    spanish: ['Hola, esta es mi frase: ', ', ¿me puedes ayudar con la cartera?'],
    japanese: ['わたしの リカバリーフレーズは ', ' です。たすけてください'],
    french: ['Bonjour, voici ma phrase : ', '. Merci de m’aider, rien ne marche'],
    italian: ['Ciao, ecco la mia frase: ', '. Mi potete aiutare per favore?'],
    portuguese: ['Olá, aqui está a minha frase: ', '. Podem ajudar-me com isto?'],
    czech: ['Ahoj, tady je moje fráze: ', '. Pomozte mi prosím s tím'],
    korean: ['안녕하세요 제 복구 문구는 ', ' 입니다. 도와주세요'],
  };

  it.each(Object.entries(around))('is recognised in %s', (language, [before, behind]) => {
    const words: readonly string[] = LISTS[language as keyof typeof LISTS];
    fc.assert(
      fc.property(phraseOf(words, [12, 24]), (phrase) => {
        const typed = phrase.join(' ').normalize('NFC');
        expect(looksSecret(`${before}${typed}${behind}`)).toBe(true);
        // As people write it without a keyboard of the language.
        const bare = typed.normalize('NFD').replaceAll(/\p{M}/gu, '');
        expect(looksSecret(`${before}${bare.toUpperCase()}${behind}`)).toBe(true);
      }),
    );
  });

  it('is recognised in Chinese behind its name', () => {
    for (const [list, name] of [
      [simplifiedChinese, '我的助记词:'],
      [traditionalChinese, '助記詞：'],
    ] as const) {
      fc.assert(
        fc.property(phraseOf(list, [12, 24]), (phrase) => {
          expect(looksSecret(`${name} ${phrase.join(' ')}`)).toBe(true);
        }),
      );
    }
  });

  it.each([
    'La casa estaba vacía aquella tarde de abril, y el perro dormía junto a la puerta mientras mi abuelo leía el diario; olor de café, ruido de agua, luz de invierno sobre la mesa y nadie con quien hablar.',
    'きょうは とても いい てんきです。あさ はやく おきて、いぬと さんぽに いきました。みちで ともだちに あって、いっしょに こうえんで おひるごはんを たべながら ながい あいだ はなしました。',
    'Le matin, mon voisin sort avec son chien, achète du pain frais et un journal, puis revient lentement par le jardin public où des enfants jouent au ballon sous de grands arbres déjà jaunes.',
    'Questa mattina il mercato era pieno di gente: frutta, verdura, formaggio, pane caldo e fiori di ogni colore, mentre la banda suonava in piazza e i bambini correvano intorno alla fontana.',
    'Ontem à noite o vento abriu a janela da cozinha, apagou a vela e espalhou papel pelo chão; a minha irmã ficou com medo, mas o gato continuou a dormir em cima da cadeira velha.',
    'Včera večer jsme seděli u ohně, zpívali staré písně a pekli brambory; ráno byla mlha, potok ještě spal a pes hlídal tábor, zatímco děda vařil silnou kávu pro celou rodinu.',
    '오늘 아침 일찍 가족과 함께 시장에 가서 과일 생선 고기 채소를 사고 점심 식사 준비를 했다. 오후에는 친구 동생 선생님과 공원 산책을 하면서 여행 계획 이야기를 오래 나누었다.',
    '如 果 你 要 在 系 統 上 執 行 這 個 程 序 就 必 須 先 用 你 的 帳 號 進 入 然 後 才 能 開 始 工 作',
    '2026 年 11 月 29 日 8 时 30 分 5 秒 到 2026 年 11 月 30 日 9 时 40 分 6 秒 一 直 在 线',
  ])('is not seen in ordinary prose: %#', (text) => {
    expect(looksSecret(text)).toBe(false);
    expect(looksSecret(`${text}\n${text.replaceAll(/[,;.。、]/g, '')}`)).toBe(false);
  });
});

describe('a share of SLIP-39', () => {
  // Its words have 4 to 8 letters each, as these have.
  const words = english.filter(({ length }) => length >= 4);

  it('is recognised, of 128 bits as of 256', () => {
    fc.assert(
      fc.property(phraseOf(words, [20, 33]), (share) => {
        expect(looksSecret(share.join(' '))).toBe(true);
      }),
    );
  });

  // Alike, but in a row, those of BIP-39 are a part of a phrase.
  const others = english.slice(0, 500).map((word) => `q${word.slice(0, 7)}`.padEnd(4, 'q'));

  it('is recognised among other words', () => {
    for (const text of [`Here is my share: ${SHARE}. Please help!`, `${SHARE} 0x5aAeb6053F3E`]) {
      expect(looksSecret(text)).toBe(true);
      expect(mayBeHash(text)).toBe(false);
    }
    expect(looksSecret(`These are ${SHARE.split(' ').slice(1).join(' ')} only`)).toBe(false);
  });

  it('is recognised by the first four letters of its words, as is a phrase', () => {
    const short = (text: string) => text.replaceAll(/\w+/g, (word) => word.slice(0, 4));
    expect(looksSecret(`Here is my share: ${short(SHARE)}. Please help!`)).toBe(true);
    fc.assert(
      fc.property(phraseOf(english, [12, 24]), (phrase) => {
        expect(looksSecret(`mine is ${short(phrase.join(' '))}, ok?`)).toBe(true);
      }),
    );
  });

  it('is none in other lengths, but those of BIP-39', () => {
    fc.assert(
      fc.property(phraseOf(others, [17, 19, 22, 31, 34]), (share) => {
        expect(looksSecret(share.join(' '))).toBe(false);
      }),
    );
  });
});

const ordinal = (at: number) => `${at}${['th', 'st', 'nd', 'rd'][at] ?? 'th'}`;
const keycaps = (at: number) => String(at).replaceAll(/\d/g, '$&\u{fe0f}\u{20e3}');

describe('a phrase as people paste it', () => {
  const phrase = english.slice(40, 52);
  it.each<[string, string]>([
    ['in brackets with numbers', phrase.map((word, at) => `[${at + 1}] ${word}`).join(' ')],
    ['with numbers and a hash sign', phrase.map((word, at) => `#${at + 1} ${word}`).join('\n')],
    ['as a list of JSON', JSON.stringify(phrase)],
    ['with ordinals', phrase.map((word, at) => `${ordinal(at + 1)} ${word}`).join(' ')],
    ['with Spanish ordinals', phrase.map((word, at) => `${at + 1}º ${word}`).join(', ')],
    ['with keycaps', phrase.map((word, at) => `${keycaps(at + 1)} ${word}`).join(' ')],
    [
      'with keycaps, in a sentence',
      `Mine: ${phrase.map((word, at) => `${keycaps(at + 1)} ${word}`).join(' ')} ok?`,
    ],
    ['in JSON', JSON.stringify({ mnemonic: phrase.join(' ') })],
    ['in quotes', `“${phrase.join(' ')}”`],
    ['with bullets', phrase.map((word) => `• ${word}`).join('\n')],
    ['as a table', phrase.map((word, at) => `| ${at + 1} | ${word} |`).join('\n')],
    ['as code in a chat', `\`\`\`\n${phrase.join(' ')}\n\`\`\``],
    ['behind bars in a chat', `||${phrase.join(' ')}||`],
    ['joined by underscores', phrase.join('_')],
    ['with a word behind it', `${phrase.join(' ')} thanks`],
    ['in a sentence', `Hi! My seed phrase is ${phrase.join(' ')}. Can you link it?`],
    ['with its address', `${phrase.join(' ')} 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed`],
    ['among fields', JSON.stringify({ wallet: 'x', mnemonic: phrase.join(' '), index: 0 })],
    ['in a command', `cast wallet import me --mnemonic "${phrase.join(' ').toUpperCase()}"`],
    ['in tags', `<b>${phrase.join(' ')}</b>`],
  ])('is recognised %s', (_, text) => {
    expect(looksSecret(text)).toBe(true);
    expect(mayBeHash(text)).toBe(false);
  });
});

describe('a private key', () => {
  const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
  const groups = (size: number) => key.match(new RegExp(`.{${size}}`, 'g')) ?? [];

  it.each([
    ['in bytes', groups(2).join(' ')],
    ['in bytes with colons', groups(2).join(':')],
    ['as a list', `[${groups(2).map((each) => `0x${each}`)}]`],
    ['in groups of four', groups(4).join(' ')],
    ['on two lines', groups(32).join('\n')],
    ['in brackets', `(${key})`],
    ['as a list of JSON', JSON.stringify([...Buffer.from(key, 'hex')])],
    ['as code in a chat', `\`0x${key}\``],
    ['in bold', `**${key}**`],
  ])('in hex is recognised %s, where it may as well be a hash', (_, text) => {
    expect(looksSecret(text)).toBe(true);
    expect(mayBeHash(text)).toBe(true);
  });

  // Of documents, or of nobody.
  it.each([
    ['Bitcoin', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'],
    ['Bitcoin, compressed', 'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617'],
    ['Bitcoin’s test network', '92Pg46rUhgTT7romnV7iGW6W1gbGdeezqdbJCzShkCsYNzyyNcc'],
    ['Bitcoin’s test network, compressed', 'cNJFgo1driFnPcBdBX8BrJrpxchBWXwXCvNH5SoSkdcF6JXXwHMm'],
    ['Nostr', 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5'],
    ['Sui', 'suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae'],
    ['age', 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'],
    ['Aptos', `ed25519-priv-0x${key}`],
    ['Codex32', 'ms10testsxxxxxxxxxxxxxxxxxxxxxxxxxx4nzvca9cmczlw'],
    ['Codex32, a share', 'MS12NAMEA320ZYXWVUTSRQPNMLKJHGFEDCAXRPP870HKKQRM'],
    ['a Uniform Resource', 'ur:crypto-seed/oyadgdaawzwplrbdhdpabgrnvokorolnrtemksayyadmut'],
    ['Bitcoin under a passphrase', '6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg'],
    ['Stellar', 'SAV76USXIJOBMEQXPANUOQM6F5LIOTLPDIDVRJBFFE2MDJXG24TAPUU7'],
    [
      'a vault of MetaMask',
      '{"data":"q1W2e3R4t5Y6u7I8o9P0","iv":"cmFuZG9tSVYxMjM0NTY3OA==","keyMetadata":{"iterations":900000},"salt":"c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0c2FsdHNhbHQ="}',
    ],
    ['Solana, if called so', `Private key: ${'5Kb8kLf9zgWQnogidDA76Mz'.repeat(3)}`],
    ['Solana, as bytes', `{"secretKey": [${Array.from({ length: 64 }, (_, at) => at)}]}`],
  ])('is recognised of %s', (_, text) => {
    expect(looksSecret(text)).toBe(true);
    expect(mayBeHash(text)).toBe(false);
  });

  it.each([
    ['a signature', `0x${key}${key}1b`],
    ['a signature in bytes', [...groups(2), ...groups(2), '1b'].join(' ')],
    ['a signature as a list of JSON', JSON.stringify([...Buffer.from(key + key, 'hex')])],
    ['numbers', '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]'],
    ['a signature on two lines', `${key}\n${key}1b`],
    ['r and s', `{"r":"0x${key}","s":"0x${key}","v":27}`],
    ['an address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['a transaction of Algorand', 'K2QFYUWGL5RVKXADX2DDTQRFSX2PXYR7RRSHNJMVZSWKWAFUWWHQ'],
    ['a signature of Solana', '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnb'.repeat(2)],
    ['a list of bytes', `{"signature": [${Array.from({ length: 64 }, (_, at) => at)}]}`],
    ['an address of a page', `https://example.org/${english.slice(40, 52).join('/')}`],
    ['a sentence', 'I would like to link my wallet, but “it” does not work here!'],
    ['words of phrases, but too few', `${english.slice(40, 51).join(' ')} is not ${english[7]}`],
  ])('is not seen in %s', (_, text) => {
    expect(looksSecret(text)).toBe(false);
  });
});

it('An address behind the name of a command or a word like “secretly” is no private key', () => {
  const ethereum = `0x${'B7'.repeat(20)}`;
  const solana = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
  for (const text of [
    `/start secretly_-1001234567890_${ethereum}`,
    `@fathom_bot /privacy ${solana}`,
    `privacidad: ${solana}`,
  ]) {
    expect([text, looksSecret(text)]).toEqual([text, false]);
  }
  for (const label of ['private key: ', 'clave privada: ', 'secret: ', '"privateKey":"']) {
    expect([label, looksSecret(label + solana)]).toEqual([label, true]);
  }
});

/** An address of Solana, which a key of 32 bytes looks like. */
const BASE58 = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const SIGNATURE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const HASH = `0x${'1b2c'.repeat(16)}`;

it.each([
  `private wallet: ${BASE58}`,
  `my main wallet (private): ${BASE58}`,
  `my private wallet is ${BASE58}`,
  `my private wallet:\n${BASE58}`,
  `It's a secret wallet -> ${BASE58}`,
  `secret address ${BASE58}`,
  `my secret stash: ${BASE58}`,
  `mi cartera privada: ${BASE58}`,
  `billetera secreta: ${BASE58}`,
  `wallet (keep it private!): ${BASE58}`,
  `please keep secret: ${BASE58}`,
  `privately: ${BASE58}`,
  `private sale tx: ${SIGNATURE}`,
  `Secret Network bridge tx: ${SIGNATURE}`,
  `private DM only: ${BASE58}`,
  `"private wallet": "${BASE58}"`,
  `{"isPrivate": true, "address": "${BASE58}"}`,
  `private group member: ${BASE58}`,
  'private wallet: GD64YIY3TWGDMCNPP553DZPPR6LDUSFQOIJVFDPPXWEG3FVOJCCDBBHU5A',
])('What is private or secret, but no key, isn’t taken for one: %s', (text) => {
  expect(looksSecret(text)).toBe(false);
});

it.each([`my private tx: ${HASH}`, `seed round tx: ${HASH}`, `transaction hash: ${HASH}`])(
  'A hash that nobody calls a key may be either: %s',
  (text) => {
    expect(looksSecret(text)).toBe(true);
    expect(mayBeHash(text)).toBe(true);
  },
);

it.each([
  `private key: ${BASE58}`,
  `Private Key = ${BASE58}`,
  `privatekey: ${BASE58}`,
  `PRIVATE_KEY_SOL="${BASE58}"`,
  `SOL_SECRET=${BASE58}`,
  `my private key is ${BASE58}`,
  `{"privateKey":"${BASE58}"}`,
  `{"wallet":"${BASE58}","secret":"${BASE58}"}`,
  `private wallet key: ${BASE58}`,
  `wallet secret: ${BASE58}`,
  `privkey=${BASE58}`,
  `priv key ${BASE58}`,
  `my wallet's private key (phantom): ${BASE58}`,
  `private key of my wallet: ${BASE58}`,
  `Address: ${BASE58}\nPrivate: ${BASE58}`,
  `address ${BASE58} secret ${BASE58}`,
  `private\n${BASE58}`,
  `my secret is ${BASE58}`,
  `clave privada: ${BASE58}`,
  `llave privada de mi cartera: ${BASE58}`,
  `private key [${[...Array(32).keys()].join(',')}]`,
])('What is called a key is one, also where it looks like an address: %s', (text) => {
  expect(looksSecret(text)).toBe(true);
  expect(mayBeHash(text)).toBe(false);
});
