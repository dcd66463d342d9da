import { fromBase64, signatureOf } from './bytes.js';
import { untilChecked, untilSeen } from './checking.js';
import { Fault } from './faults.js';
import { keep } from './kept.js';
import { claim, lookUp, owner, showProof } from './request.js';
import { post } from './service.js';
import { byId, fill, show, shown, words } from './steps.js';
import { answerOf } from './task.js';
import { typedIn } from './typed.js';

/** Milliseconds that a challenge should be valid for when a wallet is asked to sign it. */
const MARGIN = 10_000;
/** After these errors the challenge is still valid, or another one isn't needed. */
const HARMLESS = ['rate-limited', 'unreachable', 'left', 'text-replaced'];
/** After these what was typed may be sent once more. */
const CORRIGIBLE = ['signature-malformed', 'owners-unchecked'];

const isTransaction = ({ form }) => form === 'transaction';

/** The wallet to link; without ways to sign if that's done by hand. */
let chosen = { address: '' };
let challenge = {};
/** Whether a submission got no response; it may have arrived. */
let isUnheard = false;

/** Requests the text to sign and shows it. This claims the request for this browser. */
export async function ask(account) {
  chosen = account;
  await claim();
  const { by: chain, name, address } = chosen;
  challenge = await post('challenge', { address });
  keep({ wallet: { chain, name, address } });
  challenge.endsAt = Date.now() + challenge.expiresIn * 1000 - MARGIN;
  requireOwn(challenge.signIn.requestId);
  tabs?.postMessage({ owner, text: challenge.text });
  byId('transaction').textContent = challenge.transaction;
  byId('as-transaction').hidden = !challenge.transaction;
  byId('caveat').textContent = challenge.caveat ?? '';
  byId('signature').value = '';
  byId('sign').className = chosen.ways ? 'with-wallet' : 'by-hand';
  const { ways = [{ form: 'message' }] } = chosen;
  // Only the ways that both the wallet and the challenge support.
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

/** Shows what gets signed; for ARC-60 in its own form. */
export function showText() {
  const { arc60, text } = challenge;
  byId('text').textContent =
    wayNow().form === 'arc60' ? new TextDecoder().decode(fromBase64(arc60.data)) : text;
}

export async function sign() {
  if (await settled()) return;
  if (Date.now() > challenge.endsAt) throw await renewed(new Fault('text-over'));
  const way = wayNow();
  let isObject;
  try {
    const answer = await answerOf(() => way.sign(challenge));
    const { signature = answer, authenticatorData } = answer;
    isObject = typeof signature === 'object';
    await handIn({ form: way.form, signature: signatureOf(signature), authenticatorData });
  } catch (error) {
    // There is nothing that its user could copy better.
    const isNonsense = isObject && error.code === 'signature-malformed';
    if (error.code !== 'other-text') throw isNonsense ? new Fault('nonsense') : error;
    chosen.ways = chosen.ways.filter((each) => each !== way);
    throw await renewed(error);
  }
}

export async function handInTyped() {
  const signature = await typedIn('signature');
  if (await settled()) return;
  // The service understands every form that people paste.
  await handIn({ signature });
}

/**
 * Asks for the outcome of a submission whose response was lost.
 * @returns whether it was accepted; its code is then shown
 * @throws {Fault} if it wasn't and there's a new text
 */
async function settled() {
  if (!isUnheard) return false;
  const { proof } = await untilSeen(await lookUp());
  isUnheard = false;
  if (proof) {
    showProof(proof);
    return true;
  }
  const fault = await renewed(new Fault('signature-lost'));
  if (fault.isRenewed) throw fault;
  return false;
}

/** @param {(task: () => Promise<void>) => void} act runs a task when no other is running */
export function watchTabs(act) {
  tabs?.addEventListener('message', ({ data }) => {
    if (shown !== 'sign' || data.owner !== owner || data.text === challenge.text) return;
    act(async () => {
      throw new Fault('other-tab');
    });
  });
}

async function handIn(submission) {
  let proof;
  try {
    proof = await untilChecked({ nonce: challenge.signIn.nonce, ...submission });
  } catch (error) {
    if (error.code === 'more') return await ask(chosen);
    isUnheard = error.code === 'unreachable';
    // Another tab may have opened another account's link since: nobody must sign there.
    if (error.code === 'text-replaced') requireOwn((await post('look', {})).owner);
    if (HARMLESS.includes(error.code)) throw error;
    // The challenge has expired; requesting the next one shows whether the link has, too.
    const isLate = ['link-nothing', 'link-expired'].includes(error.code);
    throw await renewed(isLate ? new Fault('text-over') : error);
  }
  chosen.leave?.().catch(() => undefined);
  showProof(proof);
}

function requireOwn(seen) {
  if (seen !== owner) throw new Fault('other-account');
}

/** A challenge is valid for one try, so get the next one before showing the error. */
async function renewed(fault) {
  const { text } = challenge;
  const typed = byId('signature').value;
  await ask(chosen);
  fault.isRenewed = challenge.text !== text;
  // So that a typo can be corrected, or the same be sent again.
  if (!fault.isRenewed && CORRIGIBLE.includes(fault.code)) byId('signature').value = typed;
  return fault;
}

/** Tabs of one browser share a link, and only the most recent text of a link is valid. */
const tabs =
  typeof BroadcastChannel === 'function' ? new BroadcastChannel('fathom-link') : undefined;
