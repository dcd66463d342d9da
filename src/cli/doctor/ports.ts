import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '#app';
import { type CheckFinding, fail, messageOf, ok, warn } from '#base';

/** Whether the service can listen on the configured addresses. */
export async function checkPorts({
  host,
  port,
  metricsHost,
  metricsPort,
}: Config): Promise<CheckFinding[]> {
  return [
    await checkPort('PORT', host, port),
    await checkPort('METRICS_PORT', metricsHost, metricsPort),
  ];
}

async function checkPort(variable: string, host: string, port: number): Promise<CheckFinding> {
  const subject = variable === 'PORT' ? 'port' : 'metrics port';
  if (port === 0) return ok(subject, 'any free port');
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return ok(subject, `${host}:${port} is free`);
  } catch (error) {
    return unavailable(error, subject, `${host}:${port}`, variable);
  }
}

function unavailable(
  error: unknown,
  subject: string,
  place: string,
  variable: string,
): CheckFinding {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return warn(
        subject,
        `${place} is in use. That's expected if Fathom is running; otherwise stop the program that uses it, or change ${variable}.`,
      );
    case 'EACCES':
      return fail(
        subject,
        `${place} is not allowed for this user. Set ${variable} to 1024 or more.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(subject, `${place} is not an address of this machine. Set HOST to one that is.`);
    default:
      return fail(subject, `${place} can't be used: ${messageOf(error)}`);
  }
}
