import { Fault } from './faults.js';
import { endsAt, lookUp } from './request.js';
import { byId, shown } from './steps.js';

/** Steps that offer the link to another device, which may take it over. */
const SHARED = ['apps', 'scan'];
/** Steps before anything is signed, in which nothing else calls the service. */
const EARLY = [...SHARED, 'start', 'wallets', 'addresses'];
/** The step that shows the code; the code is used, or used up, in the chat. */
const CODE = 'done';
/** Milliseconds between two checks. */
const EVERY = 10_000;
/** Any other error may pass, and is shown when the user does something. */
const ENDS = ['link-expired', 'link-taken', 'link-tries'];

/**
 * Notices that the link has expired, that another device took it, or that its code is no longer valid. Polls
 * while that's decided elsewhere; otherwise it checks when the link expires and when the user comes back.
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
    // The user may have entered the code in the chat.
    if (isSeen() && (shown === CODE || EARLY.includes(shown))) void look();
  });
}
