import { showAccount } from './account.js';
import { drawCode, isPhone, listApps } from './apps.js';
import { fromBase64, signatureOf } from './bytes.js';
import { showCode } from './code.js';
import { Fault, faultOf } from './faults.js';
import { forget, keep, kept } from './kept.js';
import { post } from './service.js';
import { byId, copy, fill, list, show, shown, warn, words } from './steps.js';
import { hasWalletConnect } from './walletconnect.js';
import { accountsOf, findWallets } from './wallets.js';

/** Milliseconds that a wallet has to answer. */
const PATIENCE = 120_000;
/** Milliseconds that should be left of a challenge when a wallet is asked to sign it. */
const MARGIN = 10_000;
/** Milliseconds after which a signature that can't be checked is handed in again. */
const RETRY = 5_000;
/** After these only a new link helps. */
const ENDS = ['link-expired', 'link-taken', 'link-tries', 'no-ticket'];
/** After these a challenge is as good as before. */
const HARMLESS = ['rate-limited', 'unreachable'];
/** The first step, in the form that suits this browser. */
const FIRST = ['start', 'apps', 'scan'];

const isTransaction = ({ form }) => form === 'transaction';

let ticket = '';
/** Who gets the wallet; undefined until the service has told. */
let account;
/** `discord:1234`, as the text to be signed names it. */
let owner = '';
/** Whether the request is this browser's. */
let isOpen = false;
/** What is to be linked; without ways to sign where that is done by hand. */
let chosen = { address: '' };
/** A wallet that was chosen before a reload and hasn't shown itself again. */
let awaited;
let found = [];
let challenge = {};
let working = false;
let giveUp = () => undefined;
/** Ends what a wallet keeps open. */
let leave;

/** Takes the ticket out of the address, where others could see it, and keeps it for a reload. */
function takeTicket() {
  const fresh = location.hash.slice(1);
  if (fresh !== '' && fresh !== kept().ticket) {
    forget();
    keep({ ticket: fresh });
  }
  ticket = kept().ticket ?? '';
  history.replaceState(null, '', location.pathname);
  if (ticket !== '' && !/^[\w-]{16,128}$/.test(ticket)) throw new Fault('no-ticket');
}

/** Goes to where the reader was before a reload, or to the first step; nothing is claimed by it. */
async function begin() {
  takeTicket();
  const { wallet, begun } = kept();
  const seen = await lookUp();
  owner = seen.owner;
  account = showAccount(seen.account);
  if (seen.proof) proved(seen.proof);
  else if (!begun) showFirst();
  else if (wallet === undefined) showWallets(true);
  else if (wallet.chain === undefined) await ask(wallet);
  else {
    awaited = wallet;
    showWallets(true);
  }
}

/** Asks whose request it is, and whether a code is waited for already. */
function lookUp() {
  // Where nothing may be stored, the cookie still tells which request was opened here.
  return post('look', ticket === '' ? {} : { ticket });
}

function proved({ code, expiresIn }) {
  keep({ proved: true });
  leave?.().catch(() => undefined);
  leave = undefined;
  showCode(code, account, expiresIn);
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

/** Does what was pressed, one thing at a time, and says what went wrong where it was pressed. */
async function run(task) {
  if (working) return;
  working = true;
  const step = shown;
  warn('');
  try {
    await task();
  } catch (error) {
    if (['waiting', 'checking', 'pair'].includes(shown)) show(step);
    fail(faultOf(error));
  } finally {
    working = false;
    resume();
  }
}

function fail(fault) {
  const code = meaningOf(fault.code);
  if (code === 'used' || ENDS.includes(code)) {
    forget();
    byId('account').hidden = true;
    show(code === 'used' ? 'used' : 'over');
    if (code === 'used') return;
  }
  if (shown === '') show('start', true);
  const sentence =
    fault.sentence ?? fill(words.faults[code] ?? words.faults['data-unavailable'], fault.value);
  warn(fault.isRenewed ? `${sentence} ${words.renewed}` : sentence);
}

/** What it means for this browser that the service knows no such request. */
function meaningOf(code) {
  if (code !== 'link-expired') return code;
  if (kept().proved) return 'used';
  return ticket === '' ? 'no-ticket' : code;
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
      const choose = () => run(() => connect(wallet));
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
  if (wallet === undefined || working || shown !== 'wallets') return;
  awaited = undefined;
  void run(() => connect(wallet, address));
}

/** @param {string} [address] that was chosen before */
async function connect({ name, chain, icon: _, ...wallet }, address) {
  leave = wallet.leave;
  const label = name || words.unnamed;
  const accounts = await answerOf(() => accountsOf(chain, wallet));
  const choose = (each) => ask({ ...each, by: chain, name, label });
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
      choose: () => run(() => choose(each)),
    })),
  );
  show('addresses');
}

/** Gets a text to be signed and shows it. Here the request becomes this browser's. */
async function ask(account) {
  chosen = account;
  if (!isOpen && ticket !== '') await post('open', { ticket });
  isOpen = true;
  const { by: chain, name, address } = chosen;
  challenge = await post('challenge', { address });
  keep({ wallet: { chain, name, address } });
  challenge.endsAt = Date.now() + challenge.expiresIn * 1000 - MARGIN;
  // The cookie may by now be another tab's, which has opened the request of another account.
  if (challenge.signIn.requestId !== owner) throw new Fault('link-taken');
  byId('transaction').textContent = challenge.transaction;
  byId('as-transaction').hidden = !challenge.transaction;
  byId('signature').value = '';
  byId('sign').className = chosen.ways ? 'with-wallet' : 'by-hand';
  const { ways = [{ form: 'message' }] } = chosen;
  // What the wallet can do and the challenge is there for.
  challenge.ways = ways.filter(({ form }) => form === 'message' || challenge[form]);
  if (challenge.ways.length === 0) throw new Fault('no-way');
  byId('cannot-row').hidden = new Set(challenge.ways.map(isTransaction)).size === 1;
  byId('ask').textContent = fill(words.signWith, chosen.label ?? '');
  showText();
  show('sign');
}

function wayNow() {
  const { ways } = challenge;
  return ways.find((way) => isTransaction(way) === byId('cannot').checked) ?? ways[0];
}

/** Shows what is signed, which ARC-60 has in a form of its own. */
function showText() {
  const { arc60, text } = challenge;
  byId('text').textContent =
    wayNow().form === 'arc60' ? new TextDecoder().decode(fromBase64(arc60.data)) : text;
}

async function sign() {
  if (Date.now() > challenge.endsAt) throw await renewed(new Fault('text-over'));
  const way = wayNow();
  try {
    const { signature, authenticatorData } = await answerOf(() => way.sign(challenge));
    await handIn({ form: way.form, signature: signatureOf(signature), authenticatorData });
  } catch (error) {
    if (error.code !== 'other-text') throw error;
    chosen.ways = chosen.ways.filter((each) => each !== way);
    throw await renewed(error);
  }
}

async function handInTyped() {
  // Terminals break lines, and JSON has quotes.
  const typed = byId('signature').value.replace(/[\s"'`]+/g, '');
  await handIn({ signature: signatureOf(typed, 'signature-malformed') });
}

async function handIn(submission) {
  let proof;
  try {
    proof = await untilChecked(submission);
  } catch (error) {
    if (HARMLESS.includes(error.code)) throw error;
    // The time of the challenge was over; whether the link's was too is told with the next one.
    const isLate = ['link-nothing', 'link-expired'].includes(error.code);
    throw await renewed(isLate ? new Fault('text-over') : error);
  }
  proved(proof);
}

/** Whoever has to be asked may not answer: that is not the signer's fault, so it is tried again. */
async function untilChecked(submission) {
  for (;;) {
    try {
      return await post('proof', submission);
    } catch (error) {
      if (error.code !== 'data-unavailable' || Date.now() > challenge.endsAt) throw error;
      if (shown !== 'checking') show('checking');
      await new Promise((go) => setTimeout(go, RETRY));
    }
  }
}

/** A challenge is good for one try, so the next one comes before the fault of the last is told. */
async function renewed(fault) {
  const { text } = challenge;
  await ask(chosen);
  fault.isRenewed = challenge.text !== text;
  return fault;
}

/** Waits for a wallet as long as that makes sense and the reader wants to. */
function answerOf(question) {
  show('waiting');
  return new Promise((resolve, reject) => {
    giveUp = () => reject(new Fault('cancelled'));
    setTimeout(() => reject(new Fault('late')), PATIENCE);
    new Promise((go) => go(question())).then(resolve, (error) => reject(faultOf(error)));
  });
}

function on(type, targets, task) {
  for (const target of document.querySelectorAll(targets)) {
    target.addEventListener(type, (event) => {
      event.preventDefault();
      void run(() => task(target));
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
on('submit', '#by-address', () => ask({ address: byId('typed').value.trim() }));
on('submit', '#by-signature', handInTyped);
byId('cannot').onchange = showText;
for (const each of document.querySelectorAll('.cancel')) each.onclick = () => giveUp();
// A new link in the same tab.
addEventListener('hashchange', () => location.reload());
document.addEventListener('visibilitychange', () => {
  // Back from the chat: the code may be used by now.
  if (shown === 'done' && document.visibilityState === 'visible') void run(lookUp);
});
look();
void run(begin);
