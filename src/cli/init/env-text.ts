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

/** As dotenv reads it back: a quote of a kind that the value doesn't have, where it needs one. */
function quoted(value: string): string {
  if (/^[\w.,:;/@%?&=+*!()~-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((each) => !value.includes(each));
  if (quote === undefined || /[\r\n]/.test(value)) {
    throw new Error('a setting has all kinds of quotes, or several lines');
  }
  return `${quote}${value}${quote}`;
}
