import { watchAlgorand } from './algorand.js';
import { watchArc27 } from './arc27.js';
import { watchEthereum } from './ethereum.js';
import { Fault, plain } from './faults.js';
import { watchStandard } from './standard.js';
import { watchWalletConnect } from './walletconnect.js';

/** The most wallets, and accounts per wallet, to list. */
const MOST = 20;
const NAME_MAX = 40;
const ICON_MAX = 200_000;

/** An `img` runs no script of an SVG and loads nothing for it. */
const ICON = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/;

const ADDRESSES = {
  Ethereum: /^0x[0-9a-f]{40}$/i,
  Solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  Algorand: /^[A-Z2-7]{58}$/,
};

/**
 * Finds this browser's wallets in all the ways they announce themselves.
 * @param show called with the list whenever it changes
 * @returns a function that looks again
 */
export function findWallets(show) {
  const found = [];

  /** @param read describes a wallet; if it throws, there is none */
  function add(chain, read) {
    try {
      const wallet = read();
      const isKnown = found.some((each) => each.chain === chain && each.id === wallet.id);
      // Check again: others may have been added while this one was read.
      if (isKnown || found.length >= MOST) return;
      const name = plain(String(wallet.name ?? ''), NAME_MAX);
      const picture = String(wallet.icon);
      const icon = picture.length < ICON_MAX && ICON.test(picture) ? picture : '';
      found.push({ ...wallet, chain, name, icon });
    } catch {
      return;
    }
    show(listed());
  }

  /** A wallet injected under the common name is most likely one of those that announced themselves. */
  function listed() {
    const isAnnounced = ({ chain }) =>
      found.some((each) => each.chain === chain && !each.isInjected);
    return found.filter((each) => !each.isInjected || !isAnnounced(each));
  }

  const looks = [watchEthereum, watchStandard, watchAlgorand, watchArc27, watchWalletConnect].map(
    (watch) => watch(add),
  );
  return () => {
    for (const look of looks) look();
    show(listed());
  };
}

/**
 * Requests a wallet's accounts.
 * @param {string} chain unless an account names its own
 * @returns {Promise<{address: string, chain: string, ways: {form: string, sign: Function}[]}[]>}
 */
export async function accountsOf(chain, { connect, account }) {
  const given = await connect();
  if (!Array.isArray(given)) throw new Fault('nonsense');
  const accounts = new Map();
  for (let i = 0; i < Math.min(given.length, MOST); i += 1) {
    try {
      const { address, ways, chain: own = chain } = account(given[i]);
      const isAddress = typeof address === 'string' && ADDRESSES[own].test(address);
      if (isAddress) accounts.set(address, { address, chain: own, ways });
    } catch {
      // Skip an account that can't be read.
    }
  }
  return [...accounts.values()];
}
