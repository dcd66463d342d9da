import { drawCode, isPhone, listApps } from './apps.js';
import { leave, tryNow, untilSeen } from './checking.js';
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

/** The first step, in the form that suits this browser. */
const FIRST = ['start', 'apps', 'scan'];

/** A wallet that was chosen before a reload and hasn't shown itself again. */
let awaited;
let found = [];

/** Goes to where the reader was before a reload, or to the first step. */
async function begin() {
  takeTicket();
  const { wallet, begun, proved } = kept();
  const { proof } = await untilSeen(await lookUp());
  if (proof) showProof(proof);
  // It had a code, which is over or was replaced.
  else if (proved) show('used');
  else if (!begun) showFirst();
  else if (wallet === undefined) showWallets(true);
  else if (wallet.chain === undefined) await ask(wallet);
  else {
    awaited = wallet;
    showWallets(true);
  }
}

/** Whether a wallet is in this browser itself. */
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

/** From the first step on, or once more if the service could not be asked whose request it is. */
async function goOn() {
  if (account === undefined) return await begin();
  keep({ begun: true });
  showWallets();
  look();
}

function showWallets(quietly = false) {
  // By hand is then the only way.
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
  // Some put themselves into the page late.
  if (FIRST.includes(shown) && shown !== 'start' && isHere()) show('start', true);
  resume();
}

/** Connects with the wallet that was chosen before a reload, as soon as it is there. */
function resume() {
  const { chain, name, address } = awaited ?? {};
  const wallet = found.find((each) => each.chain === chain && each.name === name);
  if (wallet === undefined || isWorking || shown !== 'wallets') return;
  awaited = undefined;
  act(() => connect(wallet, address));
}

/** @param {string} [address] that was chosen before */
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

/** Does one thing at a time; what waits for its turn comes after it. */
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
on('submit', '#by-address', () => ask({ address: typedIn('typed') }));
on('submit', '#by-signature', handInTyped);
byId('cannot').onchange = showText;
for (const each of document.querySelectorAll('.cancel')) each.onclick = cancel;
document.querySelector('.try-now').onclick = tryNow;
document.querySelector('.leave').onclick = leave;
// A new link in the same tab.
addEventListener('hashchange', () => location.reload());
watch((error) =>
  act(() => {
    throw error;
  }),
);
watchTabs(act);
look();
act(begin);
