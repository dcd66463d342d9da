import { RetryableError } from '#core/errors';
import type { GateKeeper } from '#core/gating/keeper';
import type { Community } from '#core/gating/rule';
import { type Texts, textsFor } from '#core/texts/index';

/** The texts in which a community is written to: in its own language where it has one, else English. */
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
