import { fromBase64, signatureOf } from './bytes.js';
import { untilChecked } from './checking.js';
import { Fault } from './faults.js';
import { keep } from './kept.js';
import { claim, owner, showProof } from './request.js';
import { post } from './service.js';
import { byId, fill, show, words } from './steps.js';
import { answerOf } from './task.js';
import { typedIn } from './typed.js';

/** Milliseconds that should be left of a challenge when a wallet is asked to sign it. */
const MARGIN = 10_000;
/** After these a challenge is as good as before. */
const HARMLESS = ['rate-limited', 'unreachable'];

const isTransaction = ({ form }) => form === 'transaction';

/** What is to be linked; without ways to sign where that is done by hand. */
let chosen = { address: '' };
let challenge = {};

/** Gets a text to be signed and shows it. Here the request becomes this browser's. */
export async function ask(account) {
  chosen = account;
  await claim();
  const { by: chain, name, address } = chosen;
  challenge = await post('challenge', { address });
  keep({ wallet: { chain, name, address } });
  challenge.endsAt = Date.now() + challenge.expiresIn * 1000 - MARGIN;
  // The cookie may by now be another tab's, which has opened the request of another account.
  if (challenge.signIn.requestId !== owner) throw new Fault('link-taken');
  byId('transaction').textContent = challenge.transaction;
  byId('as-transaction').hidden = !challenge.transaction;
  byId('caveat').textContent = challenge.caveat ?? '';
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
export function showText() {
  const { arc60, text } = challenge;
  byId('text').textContent =
    wayNow().form === 'arc60' ? new TextDecoder().decode(fromBase64(arc60.data)) : text;
}

export async function sign() {
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

export async function handInTyped() {
  // The service reads all forms that people paste.
  await handIn({ signature: typedIn('signature') });
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
  chosen.leave?.().catch(() => undefined);
  showProof(proof);
}

/** A challenge is good for one try, so the next one comes before the fault of the last is told. */
async function renewed(fault) {
  const { text } = challenge;
  const typed = byId('signature').value;
  await ask(chosen);
  fault.isRenewed = challenge.text !== text;
  // What has a slip in it can then be mended.
  if (!fault.isRenewed && fault.code === 'signature-malformed') byId('signature').value = typed;
  return fault;
}
