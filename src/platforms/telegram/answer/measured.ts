import type { Desk, UpdateOutcome } from '#platforms/telegram/answer/desk';
import { describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { TakenOverError } from '#platforms/telegram/connection/ownership';

/**
 * Runs the answering of one question, counts how it ended, and lets no error out: one that left here
 * would reach a webhook's caller, who would deliver the update for ever.
 */
export async function measured(
  desk: Desk,
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
    if (outcome === 'undelivered') desk.log.debug({ name, reason }, 'Telegram: not delivered');
    else desk.log.error({ name, reason }, 'Telegram: a question went unanswered');
  }
  desk.onCommand(name, outcome, (performance.now() - start) / 1000);
}
