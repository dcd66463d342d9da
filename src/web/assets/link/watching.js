import { Fault } from './faults.js';
import { endsAt, lookUp } from './request.js';
import { byId, shown } from './steps.js';

/** Steps that offer the link to other devices, which may take it over. */
const SHARED = ['apps', 'scan'];
/** Steps in which nothing has been signed, and nothing asks the service. */
const EARLY = [...SHARED, 'start', 'wallets', 'addresses'];
/** The step that shows the code, which is used, or used up, in the chat. */
const CODE = 'done';
/** Milliseconds between two looks. */
const EVERY = 10_000;
/** All else may pass, and is told when the reader does something. */
const ENDS = ['link-expired', 'link-taken', 'link-tries'];

/**
 * Notices that the link has run out, is another device's by now, or that its code is over: every now
 * and then where that is decided elsewhere, else at its end and when the reader comes back.
 * @param {(error: Error) => void} tell
 */
export function watch(tell) {
  const isSeen = () => document.visibilityState === 'visible';
  const look = async () => {
    const step = shown;
    const seen = await lookUp().catch((fault) => fault);
    if (shown !== step) return;
    const isUsed = step === CODE && !seen.code && seen.proof?.code !== byId('code').textContent;
    if (isUsed) tell(new Fault('link-expired'));
    else if (ENDS.includes(seen.code)) tell(seen);
  };
  setInterval(() => {
    const isOver = EARLY.includes(shown) && Date.now() > endsAt;
    if (isSeen() && (isOver || shown === CODE || SHARED.includes(shown))) void look();
  }, EVERY);
  document.addEventListener('visibilitychange', () => {
    // Back from the chat the code may be used.
    if (isSeen() && (shown === CODE || EARLY.includes(shown))) void look();
  });
}
