import { watchAlgorand } from './algorand.js';
import { watchArc27 } from './arc27.js';
import { watchEthereum } from './ethereum.js';
import { Fault, plain } from './faults.js';
import { watchStandard } from './standard.js';
import { watchWalletConnect } from './walletconnect.js';

/** Wallets that are listed, and accounts of one, however many there are. */
const MOST = 20;
const NAME_MAX = 40;
const ICON_MAX = 200_000;

/** In an `img` no script of an SVG runs, and nothing is fetched for it. */
const ICON = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/;

const ADDRESSES = {
  Ethereum: /^0x[0-9a-f]{40}$/i,
  Solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  Algorand: /^[A-Z2-7]{58}$/,
};

/**
 * Finds the wallets of this browser by all the ways in which they make themselves known.
 * @param show gets the list whenever it changes
 * @returns looks again
 */
export function findWallets(show) {
  const found = [];

  /** @param read describes a wallet; whatever it throws means that there is none */
  function add(chain, read) {
    try {
      const wallet = read();
      const isKnown = found.some((each) => each.chain === chain && each.id === wallet.id);
      // Counted last: while one is read, others may come.
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

  /** What is injected under a common name is most likely one of those that have announced themselves. */
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
 * Asks a wallet for its accounts.
 * @param {string} chain unless an account tells its own
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
      // One that can't be read is none.
    }
  }
  return [...accounts.values()];
}
