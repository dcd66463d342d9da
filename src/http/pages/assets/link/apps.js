import { byId, words } from './steps.js';

/**
 * Wallet apps that open a page in their own browser, where they inject themselves, through the deep links
 * that their makers document. Most pass the page's URL on as a path or a parameter, and some drop the
 * fragment. So the ticket is in the path here, and the service redirects to the page.
 */
const APPS = [
  {
    // https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks/: the URL without
    // its scheme, unencoded
    name: 'MetaMask',
    chains: 'Ethereum, Solana',
    link: ({ host, pathname, search }) =>
      `https://link.metamask.io/dapp/${host}${pathname}${search}`,
  },
  {
    // https://docs.phantom.com/phantom-deeplinks/other-methods/browse
    name: 'Phantom',
    chains: 'Solana, Ethereum',
    link: ({ href, origin }) =>
      `https://phantom.app/ul/browse/${encodeURIComponent(href)}?ref=${encodeURIComponent(origin)}`,
  },
  {
    // https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
    name: 'Coinbase Wallet',
    chains: 'Ethereum',
    link: ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`,
  },
  {
    // https://developer.trustwallet.com/developer/develop-for-trust/deeplinking; 60 is Ethereum
    name: 'Trust Wallet',
    chains: 'Ethereum',
    link: ({ href }) =>
      `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`,
  },
  {
    // https://docs.solflare.com/solflare/technical/deeplinks/other-methods/browse
    name: 'Solflare',
    chains: 'Solana',
    link: ({ href, origin }) =>
      `https://solflare.com/ul/v1/browse/${encodeURIComponent(href)}?ref=${encodeURIComponent(origin)}`,
  },
];

/** Whether this is a device whose wallets are apps. */
export const isPhone = () => matchMedia('(pointer: coarse), (max-width: 30rem)').matches;

/** Fills the list of links that open this page in a wallet. */
export function listApps(ticket) {
  const page = new URL(`/link/with/${ticket}`, location.href);
  page.searchParams.set('lang', document.documentElement.lang);
  const items = APPS.map(({ name, chains, link }) => {
    const item = byId('app').content.cloneNode(true);
    item.querySelector('a').href = link(page);
    item.querySelector('b').textContent = name;
    item.querySelector('small').textContent = chains;
    return item;
  });
  byId('apps-list').replaceChildren(...items);
}

/**
 * Draws a QR code in the browser, because its content is confidential.
 * @param {string} id of an empty element
 */
export async function drawCode(id, text) {
  const { encodeQR } = await import('./qr.js');
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(encodeQR(text, 'svg', { ecc: 'low' }))}`;
  image.alt = words.qrCode;
  byId(id).replaceChildren(image);
}
