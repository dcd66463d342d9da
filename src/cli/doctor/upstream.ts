import type { Config } from '#app';
import { type CheckFinding, fail, messageOf, ok, warn } from '#base';
import { counted } from '#cli/count';

/** Whether the upstream is reachable and speaks our API. */
export async function checkUpstream({ upstream }: Config): Promise<CheckFinding[]> {
  if (upstream === undefined) return [];
  const { openUpstream } = await import('#upstream');
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const opened = openUpstream({ ...upstream, log });
  try {
    const { totalUsers } = await opened.source.reading().stats();
    const users = `${upstream.url} is reachable, with ${counted(totalUsers, 'wallet', 'wallets')}`;
    return [ok('upstream', users), ...keyAdvice(upstream.apiKey)];
  } catch (error) {
    return [fail('upstream', `${upstream.url} can't be used. ${messageOf(error)}`)];
  } finally {
    await opened.close();
  }
}

function keyAdvice(apiKey: string | undefined): CheckFinding[] {
  if (apiKey !== undefined) return [];
  const text =
    'no key: limited to 100 requests per minute. Set UPSTREAM_API_KEY to a key of that instance for 1000.';
  return [warn('upstream key', text)];
}
