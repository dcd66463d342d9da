import { drawCode, isPhone, listApps } from './apps.js';
import { untilSeen } from './checking.js';
import { Fault } from './faults.js';
import { keep, kept } from './kept.js';
import { account, lookUp, showProof, takeTicket, ticket } from './request.js';
import { ask, handInTyped, showText, sign, watchTabs } from './signing.js';
import { byId, copy, list, show, shown, words } from './steps.js';
import { answerOf, cancel, isWorking, run } from './task.js';
import { typedIn } from './typed.js';
import { hasWalletConnect } from './walletconnect.js';
import { accountsOf, findWallets } from './wallets.js';
import { watch } from './watching.js';

/** The first steps; which one is shown depends on the browser. */
const FIRST = ['start', 'apps', 'scan'];

/** A wallet chosen before a reload that hasn't announced itself again yet. */
let awaited;
let found = [];

/** Returns to the step before a reload, or starts with the first. */
async function begin() {
  takeTicket();
  const { wallet, begun, proved } = kept();
  const { proof } = await untilSeen(await lookUp());
  if (proof) showProof(proof);
  // There was a code, but it has expired or was replaced.
  else if (proved) show('used');
  else if (!begun) showFirst();
  else if (wallet === undefined) showWallets(true);
  else if (wallet.chain === undefined) await ask(wallet);
  else {
    awaited = wallet;
    showWallets(true);
  }
}

/** Whether there's a wallet in this browser. */
const isHere = () => found.some(({ isElsewhere }) => !isElsewhere);

function showFirst() {
  if (isHere() || ticket === '') show('start', true);
  else if (isPhone()) {
    listApps(ticket);
    show('apps', true);
  } else {
    void drawCode('scan-code', `${location.origin}/link#${ticket}`);
    show('scan', true);
  }
}

/** Continues after the first step, or after looking up the request failed. */
async function goOn() {
  if (account === undefined) return await begin();
  keep({ begun: true });
  showWallets();
  look();
}

function showWallets(quietly = false) {
  // Signing by hand is the only way then.
  byId('by-hand').open = !isHere() && !hasWalletConnect;
  show('wallets', quietly);
}

function listWallets(wallets) {
  found = wallets;
  byId('none').hidden = isHere();
  list(
    'found',
    wallets.map((wallet) => {
      const { name, chain, icon, isElsewhere } = wallet;
      const choose = () => act(() => connect(wallet));
      const detail = isElsewhere ? 'Pera, Defly, …' : chain;
      return { label: name || words.unnamed, detail, icon, choose };
    }),
  );
  // Some wallets inject themselves late.
  if (FIRST.includes(shown) && shown !== 'start' && isHere()) show('start', true);
  resume();
}

/** Reconnects to the wallet chosen before a reload as soon as it's there. */
function resume() {
  const { chain, name, address } = awaited ?? {};
  const wallet = found.find((each) => each.chain === chain && each.name === name);
  if (wallet === undefined || isWorking || shown !== 'wallets') return;
  awaited = undefined;
  act(() => connect(wallet, address));
}

/** @param {string} [address] chosen before a reload */
async function connect({ name, chain, icon: _, ...wallet }, address) {
  const label = name || words.unnamed;
  const accounts = await answerOf(() => accountsOf(chain, wallet));
  const choose = (each) => ask({ ...each, by: chain, name, label, leave: wallet.leave });
  const before = accounts.find((each) => each.address === address);
  if (accounts.length === 0) throw new Fault('no-address');
  if (before !== undefined || accounts.length === 1) return await choose(before ?? accounts[0]);
  keep({ wallet: { chain, name } });
  const isMixed = new Set(accounts.map((each) => each.chain)).size > 1;
  list(
    'accounts',
    accounts.map((each) => ({
      label: each.address,
      detail: isMixed ? each.chain : '',
      choose: () => act(() => choose(each)),
    })),
  );
  show('addresses');
}

/** Runs one action at a time; queued ones follow. */
function act(task) {
  void run(task).then(resume);
}

function on(type, targets, task) {
  for (const target of document.querySelectorAll(targets)) {
    target.addEventListener(type, (event) => {
      event.preventDefault();
      act(() => task(target));
    });
  }
}

const look = findWallets(listWallets);
on('click', '.go', goOn);
on('click', '.connect', () => connect(found.find(({ isElsewhere }) => isElsewhere)));
on('click', '#again', look);
on('click', '#ask', sign);
on('click', '.back', () => {
  keep({ wallet: undefined });
  show('wallets');
});
on('click', '[data-copy]', copy);
on('submit', '#by-address', async () => ask({ address: await typedIn('typed') }));
on('submit', '#by-signature', handInTyped);
byId('cannot').onchange = showText;
for (const each of document.querySelectorAll('.cancel')) each.onclick = cancel;
// A new link was opened in the same tab.
addEventListener('hashchange', () => location.reload());
watch((error) =>
  act(() => {
    throw error;
  }),
);
watchTabs(act);
look();
act(begin);
