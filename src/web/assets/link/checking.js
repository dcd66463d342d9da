import { Fault } from './faults.js';
import { lookUp } from './request.js';
import { post } from './service.js';
import { byId, fill, say, show, shown, words } from './steps.js';

/** Milliseconds after which a signature that can't be checked is tried again, at the least. */
const RETRY = 5_000;
/** Milliseconds for which the service keeps what it can't check, and some more. */
const KEPT = 660_000;
/** While something is checked these pass by themselves. */
const PASSING = ['data-unavailable', 'unreachable', 'rate-limited'];

let endPause = () => undefined;
let endWait = () => undefined;

/** Doesn't wait for the next try. */
export const tryNow = () => endPause();

/** Ends the wait with a `left`, even while a try is under way; what was signed is tried on. */
export const leave = () => endWait();

/** @param {(wait: {isLeft: boolean}) => Promise} work which ends by itself once it is left */
async function unlessLeft(work) {
  const wait = { isLeft: false };
  const left = new Promise((_, giveUp) => {
    endWait = () => {
      wait.isLeft = true;
      giveUp(new Fault('left'));
    };
  });
  return await Promise.race([work(wait), left]);
}

/**
 * Whoever has to be asked may not answer: that is not the signer's fault. The service keeps what was
 * signed, so it is tried again until the service says how it went.
 */
export const untilChecked = (submission) => unlessLeft((wait) => check(submission, wait));

async function check(submission, wait) {
  const until = Date.now() + KEPT;
  for (;;) {
    try {
      return await post('proof', submission);
    } catch (error) {
      const mayPass = shown === 'checking' ? PASSING : ['data-unavailable'];
      if (!mayPass.includes(error.code) || Date.now() > until) throw error;
      const seen = await lookAgain();
      if (seen?.proof) return seen.proof;
      await pause(wait, seen?.uncheckedFor, error.value);
    }
  }
}

/** Goes on with what was signed before a reload. */
export const untilSeen = (seen) => unlessLeft((wait) => see(seen, wait));

async function see(seen, wait) {
  const until = Date.now() + KEPT;
  let next = seen;
  while (next.uncheckedFor && Date.now() < until) {
    await pause(wait, next.uncheckedFor);
    next = (await lookAgain()) ?? next;
  }
  return next;
}

/** @returns undefined if nothing can be told now */
async function lookAgain() {
  try {
    return await lookUp();
  } catch (error) {
    if (PASSING.includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * @param {number} [secondsLeft] for which it is tried
 * @param {string} [seconds] that the service wants to be left alone
 */
async function pause(wait, secondsLeft, seconds) {
  if (wait.isLeft) throw new Fault('left');
  tell(secondsLeft);
  await new Promise((go) => {
    endPause = go;
    setTimeout(go, Math.max(RETRY, Number(seconds) * 1000 || 0));
  });
  if (wait.isLeft) throw new Fault('left');
}

/** Shows that it is checked; afterwards, when that was last tried. */
function tell(secondsLeft) {
  const isFirst = shown !== 'checking';
  if (isFirst) show('checking');
  const tried = isFirst ? '' : fill(words.stillUnchecked, hour(Date.now(), { second: '2-digit' }));
  const end = secondsLeft ? fill(words.checkedUntil, hour(Date.now() + secondsLeft * 1000)) : '';
  byId('checking-until').textContent = `${end} ${tried}`.trim();
  if (tried !== '') say(tried);
}

function hour(time, more) {
  const form = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...more };
  return new Date(time).toLocaleTimeString(document.documentElement.lang, form);
}
