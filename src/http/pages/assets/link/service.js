import { Fault } from './faults.js';

/** Milliseconds; the service may have to ask a node. */
const PATIENCE = 20_000;

/**
 * Calls one of the page's endpoints.
 * @throws {Fault} with the problem's code
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
    // A proxy may have responded instead.
    throw error instanceof Fault ? error : new Fault('unreachable');
  }
}
