import { Fault } from './faults.js';

/** Milliseconds; the service may have to ask a node. */
const PATIENCE = 20_000;

/**
 * Asks an endpoint of the page.
 * @throws {Fault} with the code of the problem
 */
export async function post(name, body) {
  let answer;
  try {
    answer = await fetch(`/link/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const content = await answer.json();
    if (answer.ok) return content;
    const wait = answer.headers.get('Retry-After') ?? '';
    throw new Fault(content.code, wait, content.sentence);
  } catch (error) {
    // What stands between us and the service may answer with something else.
    throw error instanceof Fault ? error : new Fault('unreachable');
  }
}
