/** A person's account on a chat platform. Ids are the platform's own and are unique within it. */
export interface Account {
  readonly platform: 'discord' | 'telegram' | 'web';
  readonly id: string;
}

/** `discord:1234`: how an account is named wherever one text must name it. */
export function accountKey({ platform, id }: Account): string {
  return `${platform}:${id}`;
}
