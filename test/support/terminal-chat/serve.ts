import { runServer } from '#app';
import { loadConfig, PLATFORMS } from '#app/config';
import { terminal } from './index.ts';

/** A program: the service with one more platform. */
await runServer(loadConfig(process.env, [...PLATFORMS, terminal]));
