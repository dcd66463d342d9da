import { toHex, utf8 } from './bytes.js';

/**
 * Ethereum wallets that announce themselves, and the one injected as `window.ethereum`.
 * https://eips.ethereum.org/EIPS/eip-6963
 */
export function watchEthereum(add) {
  addEventListener('eip6963:announceProvider', (event) => {
    add('Ethereum', () => describe(event.detail.provider, event.detail.info));
  });
  return () => {
    dispatchEvent(new Event('eip6963:requestProvider'));
    add('Ethereum', () => ({ ...describe(window.ethereum, {}), isInjected: true }));
  };
}

/** @param provider as in https://eips.ethereum.org/EIPS/eip-1193 */
function describe(provider, { uuid, name, icon }) {
  const ask = (method, params) => provider.request({ method, params });
  if (typeof provider.request !== 'function') throw new TypeError('no wallet');
  return {
    id: uuid ?? provider,
    name,
    icon,
    connect: () => ask('eth_requestAccounts', []),
    account: (address) => ({
      address,
      ways: [
        {
          form: 'message',
          sign: async ({ text }) => ({
            signature: await ask('personal_sign', [toHex(utf8(text)), address]),
          }),
        },
      ],
    }),
  };
}
