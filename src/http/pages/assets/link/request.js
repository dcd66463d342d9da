import { toHex } from './bytes.js';
import { Fault } from './faults.js';
import { forget, keep, kept } from './kept.js';
import { post } from './service.js';
import { byId, fill, say, show, warn, words } from './steps.js';

/** The ticket of the link request. */
export let ticket = '';
/** Who the wallet will be linked to, as in the text to sign: `discord:1234`. */
export let owner = '';
/** The account to show; undefined until the service has responded. */
export let account;
/** When the link expires, by this browser's clock. */
export let endsAt = Number.POSITIVE_INFINITY;
/** Whether this browser has opened the request. */
let isOpen = false;

/** Removes the ticket from the URL, where others could see it, and stores it for a reload. */
export function takeTicket() {
  const fresh = location.hash.slice(1);
  let isStored = true;
  if (fresh !== '' && fresh !== kept().ticket) {
    forget();
    isStored = keep({ ticket: fresh });
  }
  ticket = kept().ticket ?? '';
  // If storage is blocked, a reload finds the ticket only in the URL.
  if (isStored) history.replaceState(null, '', location.pathname);
  if (ticket !== '' && !/^[\w-]{16,128}$/.test(ticket)) throw new Fault('no-ticket');
}

/** Looks up the account, and whether a code is waiting; doesn't claim the request. */
export async function lookUp() {
  // If storage is blocked, the cookie still identifies the request opened here.
  const seen = await post('look', ticket === '' ? {} : { ticket, opener: kept().opener });
  owner = seen.owner;
  endsAt = Date.now() + seen.expiresIn * 1000;
  account ??= showAccount(seen.account);
  return seen;
}

/** Claims the request for this browser. */
export async function claim() {
  if (isOpen) return;
  if (!navigator.cookieEnabled) throw new Fault('no-cookies');
  if (ticket !== '') await post('open', { ticket, opener: opener() });
  await knowsUs();
  keep({ opener: undefined });
  isOpen = true;
}

/** Created once per link, so that the request can be opened again if the response was lost. */
function opener() {
  const made = kept().opener ?? toHex(crypto.getRandomValues(new Uint8Array(16))).slice(2);
  keep({ opener: made });
  return made;
}

/** Find out whether cookies work before anyone signs for nothing. */
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

/** What an error means for this browser. */
export function meaningOf(code) {
  if (code === 'text-replaced') return 'other-tab';
  if (code !== 'link-expired') return code;
  if (kept().proved) return 'used';
  return ticket === '' ? 'no-ticket' : code;
}

/**
 * Shows who the wallet will be linked to: first what's unique on the platform; the display name comes with a
 * note, because anyone can choose it.
 * @returns {{codeEntry: string, handle: string}}
 */
function showAccount({ platform, codeEntry, id, username, name, avatar }) {
  const handle = username ? `@${username}` : `${words.id} ${id}`;
  for (const [place, text] of Object.entries({ platform, id, name, handle })) {
    byId(place).textContent = text;
  }
  byId('alias').hidden = name === '' || name === username;
  byId('number').hidden = !username;
  const picture = new Image(40, 40);
  picture.alt = '';
  picture.referrerPolicy = 'no-referrer';
  picture.onload = () => byId('avatar').replaceChildren(picture);
  if (avatar) picture.src = avatar;
  byId('account').hidden = false;
  return { codeEntry, handle };
}

/**
 * Shows the code, how to use it, and how long it's valid.
 * @param {{codeEntry: string, handle: string}} account that must enter it
 */
function showCode(code, { codeEntry, handle }, seconds) {
  const until = Date.now() + seconds * 1000;
  const tell = () => {
    const left = Math.ceil((until - Date.now()) / 60_000);
    const sentence = words.type[codeEntry];
    if (left > 0) byId('type').textContent = fill(sentence, `/link ${code}`, handle, left);
    else {
      clearInterval(timer);
      byId('code').textContent = '';
      show('used');
      warn(words.codeOver);
    }
  };
  byId('code').textContent = code;
  show('done');
  say(fill(words.code, [...code].join(' ')));
  const timer = setInterval(tell, 5_000);
  tell();
}
