import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { patienceMs } from './patience.ts';

/**
 * Ids of this process' decoders of strangers' pictures, once there are some: for a moment, while the shell becomes the
 * decoder, it has no command line.
 */
export async function decoders(): Promise<number[]> {
  const until = performance.now() + patienceMs();
  for (;;) {
    const found = decodersNow();
    if (found.length > 0 || performance.now() > until) return found;
    await delay(1);
  }
}

function decodersNow(): number[] {
  const threads = readdirSync('/proc/self/task');
  return threads
    .flatMap((id) => readFileSync(`/proc/self/task/${id}/children`, 'utf8').trim().split(' '))
    .filter((id) => id !== '' && isDecoder(id))
    .map(Number);
}

function isDecoder(id: string): boolean {
  return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('reencode-process');
}
