import {
  ApplicationFlags,
  PermissionFlagsBits,
  type RESTGetAPICurrentUserGuildsResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import { type CheckFinding, fail, ok, sanitizeText, warn } from '#base';
import { nameOfProxy, proxyFor } from '#base/process';
import { within } from '#base/waiting';
import { CALLBACK_PATH, LINKED_ROLES_PATH } from '#platforms/role-connections';
import { barred, faultOf } from './gateway/faults.ts';
import { askGateway } from './gateway/plan.ts';
import { openThrough } from './gateway/relay.ts';
import { BotRest } from './rest/bot-rest.ts';
import { RestSignIn } from './rest/sign-in.ts';
import { type DiscordBotSettings, type DiscordSettings, linkedRolesUrl } from './settings.ts';

const PATIENCE_MS = 5_000;

const INVITATION = 'https://discord.com/oauth2/authorize?client_id=';
/** As a bot with commands that may give roles and hear who takes them: Manage Roles, View Audit Log. */
const INVITED_AS = '&scope=applications.commands+bot&permissions=268435584';

/** Checks that these settings work with Discord, and says what to enter there. */
export async function check(
  settings: DiscordSettings,
  interactionsPath: string,
): Promise<readonly CheckFinding[]> {
  const { bot, publicUrl } = settings;
  return [
    ...(bot === undefined ? [] : await checkToken(bot)),
    ...checkHttp(bot, publicUrl, interactionsPath),
    ...checkLinkedRoles(settings),
  ];
}

/** Checks the token with the cheapest call that needs one. */
async function checkToken(settings: DiscordBotSettings): Promise<CheckFinding[]> {
  const { token, apiUrl, http } = settings;
  const subject = 'discord token';
  const up = Promise.withResolvers<true>();
  const rest = new BotRest({ token, apiUrl });
  const signIn = new RestSignIn({ rest, onUp: (isUp) => isUp && up.resolve(true) });
  try {
    const found = await within(Promise.race([up.promise, signIn.ended]), PATIENCE_MS);
    if (found === undefined) {
      const text = `Discord did not respond within ${PATIENCE_MS / 1000} s. Check the network, and DISCORD_API_URL if it is set.`;
      return [fail(subject, text)];
    }
    if (found !== true) return [fail(subject, found.detail)];
    const good = {
      ...ok(subject, `Discord accepts the token: application ${signIn.applicationId}`),
      invitation: `${INVITATION}${signIn.applicationId}${INVITED_AS}`,
    };
    const servers = await checkServers(rest);
    if (http === undefined) {
      const intent = checkIntent(settings, signIn.flags);
      return [good, ...intent, ...(await checkGateway(rest)), ...servers];
    }
    if (signIn.verifyKey === http.publicKey) return [good, ...servers];
    const text = `DISCORD_PUBLIC_KEY belongs to another application. This one's is ${signIn.verifyKey}.`;
    return [good, fail('discord public key', text), ...servers];
  } finally {
    await signIn.close();
    rest.close();
  }
}

const { GatewayGuildMembers, GatewayGuildMembersLimited } = ApplicationFlags;
const MAY_ASK_FOR_MEMBERS = GatewayGuildMembers | GatewayGuildMembersLimited;

/** Whether the operator has enabled at Discord what the settings ask for. */
function checkIntent({ membersIntent }: DiscordBotSettings, flags: number): CheckFinding[] {
  if (!membersIntent) return [];
  const subject = 'members intent';
  if ((flags & MAY_ASK_FOR_MEMBERS) !== 0) return [ok(subject, 'enabled at Discord')];
  const text =
    'DISCORD_MEMBERS_INTENT is set, but Discord rejects it. In the Developer Portal, under Bot, enable Server Members Intent, or unset it.';
  return [fail(subject, text)];
}

/** Servers that are looked at: https://discord.com/developers/docs/resources/user#get-current-user-guilds */
const SERVERS = 200;
const NAMED = 5;
const NAME = 40;

/** Whether the bot has in its servers what rules need. Where it may not give roles, nobody wants rules. */
async function checkServers(rest: BotRest): Promise<CheckFinding[]> {
  const subject = 'discord servers';
  let servers: RESTGetAPICurrentUserGuildsResult;
  try {
    const query = new URLSearchParams({ limit: String(SERVERS) });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const request = { method: RequestMethod.Get, fullRoute: Routes.userGuilds(), query, signal };
    servers = (await rest.request(request)) as RESTGetAPICurrentUserGuildsResult;
  } catch (error) {
    return [warn(subject, faultOf(error).detail)];
  }
  const { Administrator, ManageRoles, ViewAuditLog } = PermissionFlagsBits;
  const may = (permissions: string, what: bigint) =>
    (BigInt(permissions) & (what | Administrator)) !== 0n;
  const giving = servers.filter(({ permissions }) => may(permissions, ManageRoles));
  const deaf = giving.filter(({ permissions }) => !may(permissions, ViewAuditLog));
  if (deaf.length === 0) {
    const count = `${giving.length} of ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
    return [ok(subject, `the bot may give roles in ${count}, and sees there who takes them`)];
  }
  const names = deaf.slice(0, NAMED).map(({ name }) => sanitizeText(name, NAME));
  const more = deaf.length > NAMED ? ', …' : '';
  const text = `in ${deaf.length} of ${giving.length} where it may give roles, the bot can't see who takes one by hand: ${names.join(', ')}${more}. Give its role the permission View Audit Log there.`;
  return [warn(subject, text)];
}

/** Whether the gateway can be reached through the proxy, if there's one for it. */
async function checkGateway(rest: BotRest): Promise<CheckFinding[]> {
  const subject = 'discord gateway';
  let gateway: URL;
  try {
    const found = await askGateway(rest, AbortSignal.timeout(PATIENCE_MS));
    gateway = new URL(found.gateway.url);
  } catch (error) {
    return [warn(subject, faultOf(error).detail)];
  }
  const proxy = proxyFor(gateway);
  if (proxy === undefined) return [];
  try {
    (await openThrough(proxy, gateway)).destroy();
    return [ok(subject, `${gateway.host} can be reached through ${nameOfProxy(proxy)}`)];
  } catch (error) {
    return [fail(subject, barred(proxy, gateway.host, error).detail)];
  }
}

/** Whether Discord can deliver interactions to us, if it should. */
function checkHttp(
  bot: DiscordBotSettings | undefined,
  publicUrl: string | undefined,
  path: string,
): CheckFinding[] {
  if (bot?.http === undefined) return [];
  const subject = 'discord';
  const findings = [
    publicUrl?.startsWith('https:')
      ? ok(
          subject,
          `over HTTP. In the Developer Portal, under General Information, the Interactions Endpoint URL must be ${publicUrl}${path}`,
        )
      : fail(
          subject,
          'DISCORD_MODE=http needs PUBLIC_URL, the https address at which Discord reaches this instance. Set it.',
        ),
  ];
  if (bot.membersIntent) {
    const text =
      'DISCORD_MEMBERS_INTENT has no effect with DISCORD_MODE=http: Discord only sends member events over the gateway. Unset it.';
    findings.push(warn('members intent', text));
  }
  return findings;
}

/** Whether members can connect for Linked Roles. */
function checkLinkedRoles(settings: DiscordSettings): CheckFinding[] {
  if (settings.clientSecret === undefined) return [];
  const subject = 'linked roles';
  if (settings.bot === undefined) {
    return [warn(subject, 'off: DISCORD_CLIENT_SECRET needs DISCORD_TOKEN. Set it.')];
  }
  const url = linkedRolesUrl(settings);
  const text = `on. In the Developer Portal, the Linked Roles Verification URL must be ${url}${LINKED_ROLES_PATH} and a redirect ${url}${CALLBACK_PATH}`;
  return [ok(subject, text)];
}
