import { algorandWays } from './algorand.js';
import { plain } from './faults.js';

/** Algorand's main network: wallets may know other networks, whose addresses look the same. */
const MAINNET = 'wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=';

/**
 * Algorand wallets that communicate by events. https://dev.algorand.co/arc-standards/arc-0027, as implemented
 * by https://github.com/agoralabs-sh/avm-web-provider: a request is an object, a response is JSON.
 */
export function watchArc27(add) {
  addEventListener('arc0027:discover:response', (event) => {
    add('Algorand', () => describe(contentOf(event).result));
  });
  // Over plain HTTP, `randomUUID` is missing, and these wallets don't respond either.
  return () => isSecureContext && request('discover', crypto.randomUUID(), {});
}

function describe({ providerId, name, icon, networks }) {
  const { genesisHash, methods } =
    networks.find((each) => each.genesisHash === MAINNET) ?? networks[0];
  const ask = (method, params) => answerTo(method, { providerId, ...params });
  return {
    id: plain(providerId, 64),
    name,
    icon,
    connect: async () => (await ask('enable', { genesisHash })).accounts,
    account: ({ address }) => ({
      address,
      ways: algorandWays(address, {
        signBytes:
          methods.includes('sign_message') &&
          (({ data, signer }) =>
            ask('sign_message', { message: new TextDecoder().decode(data), signer })),
        signTxns:
          methods.includes('sign_transactions') && ((txns) => ask('sign_transactions', { txns })),
      }),
    }),
  };
}

function answerTo(method, params) {
  return new Promise((resolve, reject) => {
    const id = crypto.randomUUID();
    const name = `arc0027:${method}:response`;
    addEventListener(name, function listen(event) {
      const { requestId, error, result } = contentOf(event);
      if (requestId !== id) return;
      removeEventListener(name, listen);
      if (error) reject(error);
      else resolve(result);
    });
    request(method, id, params);
  });
}

function request(method, id, params) {
  const reference = `arc0027:${method}:request`;
  dispatchEvent(new CustomEvent(reference, { detail: { id, reference, params } }));
}

function contentOf({ detail }) {
  try {
    return (typeof detail === 'string' ? JSON.parse(detail) : detail) ?? {};
  } catch {
    return {};
  }
}
