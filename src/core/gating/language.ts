import { RetryableError } from '#core/errors';
import type { GateKeeper } from '#core/gating/keeper';
import type { Community } from '#core/gating/rule';
import { type Texts, textsFor } from '#core/texts/index';

/** The texts for messages to a community: in its own language if it has one, otherwise English. */
export function communityTexts(
  keeperOf: (platform: Community['platform']) => GateKeeper | undefined,
): (community: Community) => Promise<Texts> {
  return async ({ platform, id }) => {
    try {
      return textsFor(await keeperOf(platform)?.locale(id));
    } catch (error) {
      if (error instanceof RetryableError) return textsFor(undefined);
      throw error;
    }
  };
}
