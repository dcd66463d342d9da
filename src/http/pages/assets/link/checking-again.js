import { Fault } from './faults.js';
import { lookUp } from './request.js';
import { post } from './service.js';
import { byId, fill, say, show, shown, words } from './steps.js';

/** The minimum wait, in milliseconds, before checking a signature again. */
const RETRY = 5_000;
/** The same while owners have yet to approve it, for which they have a day. */
const RETRY_OWNERS = 15_000;
/** How long the service keeps a signature that it can't check, and a margin, in milliseconds. */
const KEPT = 660_000;
/** These errors are temporary during a check. */
const PASSING = ['data-unavailable', 'unreachable', 'rate-limited'];

let endPause = () => undefined;
let endWait = () => undefined;

for (const each of document.querySelectorAll('.try-now')) each.onclick = () => endPause();
// Ends the wait even during a try; the service keeps trying the signature.
for (const each of document.querySelectorAll('.leave')) each.onclick = () => endWait('left');
for (const each of document.querySelectorAll('.send-more')) each.onclick = () => endWait('more');

/** @param {(wait: {isLeft: boolean}) => Promise} work which ends on its own once it's left */
async function unlessLeft(work) {
  const wait = { isLeft: false };
  const left = new Promise((_, giveUp) => {
    endWait = (code) => {
      wait.isLeft = true;
      giveUp(new Fault(code));
    };
  });
  return await Promise.race([work(wait), left]);
}

/**
 * A node that the check depends on may not respond, which isn't the signer's fault. The service keeps the
 * signature, so it's tried again until there's a result.
 * @param {Fault} failure of the first try
 */
export const untilChecked = (submission, failure) =>
  unlessLeft((wait) => check(submission, failure, wait));

async function check(submission, failure, wait) {
  let until = Date.now() + KEPT;
  for (let error = failure; ; ) {
    if (!PASSING.includes(error.code) || Date.now() > until) throw error;
    const seen = await lookAgain();
    const now = seen?.awaits ? await see(seen, wait) : seen;
    if (now?.proof) return now.proof;
    // Owners who approve on chain have their day while a node is down, too.
    until = Math.max(until, untilOf(now));
    await pause(wait, now, error.value);
    try {
      return await post('proof', submission);
    } catch (again) {
      error = again;
    }
  }
}

/** Goes on with a signature from before a reload, unless owners who were awaited are to sign instead. */
export async function untilSeen(seen) {
  try {
    return await unlessLeft((wait) => see(seen, wait));
  } catch (error) {
    if (error.code === 'more') return {};
    throw error;
  }
}

/** Until when the service tries it. */
const untilOf = (seen) => Date.now() + (seen?.uncheckedFor ?? 0) * 1000;

async function see(seen, wait) {
  const until = Math.max(Date.now() + KEPT, untilOf(seen));
  let next = seen;
  while (next.uncheckedFor && Date.now() < until) {
    await pause(wait, next);
    next = (await lookAgain()) ?? next;
  }
  return next;
}

/** @returns undefined if there's no answer right now */
async function lookAgain() {
  try {
    return await lookUp();
  } catch (error) {
    if (PASSING.includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * @param {object} [seen] what is known of it
 * @param {string} [seconds] the service's Retry-After
 */
async function pause(wait, seen = {}, seconds = '') {
  if (wait.isLeft) throw new Fault('left');
  tell(seen);
  await new Promise((go) => {
    endPause = go;
    const least = seen.awaits ? RETRY_OWNERS : RETRY;
    setTimeout(go, Math.max(least, Number(seconds) * 1000 || 0));
  });
  if (wait.isLeft) throw new Fault('left');
}

/** Shows that the signature is being checked or its owners are awaited, and when that was last tried. */
function tell({ uncheckedFor, awaits }) {
  const step = awaits ?? 'checking';
  const isFirst = shown !== step;
  if (isFirst) show(step);
  const isSilent = isFirst || awaits;
  const tried = isSilent
    ? ''
    : fill(words.stillUnchecked, clock(Date.now(), { second: '2-digit' }));
  const end = uncheckedFor ? untilWhen(uncheckedFor * 1000) : '';
  byId(`${step}-until`).textContent = `${end} ${tried}`.trim();
  if (tried !== '') say(tried);
}

/** Owners have so long that it may be tomorrow. */
function untilWhen(left) {
  const end = Date.now() + left;
  return left > KEPT
    ? fill(words.checkedUntilDay, local(end, { day: 'numeric', month: 'long' }), clock(end))
    : fill(words.checkedUntil, clock(end));
}

function clock(time, more) {
  return local(time, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...more });
}

function local(time, form) {
  return new Date(time).toLocaleString(document.documentElement.lang, form);
}
