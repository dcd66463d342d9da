import { algorandWays } from './algorand.js';
import { drawCode } from './apps.js';
import { toBase58, toHex, utf8 } from './bytes.js';
import { Fault } from './faults.js';
import { byId, show } from './steps.js';

/** The service's settings; undefined if the operator hasn't set a project. */
const { walletconnect: settings } = document.body.dataset;

/** For this tab only, so that a reload finds the session again. */
const PREFIX = 'fathom-wc ';

/** Networks by their CAIP-2 names, with the methods we need. */
const NAMESPACES = {
  // https://docs.reown.com/advanced/multichain/rpc-reference/ethereum-rpc
  eip155: {
    chain: 'Ethereum',
    id: 'eip155:1',
    methods: ['personal_sign'],
    ways: (ask, address) => [
      {
        form: 'message',
        sign: async ({ text }) => ({
          signature: await ask('personal_sign', [toHex(utf8(text)), address]),
        }),
      },
    ],
  },
  // https://docs.reown.com/advanced/multichain/rpc-reference/solana-rpc
  solana: {
    chain: 'Solana',
    id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    methods: ['solana_signMessage', 'solana_signTransaction'],
    ways(ask, pubkey, known) {
      const canSignTransaction = known.includes('solana_signTransaction');
      // Wallets that know neither by name are asked for what all of them could do first.
      const canSignText = known.includes('solana_signMessage') || !canSignTransaction;
      return [
        canSignText && {
          form: 'message',
          sign: ({ text }) => ask('solana_signMessage', { message: toBase58(utf8(text)), pubkey }),
        },
        canSignTransaction && {
          form: 'transaction',
          async sign({ transaction }) {
            const answer = await ask('solana_signTransaction', { transaction, pubkey });
            // The wallet may have added to it.
            return { signature: answer.transaction ?? answer.signature };
          },
        },
      ].filter(Boolean);
    },
  },
  // https://namespaces.chainagnostic.org/algorand/caip2, https://dev.algorand.co/arc-standards/arc-0025
  algorand: {
    chain: 'Algorand',
    id: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k',
    methods: ['algo_signTxn'],
    ways: (ask, address) =>
      algorandWays(address, { signTxns: (txns) => ask('algo_signTxn', [txns]) }),
  },
};

/** Wallets to connect this way, with the deep links that open their apps with a pairing URI. */
const APPS = {
  // https://github.com/perawallet/connect, generatePeraWalletConnectDeepLink
  pera: (uri) => `perawallet-wc://wc?uri=${encodeURIComponent(uri)}`,
  // https://github.com/blockshake-io/defly-connect, generateDeflyWalletConnectDeepLink
  defly: (uri) => `defly-wc://wc?uri=${encodeURIComponent(uri)}`,
  // https://docs.reown.com/walletkit/ios/mobile-linking: any app that knows the protocol
  other: (uri) => uri,
};

export const hasWalletConnect = settings !== undefined;

/** Adds it to the found wallets, as one that isn't in a browser. */
export function watchWalletConnect(add) {
  return () =>
    hasWalletConnect &&
    add('WalletConnect', () => ({
      id: settings,
      name: 'WalletConnect',
      isElsewhere: true,
      connect,
      account,
      leave,
    }));
}

let client;
let session;

async function connect() {
  client ??= await start();
  session ??= client.session.getAll().at(-1) ?? (await pair());
  return Object.values(session.namespaces).flatMap(({ accounts }) => accounts);
}

/** @param {string} name in CAIP-10 format */
function account(name) {
  const [namespace, reference, address] = name.split(':');
  const { chain, id, ways } = NAMESPACES[namespace];
  if (id !== `${namespace}:${reference}`) throw new TypeError('another network');
  const { topic } = session;
  const ask = (method, params) =>
    client.request({ topic, chainId: id, request: { method, params } });
  // Wallets may name a namespace by its network, too.
  const methods = Object.values(session.namespaces).flatMap((each) => each.methods ?? []);
  return { address, chain, ways: ways(ask, address, methods) };
}

/** Ends the session, so that none is left in the wallet. */
async function leave() {
  const { topic } = session ?? {};
  session = undefined;
  if (topic) await client.disconnect({ topic, reason: { code: 6000, message: 'done' } });
}

async function start() {
  await import('./sign-client.js');
  const { SignClient } = globalThis['@walletconnect/sign-client'];
  const made = await SignClient.init({
    ...JSON.parse(settings),
    metadata: { name: 'Fathom', description: document.title, url: location.origin, icons: [] },
    storage: createStorage(),
    telemetryEnabled: false,
    logger: 'silent',
  });
  // It would send this site's URL to another host, and load a frame; the page allows neither.
  made.core.verify.register = async () => '';
  made.core.verify.resolve = async () => undefined;
  made.on('session_delete', () => {
    session = undefined;
  });
  return made;
}

/** Shows how to connect the wallet, and waits for its approval. */
async function pair() {
  const optionalNamespaces = Object.fromEntries(
    Object.entries(NAMESPACES).map(([name, { id, methods }]) => [
      name,
      { chains: [id], methods, events: [] },
    ]),
  );
  const { uri, approval } = await client.connect({ optionalNamespaces });
  if (!uri) throw new Fault('nonsense');
  for (const [name, link] of Object.entries(APPS)) byId(`pair-${name}`).href = link(uri);
  byId('pair-uri').textContent = uri;
  void drawCode('pair-code', uri);
  show('pair');
  return await approval();
}

function createStorage() {
  const all = new Map();
  const stored = (task) => {
    try {
      task(sessionStorage);
    } catch {
      // Storage is blocked, or full: a reload finds nothing then.
    }
  };
  stored((place) => {
    for (const [key, value] of Object.entries(place)) {
      if (key.startsWith(PREFIX)) all.set(key.slice(PREFIX.length), JSON.parse(value));
    }
  });
  return {
    getKeys: async () => [...all.keys()],
    getEntries: async () => [...all],
    getItem: async (key) => all.get(key),
    async setItem(key, value) {
      all.set(key, value);
      stored((place) => place.setItem(PREFIX + key, JSON.stringify(value)));
    },
    async removeItem(key) {
      all.delete(key);
      stored((place) => place.removeItem(PREFIX + key));
    },
  };
}
