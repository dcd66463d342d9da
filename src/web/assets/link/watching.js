import { endsAt, lookUp } from './request.js';
import { shown } from './steps.js';

/** Steps that offer the link to other devices, which may take it over. */
const SHARED = ['apps', 'scan'];
/** Steps in which nothing has been signed, and nothing asks the service. */
const EARLY = [...SHARED, 'start', 'wallets', 'addresses'];
/** Milliseconds between two looks. */
const EVERY = 10_000;
/** All else may pass, and is told when the reader does something. */
const ENDS = ['link-expired', 'link-taken', 'link-tries'];

/**
 * Notices that the link has run out, or is another device's by now: every now and then where it is
 * offered to others, else at its end and when the reader comes back.
 * @param {(error: Error) => void} tell
 */
export function watch(tell) {
  const isSeen = () => document.visibilityState === 'visible';
  const look = async () => {
    const step = shown;
    const error = await lookUp().catch((fault) => fault);
    if (shown === step && ENDS.includes(error.code)) tell(error);
  };
  setInterval(() => {
    const isOver = EARLY.includes(shown) && Date.now() > endsAt;
    if (isSeen() && (isOver || SHARED.includes(shown))) void look();
  }, EVERY);
  document.addEventListener('visibilitychange', () => {
    // Back from the chat the code may be used.
    if (isSeen() && (shown === 'done' || EARLY.includes(shown))) void look();
  });
}
