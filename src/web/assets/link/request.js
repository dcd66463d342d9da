import { showAccount } from './account.js';
import { toHex } from './bytes.js';
import { showCode } from './code.js';
import { Fault } from './faults.js';
import { forget, keep, kept } from './kept.js';
import { post } from './service.js';

/** The request that this page is about. */
export let ticket = '';
/** `discord:1234`, as the text to be signed names who gets the wallet. */
export let owner = '';
/** Who that is, to be shown; undefined until the service has told. */
export let account;
/** When the link runs out, by this browser's clock. */
export let endsAt = Number.POSITIVE_INFINITY;
/** Whether the request is this browser's. */
let isOpen = false;

/** Takes the ticket out of the address, where others could see it, and keeps it for a reload. */
export function takeTicket() {
  const fresh = location.hash.slice(1);
  let isStored = true;
  if (fresh !== '' && fresh !== kept().ticket) {
    forget();
    isStored = keep({ ticket: fresh });
  }
  ticket = kept().ticket ?? '';
  // Where nothing may be stored, a reload finds it in the address alone.
  if (isStored) history.replaceState(null, '', location.pathname);
  if (ticket !== '' && !/^[\w-]{16,128}$/.test(ticket)) throw new Fault('no-ticket');
}

/** Asks whose request it is, and whether a code is waited for already; nothing is claimed by it. */
export async function lookUp() {
  // Where nothing may be stored, the cookie still tells which request was opened here.
  const seen = await post('look', ticket === '' ? {} : { ticket, opener: kept().opener });
  owner = seen.owner;
  endsAt = Date.now() + seen.expiresIn * 1000;
  account ??= showAccount(seen.account);
  return seen;
}

/** Makes the request this browser's. */
export async function claim() {
  if (isOpen) return;
  if (!navigator.cookieEnabled) throw new Fault('no-cookies');
  if (ticket !== '') await post('open', { ticket, opener: opener() });
  await knowsUs();
  keep({ opener: undefined });
  isOpen = true;
}

/** Made up once for a link, so that it can be opened again if we don't hear that it was. */
function opener() {
  const made = kept().opener ?? toHex(crypto.getRandomValues(new Uint8Array(16))).slice(2);
  keep({ opener: made });
  return made;
}

/** Whether the cookie came back is found out before anybody signs in vain. */
async function knowsUs() {
  try {
    await post('look', {});
  } catch (error) {
    throw error.code === 'link-expired' && ticket !== '' ? new Fault('no-cookies') : error;
  }
}

export function showProof({ code, expiresIn }) {
  keep({ proved: true });
  showCode(code, account, expiresIn);
}

/** What a fault means for this browser. */
export function meaningOf(code) {
  if (code === 'text-replaced') return 'other-tab';
  if (code !== 'link-expired') return code;
  if (kept().proved) return 'used';
  return ticket === '' ? 'no-ticket' : code;
}
