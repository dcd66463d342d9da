import { expect, vi } from 'vitest';
import type { StandInInteraction } from '../../../bench/servers/discord/interaction.ts';
import { patienceMs } from '../patience.ts';

/** Discord waits this long for the first response, and then tells the person that there was none. */
const ACKNOWLEDGE_MS = 3_000;

/**
 * Asks until the service responds in time, as a person does: on a busy machine it may be too late, and what isn't
 * acknowledged isn't run.
 * @returns what was answered
 */
export async function answered(ask: () => StandInInteraction): Promise<StandInInteraction> {
  const end = performance.now() + patienceMs();
  for (;;) {
    const asked = ask();
    const isAcknowledged = () => asked.acknowledged !== undefined;
    await vi
      .waitUntil(isAcknowledged, { timeout: ACKNOWLEDGE_MS, interval: 10 })
      .catch(() => undefined);
    if (isAcknowledged()) {
      const wait = { timeout: patienceMs(), interval: 20 };
      await vi.waitFor(() => expect(asked.seen.length, 'what is shown').toBeGreaterThan(0), wait);
      return asked;
    }
    asked.expired = true;
    expect(performance.now(), 'nothing was acknowledged in time').toBeLessThan(end);
  }
}
