import { algorandWays } from './algorand.js';
import { fromBase64, utf8 } from './bytes.js';
import { Fault } from './faults.js';

/**
 * Wallets registered by the Wallet Standard, once for each chain they support.
 * https://github.com/wallet-standard/wallet-standard
 */
export function watchStandard(add) {
  const register = (...wallets) => {
    for (const wallet of wallets) {
      add('Solana', () => describe(wallet, solanaWays));
      add('Algorand', () => describe(wallet, waysOnAlgorand));
    }
    return () => undefined;
  };
  const detail = { register };
  addEventListener('wallet-standard:register-wallet', (event) => {
    try {
      event.detail(detail);
    } catch {
      // Skip a wallet that fails while registering.
    }
  });
  return () => dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail }));
}

function describe(wallet, waysOf) {
  const { name, icon, features } = wallet;
  if (waysOf(features, {}).length === 0) throw new TypeError('not of this chain');
  return {
    id: wallet,
    name,
    icon,
    connect: async () => (await features['standard:connect'].connect()).accounts,
    account: (account) => ({ address: account.address, ways: waysOf(features, account) }),
  };
}

/** https://github.com/anza-xyz/wallet-standard/tree/master/packages/core/features */
function solanaWays(features, account) {
  const call = async (name, input) => (await features[`solana:${name}`][name](input))[0];
  const has = (name) => features[`solana:${name}`] !== undefined;
  // An account on a hardware wallet may support less than the wallet does.
  const can = (name) => has(name) && (account.features?.includes(`solana:${name}`) ?? true);
  return [
    // Most wallets don't list it per account.
    has('signIn') &&
      (can('signMessage') || can('signIn')) && {
        form: 'message',
        async sign({ text, signIn }) {
          const output = await call('signIn', signIn);
          if (new TextDecoder().decode(output.signedMessage) === text) return output;
          throw new Fault('other-text');
        },
      },
    can('signMessage') && {
      form: 'message',
      sign: ({ text }) => call('signMessage', { account, message: utf8(text) }),
    },
    can('signTransaction') && {
      form: 'transaction',
      async sign({ transaction }) {
        const input = { account, transaction: fromBase64(transaction), chain: 'solana:mainnet' };
        return { signature: (await call('signTransaction', input)).signedTransaction };
      },
    },
  ].filter(Boolean);
}

/**
 * No standard defines these names yet: payment pages use `signTransaction`, and the other two follow its
 * pattern for ARC-60 and ARC-27.
 */
function waysOnAlgorand(features, { address }) {
  const call = (name) => {
    const feature = features[`algorand:${name}`];
    return feature && ((...input) => feature[name](...input));
  };
  const signTransaction = call('signTransaction');
  return algorandWays(address, {
    signData: call('signData'),
    signBytes: call('signBytes'),
    signTxns:
      signTransaction &&
      (([{ txn }]) => signTransaction({ txns: [fromBase64(txn)], indexesToSign: [0] })),
  });
}
