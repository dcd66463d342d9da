/** What people paste after they have signed elsewhere. */

interface Signed {
  /** As the product gave it. */
  readonly text: string;
  readonly address: string;
  readonly signature: string;
}

type Pasted = (signed: Signed) => string;

const hexOf = (text: string) => `0x${Buffer.from(text).toString('hex')}`;
const lines = (text: string, length: number) =>
  (text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []).join('\n');
const typographic = (json: string) => {
  let isOpen = false;
  return json.replaceAll('"', () => {
    isOpen = !isOpen;
    return isOpen ? '“' : '”';
  });
};
const armored = ({ text, address, signature }: Signed) =>
  [
    '-----BEGIN ETHEREUM SIGNED MESSAGE-----',
    text,
    '-----BEGIN SIGNATURE-----',
    address,
    signature,
    '-----END ETHEREUM SIGNED MESSAGE-----',
  ].join('\n');

export const PASTED: readonly (readonly [string, Pasted])[] = [
  ['the signature', ({ signature }) => signature],
  ['with a label', ({ signature }) => `Signature: ${signature}`],
  ['with a label that says how', ({ signature }) => `Signature (hex): ${signature}.`],
  ['with a label in Spanish', ({ signature }) => `firma = ${signature}`],
  ['with a label in Chinese', ({ signature }) => `签名：${signature}`],
  ['below a title of two words', ({ signature }) => `Signature Hash\n${signature}`],
  ['in tags', ({ signature }) => `<code>${signature}</code>`],
  ['in lines as in a shell', ({ signature }) => lines(signature, 60).replaceAll('\n', '\\\n')],
  ['in backticks', ({ signature }) => `\`${signature}\``],
  ['as a block of code', ({ signature }) => `\`\`\`\n${signature}\n\`\`\``],
  ['in bold', ({ signature }) => `**Signature:** ${signature}`],
  ['quoted', ({ signature }) => `> ${signature}`],
  ['in lines of 64', ({ signature }) => lines(signature, 64)],
  ['in lines of 40', ({ signature }) => lines(signature, 40)],
  ['with a label, in lines', ({ signature }) => `Signature:\n${lines(signature, 44)}`],
  ['after the address', ({ address, signature }) => `${address} ${signature}`],
  ['after the address, twice', ({ address, signature }) => `${address}\n${address}\n${signature}`],
  ['before the address', ({ address, signature }) => `${signature}\n${address}`],
  [
    'after the address, in tags',
    ({ address, signature }) =>
      `<signed><address>${address}</address><signature>${signature}</signature></signed>`,
  ],
  ['after the text', ({ text, signature }) => `${text}\n${signature}`],
  [
    'after the text, in one line',
    ({ text, signature }) => `${text} ${signature}`.replaceAll('\n', ' '),
  ],
  ['after the text, in lines', ({ text, signature }) => `${text}\n\n${lines(signature, 66)}`],
  ['after the text and a label', ({ text, signature }) => `${text}\nsignature: ${signature}`],
  ['after part of the text', ({ text, signature }) => `${text.slice(90)}\n${signature}`],
  [
    'after a quoted text',
    ({ text, signature }) => `> ${text.replaceAll('\n', '\n> ')}\n${signature}`,
  ],
  [
    'as a block of message, address and signature',
    ({ text, address, signature }) =>
      `message: ${text}\naddress: ${address}\nsignature: ${signature}`,
  ],
  [
    'as a block in another order',
    ({ text, address, signature }) =>
      `Public key: ${address}\nSignature: ${signature}\nMessage: ${text}`,
  ],
  [
    'as a block that names the wallet',
    ({ text, address, signature }) =>
      `Message: ${text}\nWallet: ${address}\nSignature: ${signature}`,
  ],
  [
    'before the wallet',
    ({ address, signature }) => `Signature: ${signature}\nWallet: ${address}\nCode: 0`,
  ],
  [
    'behind a code of another kind',
    ({ address, signature }) => `{ code: 0, wallet: '${address}', signature: '${signature}' }`,
  ],
  [
    'as a console shows an object',
    ({ address, signature }) => `{ wallet: '${address}', signature: '${signature}' }`,
  ],
  [
    'as a block with the text in hex',
    ({ text, address, signature }) =>
      `Address: ${address}\nMessage: ${hexOf(text)}\nSignature: ${signature}`,
  ],
  ['as a signed message', armored],
  [
    'as a signed message, of which a chat changed dashes',
    (signed) => armored(signed).replaceAll('-----', '—'),
  ],
  ['as a signed message in one line', (signed) => armored(signed).replaceAll('\n', ' ')],
  [
    'as JSON of MyEtherWallet',
    ({ text, address, signature }) =>
      JSON.stringify({ address, msg: text, sig: signature, version: '2' }),
  ],
  [
    'as JSON of MyEtherWallet, readable',
    ({ text, address, signature }) =>
      JSON.stringify(
        { address, msg: hexOf(text), sig: signature, version: '3', signer: 'MEW' },
        null,
        2,
      ),
  ],
  [
    'as JSON without 0x',
    ({ text, address, signature }) =>
      JSON.stringify({ address, msg: text, sig: signature.replace(/^0x/, ''), version: '2' }),
  ],
  ['as JSON', ({ text, signature }) => JSON.stringify({ message: text, signature })],
  [
    'as JSON in another order',
    ({ text, signature }) => JSON.stringify({ signature, message: text }),
  ],
  [
    'as JSON with typographic quotes',
    ({ text, signature }) => typographic(JSON.stringify({ message: text, signature })),
  ],
  [
    'as JSON with its lines broken',
    ({ text, signature }) => JSON.stringify({ message: text, signature }).replaceAll('\\n', '\n'),
  ],
  [
    'as JSON that is nested',
    ({ text, signature }) => JSON.stringify({ result: { message: text, signature } }),
  ],
  [
    'as JSON in a block of code',
    ({ text, signature }) =>
      `\`\`\`json\n${JSON.stringify({ message: text, signature }, null, 2)}\n\`\`\``,
  ],
  [
    'as JSON behind a word',
    ({ text, signature }) => `here: ${JSON.stringify({ message: text, signature })}`,
  ],
  [
    'as JSON of Etherscan, with another word',
    ({ text, address, signature }) =>
      JSON.stringify({ address, message: text, signature_hash: signature, signature }),
  ],
  ['twice in a row', ({ signature }) => `${signature}\n${signature}`],
  [
    'twice, with the text',
    ({ text, signature }) => `${text}\n${signature}\n\n${text}\n${signature}`,
  ],
  ['before an emoji', ({ signature }) => `${signature}✅`],
  ['as a spoiler', ({ signature }) => `||${signature}||`],
  ['as a link', ({ signature }) => `[${signature}](https://example.org/signed)`],
  ['as values after commas', ({ address, signature }) => `"${address}","${signature}"`],
  ['as a table', ({ address, signature }) => `| ${address} | ${signature} |`],
  ['in HTML', ({ signature }) => `&quot;${signature}&quot;`],
  [
    "in a page's address",
    ({ address, signature }) =>
      `https://example.org/?address=${address}&signature=${encodeURIComponent(signature)}`,
  ],
  [
    'as a value of Python',
    ({ signature }) => `SignedMessage(v=28, signature=HexBytes('${signature}'))`,
  ],
  [
    'below the command that made it',
    ({ signature }) => `cast wallet sign --keystore k 'text'\n${signature}`,
  ],
  [
    'as the result of JSON-RPC',
    ({ signature }) => JSON.stringify({ jsonrpc: '2.0', id: 42, result: signature }),
  ],
  [
    'as JSON under a name of its own',
    ({ text, signature }) => JSON.stringify({ message: hexOf(text), signedMessage: signature }),
  ],
  [
    'as JSON in a text of JSON',
    ({ text, signature }) => JSON.stringify(JSON.stringify({ message: text, signature })),
  ],
  ['with thanks behind it', ({ signature }) => `aquí está la firma: ${signature} gracias`],
  ['with what a phone adds', ({ signature }) => `${signature}\n\nSent from my iPhone`],
];
