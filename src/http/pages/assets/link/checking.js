import { Fault } from './faults.js';
import { post } from './service.js';

/** Hands in a signature. @returns the proof, as soon as there is one; owners may take a day */
export async function untilChecked(submission) {
  try {
    return await post('proof', submission);
  } catch (error) {
    if (error.code !== 'data-unavailable') throw error;
    return await (await again()).untilChecked(submission, error);
  }
}

/** Goes on with a signature from before a reload. */
export async function untilSeen(seen) {
  return seen.uncheckedFor ? await (await again()).untilSeen(seen) : seen;
}

/** Most signatures are checked at once, so what tries again is loaded by the others. */
async function again() {
  const loaded = await import('./checking-again.js').catch(() => undefined);
  if (loaded === undefined) throw new Fault('unreachable');
  return loaded;
}
