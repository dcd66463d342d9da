import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from './program.ts';

/** The files that describe containers, read as Docker and Kubernetes read them. */

export const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The Dockerfile's instructions, one a line. */
const INSTRUCTIONS = textOf('Dockerfile')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line));
const listIn = (start: string): string[] => {
  const line = INSTRUCTIONS.find((each) => each.startsWith(start)) ?? '';
  return JSON.parse(line.slice(line.indexOf('[')));
};
const { NODE_ENV, ...settings } = Object.fromEntries(
  INSTRUCTIONS.filter((each) => each.startsWith('ENV '))
    .flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)])
    .map(([, name = '', value = '']) => [name, value]),
);

export const IMAGE = {
  command: listIn('CMD'),
  check: listIn('HEALTHCHECK'),
  startMinutes: Number(/ --start-period=(\d+)m /.exec(textOf('Dockerfile'))?.[1]),
  /** Of Fathom; Node's own is left out. */
  settings: settings as Readonly<Record<string, string>>,
  ports: INSTRUCTIONS.flatMap((line) =>
    line.startsWith('EXPOSE ') ? line.split(' ').slice(1) : [],
  ),
  /** What goes into it from this folder, besides packages. */
  paths: [...textOf('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path),
};

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly build?: string;
  readonly expose?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly command?: readonly string[];
  readonly stop_grace_period?: string;
  readonly init?: boolean;
}

export const COMPOSE = parse(textOf('compose.yaml')) as {
  readonly services: Readonly<Record<'fathom' | 'balancer' | 'postgres' | 'redis', ComposeService>>;
  readonly networks: { readonly inside: { readonly ipam: { config: [{ subnet: string }] } } };
  readonly volumes: object;
  readonly configs: { readonly nginx: { readonly content: string } };
};

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
  readonly timeoutSeconds?: number;
}
interface Container {
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: {
      readonly secretKeyRef: {
        readonly name: string;
        readonly key: string;
        readonly optional?: boolean;
      };
    };
  }[];
  readonly envFrom: readonly [{ readonly secretRef: { readonly name: string } }];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface PodTemplate {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly terminationGracePeriodSeconds: number;
    readonly shareProcessNamespace: boolean;
    readonly containers: readonly [Container];
    readonly volumes: readonly {
      readonly name: string;
      readonly configMap?: { readonly name: string };
    }[];
  };
}
/** Each kind has some of these. */
interface Resource {
  readonly kind: string;
  readonly spec: {
    readonly selector: Readonly<Record<string, unknown>>;
    readonly progressDeadlineSeconds?: number;
    readonly template?: PodTemplate;
    readonly ports?: readonly { readonly targetPort: string }[];
  };
}

export const RESOURCES = parseAllDocuments(textOf('deploy/kubernetes.yaml')).map(
  (each) => each.toJS() as Resource,
);
const template = RESOURCES.find(({ kind }) => kind === 'Deployment')?.spec.template;
if (template === undefined) throw new Error('deploy/kubernetes.yaml has no deployment');
export const POD = template;
export const CONTAINER = template.spec.containers[0];
export const PROBES = [
  CONTAINER.startupProbe,
  CONTAINER.livenessProbe,
  CONTAINER.readinessProbe,
].map(({ httpGet }) => httpGet);
