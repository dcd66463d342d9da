import { describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { TakenOverError } from '#platforms/telegram/connection/ownership';
import type { TelegramContext, UpdateOutcome } from './telegram-context.ts';

/**
 * Runs one command and records its outcome. Never rejects: an error would reach the webhook, and
 * Telegram would deliver the update forever.
 */
export async function withMetrics(
  telegram: TelegramContext,
  name: string,
  answer: () => Promise<UpdateOutcome>,
): Promise<void> {
  const start = performance.now();
  let outcome: UpdateOutcome;
  try {
    outcome = await answer();
  } catch (error) {
    const isPassing = isExpected(error) || error instanceof TakenOverError;
    outcome = isPassing ? 'undelivered' : 'failed';
    const reason = describeCall(error);
    if (outcome === 'undelivered')
      telegram.log.debug({ name, reason }, 'Telegram: could not deliver an answer');
    else telegram.log.error({ name, reason }, 'Telegram: a command failed');
  }
  telegram.onCommand(name, outcome, (performance.now() - start) / 1000);
}
