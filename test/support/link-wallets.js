/**
 * Wallets as extensions inject them into a page, before its own scripts. They hold no keys: `testSign` signs
 * outside of the browser. `testWallets` defines them, and `testAsked` records the requests to them.
 * @typedef {{protocol: string, name?: string, icon?: string, addresses: string[], knows?: string[], does?:
 * string[], connects?: string[]}} TestWallet `knows`: methods; `does`: how each signature request ends, one
 * after another, and `connects` the same for connections; all others succeed
 */
window.testAsked = [];

const utf8 = (text) => new TextEncoder().encode(text);
const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const digest = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const fromHex = (hex) =>
  Uint8Array.from(hex.slice(2).match(/../g), (byte) => Number.parseInt(byte, 16));

/** What a wallet does instead of responding. */
const ENDINGS = {
  reject: () => Promise.reject(Object.assign(new Error('User rejected it.'), { code: 4001 })),
  'reject in words': () => Promise.reject(new Error('The request was denied by the user')),
  locked: () => Promise.reject(new Error('The wallet is locked')),
  busy: () => Promise.reject(Object.assign(new Error('Already pending'), { code: -32002 })),
  fail: () => Promise.reject(new Error('<b>no</b> \u202e gas')),
  throw: () => {
    throw new Error('at once');
  },
  'reject with an object': () => Promise.reject({ reason: 7 }),
  'reject without words': () => Promise.reject(''),
  'reject with nothing': () => Promise.reject(undefined),
  'reject with a trap': () =>
    Promise.reject({
      get code() {
        throw new Error('a trap');
      },
    }),
  hang: () => new Promise(() => undefined),
  nothing: () => Promise.resolve(undefined),
  nonsense: () => Promise.resolve({ signature: { length: 1e9 }, accounts: 'none', 0: {} }),
};

/** A request to a wallet, which ends as the wallet was told to. */
function asked(wallet, kind, method, answer) {
  window.testAsked.push(method);
  const ending = (kind === 'connect' ? wallet.connects : wallet.does)?.shift();
  return ENDINGS[ending]?.() ?? answer(ending);
}

async function sign(address, bytes, ending) {
  const signed = ending === 'wrong' ? utf8('another text') : bytes;
  return await window.testSign(address, toBase64(signed));
}

function ethereum(wallet) {
  return {
    request: ({ method, params }) =>
      method === 'eth_requestAccounts'
        ? asked(wallet, 'connect', method, async () => wallet.addresses)
        : asked(wallet, 'sign', method, (ending) => sign(params[1], fromHex(params[0]), ending)),
  };
}

/** Composes the text of a sign-in as wallets do. */
function signInText(input, statement = input.statement) {
  return [
    `${input.domain} wants you to sign in with your Solana account:`,
    input.address,
    '',
    statement,
    '',
    `URI: ${input.uri}`,
    `Version: ${input.version}`,
    `Chain ID: ${input.chainId}`,
    `Nonce: ${input.nonce}`,
    `Issued At: ${input.issuedAt}`,
    `Expiration Time: ${input.expirationTime}`,
    `Request ID: ${input.requestId}`,
  ].join('\n');
}

const SOLANA = {
  signIn: (wallet) => (input) =>
    asked(wallet, 'sign', 'signIn', async (ending) => {
      if (input.domain !== location.host) throw new Error('another domain');
      const text = signInText(input, ending === 'other text' ? 'Give me all.' : undefined);
      const signature = fromBase64(await sign(input.address, utf8(text), ending));
      return [{ account: {}, signedMessage: utf8(text), signature }];
    }),
  signMessage:
    (wallet) =>
    ({ account, message }) =>
      asked(wallet, 'sign', 'signMessage', async (ending) => {
        const signature = fromBase64(await sign(account.address, message, ending));
        return [{ signedMessage: message, signature }];
      }),
  signTransaction:
    (wallet) =>
    ({ account, transaction }) =>
      asked(wallet, 'sign', 'signTransaction', async (ending) => {
        const message = transaction.slice(65);
        const signature = fromBase64(await sign(account.address, message, ending));
        return [{ signedTransaction: joined([1], signature, message) }];
      }),
};

/** @returns the signed transaction in base64, as in ARC-1 */
async function signTransaction(address, transaction, ending) {
  const bytes = fromBase64(transaction);
  const signature = fromBase64(await sign(address, joined(utf8('TX'), bytes), ending));
  const parts = [[0x82, 0xa3], utf8('sig'), [0xc4, 64], signature, [0xa3], utf8('txn'), bytes];
  return toBase64(joined(...parts));
}

const ALGORAND = {
  /** https://dev.algorand.co/arc-standards/arc-0060 */
  signData: (wallet) => (request, metadata) =>
    asked(wallet, 'sign', 'signData', async (ending) => {
      const { data, signer, domain, authenticationData } = request;
      const expected = await digest(utf8(domain));
      const isHere = domain === location.host && signer.length === 32;
      const isForDomain = expected.every((byte, i) => byte === authenticationData[i]);
      if (!isHere || !isForDomain || metadata.scope !== 1 || metadata.encoding !== 'base64') {
        throw new Error('a bad request');
      }
      JSON.parse(atob(data));
      // A hardware wallet counts, and says so.
      const adds = ending === 'add a counter';
      const signed = adds ? joined(expected, [1, 0, 0, 0, 9]) : authenticationData;
      const parts = [await digest(fromBase64(data)), await digest(signed)];
      const signature = fromBase64(await sign(wallet.addresses[0], joined(...parts), ending));
      return { signature, ...(adds && { authenticationData: signed }) };
    }),
  signBytes:
    (wallet) =>
    ({ data, signer }) =>
      asked(wallet, 'sign', 'signBytes', async (ending) => ({
        signature: fromBase64(await sign(signer, joined(utf8('MX'), data), ending)),
      })),
  signTxns:
    (wallet) =>
    ([{ txn }]) =>
      asked(wallet, 'sign', 'signTxns', async (ending) => [
        await signTransaction(wallet.addresses[0], txn, ending),
      ]),
  signTransactions:
    (wallet) =>
    ([{ txn }]) =>
      asked(wallet, 'sign', 'signTransactions', async (ending) => ({
        stxns: [await signTransaction(wallet.addresses[0], txn, ending)],
      })),
  /** As payment pages use it: https://github.com/x402-foundation/x402 */
  signTransaction:
    (wallet) =>
    ({ txns, indexesToSign }) =>
      asked(wallet, 'sign', 'signTransaction', async (ending) =>
        indexesToSign.includes(0)
          ? [fromBase64(await signTransaction(wallet.addresses[0], toBase64(txns[0]), ending))]
          : [null],
      ),
};

const PROTOCOLS = {
  'eip-6963'(wallet) {
    const { name, icon } = wallet;
    const info = { uuid: crypto.randomUUID(), name, icon, rdns: 'test.wallet' };
    const detail = Object.freeze({ info, provider: ethereum(wallet) });
    const announce = () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  },

  'window.ethereum'(wallet) {
    window.ethereum = ethereum(wallet);
  },

  'wallet-standard'(wallet) {
    const { name, icon, knows = [], addresses } = wallet;
    const features = {};
    for (const feature of knows) {
      const [chain, method] = feature.split(':');
      const methods = { solana: SOLANA, algorand: ALGORAND }[chain] ?? {};
      features[feature] = { version: '1.0.0', [method]: methods[method]?.(wallet) };
    }
    const accounts = addresses.map((address) => ({
      address,
      publicKey: new Uint8Array(32),
      chains: ['solana:mainnet'],
      features: wallet.accountKnows ?? knows,
    }));
    features['standard:connect'] = {
      version: '1.0.0',
      connect: () => asked(wallet, 'connect', 'connect', async () => ({ accounts })),
    };
    const chains = ['solana:mainnet'];
    const standard = { version: '1.0.0', name, icon, chains, features, accounts: [] };
    const register = ({ register }) => register(standard);
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  },

  'window.algorand'(wallet) {
    const { name, icon, knows = [], addresses } = wallet;
    const methods = knows.map((method) => [method, ALGORAND[method](wallet)]);
    window.algorand = {
      name,
      icon,
      ...Object.fromEntries(methods),
      enable: () =>
        asked(wallet, 'connect', 'enable', async () => ({
          genesisID: 'mainnet-v1.0',
          accounts: addresses,
        })),
    };
  },

  'arc-27'(wallet) {
    const { name, icon, knows = [], addresses } = wallet;
    const providerId = crypto.randomUUID();
    const answers = {
      discover: async () => ({
        name,
        icon,
        host: 'https://wallet.example',
        networks: [
          { genesisHash: 'other', methods: [] },
          { genesisHash: MAINNET, methods: knows },
        ],
      }),
      enable: ({ genesisHash }) =>
        asked(wallet, 'connect', 'enable', async () => {
          if (genesisHash !== MAINNET) throw new Error('another network');
          return { accounts: addresses.map((address) => ({ address, name: 'one' })) };
        }),
      sign_message: ({ message, signer }) =>
        asked(wallet, 'sign', 'sign_message', async (ending) => ({
          signature: await sign(signer, joined(utf8('MX'), utf8(message)), ending),
          signer,
        })),
      sign_transactions: ({ txns }) =>
        asked(wallet, 'sign', 'sign_transactions', async (ending) => ({
          stxns: [await signTransaction(addresses[0], txns[0].txn, ending)],
        })),
    };
    for (const [method, answer] of Object.entries(answers)) {
      window.addEventListener(`arc0027:${method}:request`, async ({ detail }) => {
        if (method !== 'discover' && detail.params.providerId !== providerId) return;
        const reference = `arc0027:${method}:response`;
        const respond = (content) => {
          const message = { id: crypto.randomUUID(), reference, requestId: detail.id, ...content };
          window.dispatchEvent(new CustomEvent(reference, { detail: JSON.stringify(message) }));
        };
        try {
          respond({ result: { providerId, ...(await answer(detail.params)) } });
        } catch ({ code = 4000, message }) {
          respond({ error: { code, message, providerId } });
        }
      });
    }
  },
};

const MAINNET = 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=';

for (const wallet of window.testWallets) PROTOCOLS[wallet.protocol](wallet);
