/** A response that isn't ok, in the Bot API's format. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  readonly parameters: Record<string, number> | undefined;

  constructor(code: number, description: string, parameters?: Record<string, number>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export const badRequest = (what: string) => new Refusal(400, `Bad Request: ${what}`);
export const forbidden = (what: string) => new Refusal(403, `Forbidden: ${what}`);
export const tooMany = (seconds: number) =>
  new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
