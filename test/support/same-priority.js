import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

// Loaded before a program, for all of its threads: they keep their priority. An import, or a thread that
// scores or draws, gives way to whatever else wants to run, so that on a machine which others keep busy a
// test would wait for it without end. Tests of priorities do without.
os.setPriority = () => undefined;
syncBuiltinESMExports();
