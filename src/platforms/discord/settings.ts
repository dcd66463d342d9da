import { botToken, either, type SettingsReader, serverAddress, yesOrNo } from '#base/process';

export interface DiscordBotSettings {
  readonly token: string;
  /** A REST proxy; Discord's own API when undefined. */
  readonly apiUrl: string | undefined;
  /** Whether the operator enabled the Server Members Intent. */
  readonly membersIntent: boolean;
  /**
   * The public key that authenticates interactions by HTTP; undefined to connect to the gateway.
   */
  readonly http: { readonly publicKey: string } | undefined;
}

export interface DiscordSettings {
  /** Undefined without a token: the bot is off. */
  readonly bot: DiscordBotSettings | undefined;
  /** The application's client secret, for Linked Roles. */
  readonly clientSecret: string | undefined;
  readonly publicUrl: string | undefined;
}

/** Reads the variables that begin with `DISCORD_`. */
export function readSettings(reader: SettingsReader): DiscordSettings {
  const { publicUrl } = reader;
  return { bot: readBot(reader), clientSecret: readClientSecret(reader), publicUrl };
}

/**
 * Where members connect for Linked Roles, which are on with a client secret, a bot, and a URL that
 * Discord can redirect browsers to.
 * @returns the instance's URL, or undefined if they're off
 */
export function linkedRolesUrl({
  bot,
  clientSecret,
  publicUrl,
}: DiscordSettings): string | undefined {
  if (bot === undefined || clientSecret === undefined) return undefined;
  return canReturn(publicUrl) ? publicUrl : undefined;
}

function readBot({ read, fault }: SettingsReader): DiscordBotSettings | undefined {
  const token = read('DISCORD_TOKEN', botToken);
  const apiUrl = read('DISCORD_API_URL', serverAddress);
  const membersIntent = read('DISCORD_MEMBERS_INTENT', yesOrNo) ?? false;
  const mode = read('DISCORD_MODE', either('gateway', 'http')) ?? 'gateway';
  const publicKey = read('DISCORD_PUBLIC_KEY', publicKeyHex);
  if (token === undefined) {
    if (mode === 'http') fault('DISCORD_MODE: http also needs DISCORD_TOKEN');
    return undefined;
  }
  if (mode === 'gateway') return { token, apiUrl, membersIntent, http: undefined };
  if (publicKey !== undefined) return { token, apiUrl, membersIntent, http: { publicKey } };
  fault(
    'DISCORD_MODE: http also needs DISCORD_PUBLIC_KEY, which Discord shows under General Information',
  );
  return undefined;
}

function readClientSecret({ read, fault, publicUrl }: SettingsReader): string | undefined {
  const secret = read('DISCORD_CLIENT_SECRET', clientSecret);
  if (secret !== undefined && !canReturn(publicUrl)) {
    fault(
      'DISCORD_CLIENT_SECRET: needs PUBLIC_URL, the https address to which Discord redirects members',
    );
  }
  return secret;
}

/** Whether Discord would redirect a browser there. */
function canReturn(publicUrl: string | undefined): boolean {
  const url = URL.parse(publicUrl ?? '');
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '');
  return url?.protocol === 'https:' || isHere;
}

/** Long enough to derive keys from; Discord's have 32 characters. */
function clientSecret(text: string): string {
  if (/^[\w-]{24,200}$/.test(text)) return text;
  throw new Error('must be the client secret exactly as Discord showed it');
}

function publicKeyHex(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new Error('must be the 64 hex digits that Discord shows as Public Key');
}
