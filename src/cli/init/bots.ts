import { loadConfig, PLATFORMS } from '#app';
import { type CheckFinding, messageOf, UserError } from '#base';
import { waitingFor } from '#cli/progress';
import type { Prompts } from '#cli/prompts/prompts';

/** A setting to write, with a comment of one line. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly comment: string;
}

/** The text of a new `.env`. */
export function envText(settings: readonly Setting[]): string {
  const parts = settings.map(
    ({ name, value, comment }) => `# ${comment}\n${name}=${quoted(value)}\n`,
  );
  return `# Settings of Fathom; .env.example explains all there are. Keep this file to yourself: it has secrets.\n\n${parts.join('\n')}`;
}

/** Quotes a value so that dotenv reads it back, with a kind of quote that it doesn't contain. */
function quoted(value: string): string {
  if (/^[\w.,:;/@%?&=+*!()~-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((each) => !value.includes(each));
  if (quote === undefined || /[\r\n]/.test(value)) {
    throw new Error('a setting has all kinds of quotes, or several lines');
  }
  return `${quote}${value}${quote}`;
}

/** The platforms whose bots need a token; `option` sets it, without dashes. */
export const BOTS = PLATFORMS.flatMap(({ id, label, token }) =>
  token === undefined ? [] : [{ ...token, label, option: `${id}-token` }],
);
type Bot = (typeof BOTS)[number];

export interface BotsOptions {
  /** Tokens that were given, by variable. */
  readonly given: ReadonlyMap<string, string>;
  readonly prompts: Prompts | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly isOffline: boolean;
  readonly say: (text: string) => void;
  /** For tests: checks a token instead of asking the platform. */
  readonly check?: (variable: string, token: string) => Promise<readonly CheckFinding[]>;
}

/** The tokens of the bots, each checked. @throws UserError `wrong-usage` if a given one isn't accepted */
export async function askBots(options: BotsOptions): Promise<readonly Setting[]> {
  const { given, prompts } = options;
  const isAsked = prompts !== undefined && given.size === 0;
  const wanted = isAsked
    ? await prompts.selectSome({
        message: 'Which bots should run?',
        options: BOTS.map(({ variable, label }) => ({ value: variable, label })),
      })
    : [...given.keys()];
  const settings: Setting[] = [];
  for (const bot of BOTS.filter(({ variable }) => wanted.includes(variable))) {
    const value = await tokenOf(bot, options);
    if (value === undefined) continue;
    settings.push({ name: bot.variable, value, comment: `The token of the bot in ${bot.label}.` });
  }
  return settings;
}

async function tokenOf(bot: Bot, options: BotsOptions): Promise<string | undefined> {
  const { given, prompts, say, isOffline, env } = options;
  const { variable, label, where } = bot;
  const check = options.check ?? ((name, token) => checkToken(name, token, env));
  for (let token = given.get(variable); ; token = undefined) {
    const isGiven = token !== undefined;
    token ??= await prompts?.secret({
      message: `${label}: the bot’s token (${where}); leave empty to go on without`,
      byDefault: NONE,
      check: () => undefined,
    });
    if (token === undefined || token === NONE) return undefined;
    if (isOffline) return token;
    const findings = await waitingFor(label, () => check(variable, token));
    const fault = findings.find(({ level }) => level === 'fail');
    for (const { text } of findings) if (fault === undefined) say(text);
    if (fault === undefined) return token;
    // The message names the variable at most, never the token.
    if (isGiven || prompts === undefined) {
      throw new UserError('wrong-usage', `${variable}: ${fault.text}`);
    }
    say(fault.text);
  }
}

const NONE = 'none';

/** Asks the platform whether it accepts a token. */
async function checkToken(
  variable: string,
  token: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly CheckFinding[]> {
  // A stand-in or proxy for the platform may be set.
  const apis = BOTS.map(({ apiVariable }) => [apiVariable, env[apiVariable]] as const);
  try {
    const config = loadConfig({ ...Object.fromEntries(apis), [variable]: token });
    return (await Promise.all(config.platforms.map((each) => each.check()))).flat();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [
      { level: 'fail', subject: variable, text: messageOf(error).replace(`${variable}: `, 'It ') },
    ];
  }
}
