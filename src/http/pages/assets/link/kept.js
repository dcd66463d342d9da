/** What a reload needs, for this tab only; the service knows the rest. */
const NAME = 'fathom-link';

/** Used if storage is blocked, as in some in-app browsers; lost on reload. */
let memory = '{}';

/** @returns {{ticket?: string, wallet?: {chain?: string, name?: string, address?: string}, proved?: boolean}} */
export function kept() {
  try {
    memory = sessionStorage.getItem(NAME) ?? '{}';
  } catch {
    // Storage is blocked.
  }
  try {
    return JSON.parse(memory);
  } catch {
    return {};
  }
}

/** Updates some fields; undefined removes one. @returns whether it survives a reload */
export function keep(change) {
  memory = JSON.stringify({ ...kept(), ...change });
  try {
    sessionStorage.setItem(NAME, memory);
    return true;
  } catch {
    // Storage is blocked, or full.
    return false;
  }
}

export function forget() {
  memory = '{}';
  try {
    // Clears what a wallet's session has left, too.
    sessionStorage.clear();
  } catch {
    // Storage is blocked.
  }
}
