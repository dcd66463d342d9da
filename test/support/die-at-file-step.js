import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

// Loaded before a program: kills it just before the n-th thing that it does to files or commits.
let left = Number(process.env.DIE_AT);
const step = () => {
  // Node closes each file of code that it loads by the same function.
  if (new Error().stack?.includes('node:internal/modules')) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};
for (const name of [
  'chmodSync',
  'closeSync',
  'copyFileSync',
  'fsyncSync',
  'linkSync',
  'renameSync',
  'rmSync',
  'writeSync',
]) {
  const real = fs[name];
  fs[name] = (...values) => {
    step();
    return real(...values);
  };
}
for (const name of ['exec', 'close']) {
  const real = DatabaseSync.prototype[name];
  DatabaseSync.prototype[name] = function (...values) {
    step();
    return real.apply(this, values);
  };
}
const { prototype } = DatabaseSync;
const dispose = prototype[Symbol.dispose];
prototype[Symbol.dispose] = function () {
  step();
  dispose.call(this);
};
syncBuiltinESMExports();
