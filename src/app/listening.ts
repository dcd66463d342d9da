import { messageOf, UserError } from '#base';

/**
 * Starts a server; if it can't listen, the error names the variable to change.
 * @param host name of the variable with the address
 * @param port name of the variable with the port
 * @throws UserError `wrong-configuration`
 */
export async function listening<T>(
  host: string,
  port: string,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const words = explanation(error, host, port);
    if (words === undefined) throw error;
    throw cannotListen(`${words} (${messageOf(error)})`, error);
  }
}

function cannotListen(sentence: string, cause: unknown): UserError {
  return new UserError('wrong-configuration', sentence, [], { cause });
}

function explanation(error: unknown, host: string, port: string): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `${port}: another program already listens there. Stop it, or change ${port}.`;
    case 'EACCES':
      return `${port}: this user may not listen there. Set ${port} to 1024 or more.`;
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return `${host}: that isn't an address of this machine. Use one of its own, or 0.0.0.0 for all of them.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'ENODATA':
      return `${host}: can't resolve that name. Use an address of this machine, such as 127.0.0.1.`;
    default:
      return undefined;
  }
}
