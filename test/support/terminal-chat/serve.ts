import { runServer } from '#app';
import { loadConfig } from '#app/config';
import { platforms } from '#app/platforms';
import { terminal } from './index.ts';

/** A program: the service with one more platform. */
await runServer(loadConfig(process.env, [...platforms, terminal]));
