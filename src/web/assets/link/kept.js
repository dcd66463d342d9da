/** What a reload finds again, in this tab alone; the service knows the rest. */
const NAME = 'fathom-link';

/** Used where storage is forbidden, as some browsers inside of apps have it: until the next reload. */
let memory = '{}';

/** @returns {{ticket?: string, wallet?: {chain?: string, name?: string, address?: string}, proved?: boolean}} */
export function kept() {
  try {
    memory = sessionStorage.getItem(NAME) ?? '{}';
  } catch {
    // Forbidden.
  }
  try {
    return JSON.parse(memory);
  } catch {
    return {};
  }
}

/** Changes some of it; undefined takes away. @returns whether a reload finds it */
export function keep(change) {
  memory = JSON.stringify({ ...kept(), ...change });
  try {
    sessionStorage.setItem(NAME, memory);
    return true;
  } catch {
    // Forbidden, or full.
    return false;
  }
}

export function forget() {
  memory = '{}';
  try {
    // Whatever a wallet's session has left is over too.
    sessionStorage.clear();
  } catch {
    // Forbidden.
  }
}
