import { lookUp } from './request.js';
import { post } from './service.js';
import { show, shown } from './steps.js';

/** Milliseconds after which a signature that can't be checked is tried again, at the least. */
const RETRY = 5_000;
/** Milliseconds for which the service keeps what it can't check, and some more. */
const KEPT = 660_000;
/** While something is checked these pass by themselves. */
const PASSING = ['data-unavailable', 'unreachable', 'rate-limited'];

/**
 * Whoever has to be asked may not answer: that is not the signer's fault. The service keeps what was
 * signed, so it is tried again until the service says how it went.
 */
export async function untilChecked(submission) {
  const until = Date.now() + KEPT;
  for (;;) {
    try {
      return await post('proof', submission);
    } catch (error) {
      const mayPass = shown === 'checking' ? PASSING : ['data-unavailable'];
      if (!mayPass.includes(error.code) || Date.now() > until) throw error;
      await pause(error.value);
    }
  }
}

/** Goes on with what was signed before a reload. */
export async function untilSeen(seen) {
  const until = Date.now() + KEPT;
  let next = seen;
  while (next.unchecked && Date.now() < until) {
    await pause();
    next = await lookUp().catch((error) => {
      if (PASSING.includes(error.code)) return next;
      throw error;
    });
  }
  return next;
}

/** @param {string} [seconds] that the service wants to be left alone */
async function pause(seconds) {
  if (shown !== 'checking') show('checking');
  await new Promise((go) => setTimeout(go, Math.max(RETRY, Number(seconds) * 1000 || 0)));
}
