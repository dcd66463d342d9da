import { isIP } from 'node:net';
import type { Config } from '#app';
import { UserError } from '#base';
import { isOpenPort, isPublicAddress, parseTarget } from '#base/json-http';
import { networksOf } from '#base/process';
import { textOption } from '#cli/command';
import { TIERS, type Tier } from '#reputation';
import { CHAIN_CODES, type Chain, chainOfCode } from '#wallet';
import { WEBHOOK_EVENTS, type WebhookEventType, type WebhookSettings } from '#webhooks';

/**
 * The settings in the options of `webhooks add`.
 * @throws UserError `wrong-usage`
 */
export function readWebhookSettings(
  url: string,
  values: Readonly<Record<string, string | boolean | undefined>>,
  { privateNetworks }: Pick<Config, 'privateNetworks'>,
): WebhookSettings {
  return {
    url: readUrl(url, privateNetworks),
    events: readEvents(textOption(values.events, 'events')),
    chain: readChain(textOption(values.chain, 'chain')),
    minTier: readTier(textOption(values['min-tier'], 'min-tier')),
  };
}

/** A host name is checked when it's resolved for each request; a literal address is checked now. */
function readUrl(text: string, privateNetworks: readonly string[]): string {
  const url = parseTarget(text);
  if (url === undefined) {
    throw wrong(
      'must be a full URL of at most 2,048 characters without a user, such as https://example.org/hook',
    );
  }
  if (url.protocol !== 'https:' && privateNetworks.length === 0) {
    throw wrong('must be https; http is only for networks that PRIVATE_NETWORKS names');
  }
  if (!isOpenPort(url.port) && privateNetworks.length === 0) {
    throw wrong(
      'must be at port 443 or from 1024 on; others are only for networks that PRIVATE_NETWORKS names',
    );
  }
  const address = url.hostname.replace(/^\[|\]$/g, '');
  const isReachable = isPublicAddress(address) || networksOf(privateNetworks).has(address);
  if (isIP(address) !== 0 && !isReachable) {
    throw wrong('is at a private address; PRIVATE_NETWORKS names what else may be reached');
  }
  return url.href;
}

const wrong = (what: string) => new UserError('wrong-usage', `The URL ${what}.`);

function readEvents(text: string | undefined): WebhookEventType[] {
  const names = text?.split(',').map((each) => each.trim()) ?? [];
  const events = WEBHOOK_EVENTS.filter((each) => names.includes(each));
  if (names.length > 0 && names.every((each) => events.some((event) => event === each))) {
    return events;
  }
  throw new UserError('wrong-usage', `--events takes any of ${WEBHOOK_EVENTS.join(',')}.`);
}

function readChain(text: string | undefined): Chain | 'all' {
  if (text === undefined || text === 'all') return 'all';
  const code = CHAIN_CODES.find((each) => each === text);
  if (code !== undefined) return chainOfCode(code);
  throw new UserError('wrong-usage', `--chain takes ${CHAIN_CODES.join(', ')} or all.`);
}

function readTier(text: string | undefined): Tier | undefined {
  if (text === undefined) return undefined;
  const tier = TIERS.find((each) => each.toLowerCase() === text.toLowerCase());
  if (tier !== undefined) return tier;
  throw new UserError('wrong-usage', `--min-tier takes ${TIERS.join(', ')}.`);
}
