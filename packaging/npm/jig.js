#!/usr/bin/env node
"use strict";

// Runs the native executable with this process's arguments, standard streams, signals and exit code.

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { constants } = require("node:os");
const path = require("node:path");
const { isatty } = require("node:tty");

const platform = `${process.platform}-${process.arch}`;
const program = path.join(__dirname, "..", "native", platform, process.platform === "win32" ? "jig.exe" : "jig");

if (!existsSync(program)) {
  console.error(`error: this jig-workbench package has no executable for ${platform}`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

// A terminal sends Ctrl-C to both processes. Forwarding it would reach jig twice, and a second SIGINT ends it at once.
// Asked by number: `process.stdin` would read from the pipe and take input away from jig.
const fromTerminal = [0, 1, 2].some((stream) => isatty(stream));
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];
for (const signal of signals) {
  process.on(signal, () => {
    if (!(signal === "SIGINT" && fromTerminal)) child.kill(signal);
  });
}

child.on("error", (error) => {
  console.error(`error: could not run ${program}: ${error.message}`);
  process.exit(1);
});

child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // Ends as the child did, so that a shell sees the same status.
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 100);
});
