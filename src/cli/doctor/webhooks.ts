import type { Config } from '#app';
import { type CheckFinding, fail, messageOf, ok, warn } from '#base';
import type { CliContext } from '#cli/command';
import { openStoreOf } from '#cli/store';

/** Whether webhooks deliver. Only for a database that holds data, as others hold none. */
export async function checkWebhooks(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  if (!hasData) return [];
  try {
    const store = await openStoreOf(config, context);
    try {
      const all = await store.webhooks.list();
      if (all.length === 0) return [];
      if (config.upstream !== undefined) return [warn('webhooks', UPSTREAM)];
      const paused = all.flatMap(({ id, pause }) =>
        pause === undefined
          ? []
          : [
              warn(
                'webhooks',
                `${id} is paused. ${pause.reason} Run "fathom webhooks resume ${id}".`,
              ),
            ],
      );
      const held = all.filter((each) => each.held > 0 && each.pause === undefined);
      const failing = held.map((each) => {
        const why = each.lastAttempt?.isTaken === false ? ` (${each.lastAttempt.result})` : '';
        return warn(
          'webhooks',
          `${each.id} holds ${each.held} events that its receiver hasn't accepted${why}.`,
        );
      });
      const problems = [...paused, ...failing];
      return problems.length > 0 ? problems : [ok('webhooks', `${all.length} active`)];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [fail('webhooks', messageOf(error))];
  }
}

const UPSTREAM =
  'UPSTREAM_URL is set, so this instance has no changes to send: its webhooks stay silent. Add them at the instance it reads from.';
