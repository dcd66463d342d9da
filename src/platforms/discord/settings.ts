import { botToken, either, type SettingsReader, serverAddress, yesOrNo } from '#runtime/settings';

export interface DiscordBotSettings {
  readonly token: string;
  /** A REST proxy; Discord's own API when undefined. */
  readonly apiUrl: string | undefined;
  /** Whether the operator has allowed the bot to be told of all members. */
  readonly membersIntent: boolean;
  /** What proves that Discord delivers interactions to us, or undefined to connect to its gateway. */
  readonly http: { readonly publicKey: string } | undefined;
}

export interface DiscordSettings {
  /** Undefined when there is no token: the bot is off. */
  readonly bot: DiscordBotSettings | undefined;
  /** Of the bot's application, for Linked Roles. */
  readonly clientSecret: string | undefined;
  readonly publicUrl: string | undefined;
}

/** Reads the variables that begin with `DISCORD_`. */
export function readSettings(reader: SettingsReader): DiscordSettings {
  const { publicUrl } = reader;
  return { bot: readBot(reader), clientSecret: readClientSecret(reader), publicUrl };
}

/**
 * Where members connect for Linked Roles: on when there is a client secret, a bot, and an address
 * that Discord sends browsers back to.
 * @returns the instance's address, or undefined when they are off
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
    if (mode === 'http') fault('DISCORD_MODE: http needs DISCORD_TOKEN beside it');
    return undefined;
  }
  if (mode === 'gateway') return { token, apiUrl, membersIntent, http: undefined };
  if (publicKey !== undefined) return { token, apiUrl, membersIntent, http: { publicKey } };
  fault(
    'DISCORD_MODE: http needs DISCORD_PUBLIC_KEY beside it, which Discord shows under General Information',
  );
  return undefined;
}

function readClientSecret({ read, fault, publicUrl }: SettingsReader): string | undefined {
  const secret = read('DISCORD_CLIENT_SECRET', clientSecret);
  if (secret !== undefined && !canReturn(publicUrl)) {
    fault(
      'DISCORD_CLIENT_SECRET: needs PUBLIC_URL beside it, the https address that Discord sends members back to',
    );
  }
  return secret;
}

/** Whether Discord would send a browser back there. */
function canReturn(publicUrl: string | undefined): boolean {
  const url = URL.parse(publicUrl ?? '');
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '');
  return url?.protocol === 'https:' || isHere;
}

/** As long as it must be for what is sealed with it; Discord's have 32 characters. */
function clientSecret(text: string): string {
  if (/^[\w-]{24,200}$/.test(text)) return text;
  throw new Error('give the client secret as Discord showed it, with nothing around it');
}

function publicKeyHex(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new Error('give the 64 hex digits that Discord shows as Public Key');
}
