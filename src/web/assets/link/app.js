import { fromBase64, signatureOf } from './bytes.js';
import { Fault, faultOf } from './faults.js';
import { post } from './service.js';
import { byId, copy, fill, list, show, showCode, shown, warn, words } from './steps.js';
import { accountsOf, findWallets } from './wallets.js';

/** Milliseconds that a wallet has to answer. */
const PATIENCE = 120_000;
/** Milliseconds that should be left of a challenge when a wallet is asked to sign it. */
const MARGIN = 10_000;
const TICKET = 'fathom-link';
/** After these only a new link helps. */
const ENDS = ['link-expired', 'link-taken', 'link-tries', 'no-ticket'];
/** After these a challenge is as good as before. */
const HARMLESS = ['rate-limited', 'unreachable'];

const isTransaction = ({ form }) => form === 'transaction';

let ticket = '';
/** `discord:1234`, as the text to be signed names it. */
let owner = '';
/** What is to be linked; without ways to sign where that is done by hand. */
let chosen = { address: '' };
let challenge = {};
let working = false;
let giveUp = () => undefined;

/** Takes the ticket out of the address, where others could see it, and keeps it for a reload. */
function begin() {
  ticket = kept(location.hash.slice(1) || undefined);
  history.replaceState(null, '', location.pathname);
  show('start', true);
  if (!/^[\w-]{16,128}$/.test(ticket)) fail(new Fault('no-ticket'));
}

/** What a reload finds again, unless storage is forbidden; a value takes the place of the last. */
function kept(value) {
  try {
    if (value !== undefined) sessionStorage.setItem(TICKET, value);
    return sessionStorage.getItem(TICKET) ?? '';
  } catch {
    return value ?? '';
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
    if (shown === 'waiting') show(step);
    fail(faultOf(error));
  } finally {
    working = false;
  }
}

function fail({ code, value, sentence: told, isRenewed }) {
  if (ENDS.includes(code)) {
    kept('');
    byId('account').hidden = true;
    show('over');
  }
  const sentence = told ?? fill(words.faults[code] ?? words.faults['data-unavailable'], value);
  warn(isRenewed ? `${sentence} ${words.renewed}` : sentence);
}

async function open() {
  const { account } = await post('look', { ticket });
  owner = (await post('open', { ticket })).owner;
  for (const id of ['platform', 'id', 'name']) byId(id).textContent = account[id];
  byId('account').hidden = false;
  show('wallets');
  look();
}

function listWallets(wallets) {
  byId('none').hidden = wallets.length > 0;
  list(
    'found',
    wallets.map(({ name, chain, icon, ...wallet }) => {
      const label = name || words.unnamed;
      const choose = () => run(() => connect(label, chain, wallet));
      return { label, detail: chain, icon, choose };
    }),
  );
}

async function connect(name, chain, wallet) {
  const accounts = await answerOf(() => accountsOf(chain, wallet));
  const choose = (account) => ask({ ...account, name });
  if (accounts.length === 0) throw new Fault('no-address');
  if (accounts.length === 1) return await choose(accounts[0]);
  list(
    'accounts',
    accounts.map((account) => ({
      label: account.address,
      choose: () => run(() => choose(account)),
    })),
  );
  show('addresses');
}

/** Gets a text to be signed and shows it. */
async function ask(account) {
  chosen = account;
  challenge = await post('challenge', { address: chosen.address });
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
  byId('ask').textContent = fill(words.signWith, chosen.name ?? '');
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
    proof = await post('proof', submission);
  } catch (error) {
    if (HARMLESS.includes(error.code)) throw error;
    // The time of the challenge was over; whether the link's was too is told with the next one.
    const isLate = ['link-nothing', 'link-expired'].includes(error.code);
    throw await renewed(isLate ? new Fault('text-over') : error);
  }
  kept('');
  showCode(proof.code, proof.expiresIn);
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
on('click', '#go', open);
on('click', '#again', look);
on('click', '#ask', sign);
on('click', '.back', () => show('wallets'));
on('click', '[data-copy]', copy);
on('submit', '#by-address', () => ask({ address: byId('typed').value.trim() }));
on('submit', '#by-signature', handInTyped);
byId('cannot').onchange = showText;
byId('cancel').onclick = () => giveUp();
// A new link in the same tab.
addEventListener('hashchange', () => location.reload());
look();
begin();
