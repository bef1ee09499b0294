// Speaks MCP to Jig with the official TypeScript client, in both versions of the protocol and over both transports:
// node client.mjs FOLDER JIG HOME URL
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const [folder, jig, home, url] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { SkillsClient } = require("@modelcontextprotocol/client/ext/skills");

const SLOW = "SELECT count(*) FROM data a, data b, data c WHERE (a.n + b.n * c.n) % 7 = 3";
const transports = {
  stdio: () => new StdioClientTransport({ command: jig, args: ["mcp", "--home", home, "--workbench", "deck"] }),
  http: () => new StreamableHTTPClientTransport(new URL(`${url}?workbench=deck`)),
};

async function run(mode, make) {
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } };
  const client = new Client({ name: "typescript", version: "1" }, options);
  const questions = [];
  client.setRequestHandler("elicitation/create", async (request) => {
    questions.push(request.params.message);
    return { action: "accept", content: { publish: true } };
  });
  await client.connect(make());

  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.deepEqual(names, [...names].sort());
  assert.ok(tools.every((tool) => tool.outputSchema && tool.title && tool.annotations));

  const read = await client.callTool({ name: "read_file", arguments: { path: "notes.txt" } });
  assert.match(read.structuredContent.text, /two/);
  const failed = await client.callTool({ name: "read_file", arguments: { path: "note.txt" } });
  assert.equal(failed.isError, true);
  assert.match(failed.content[0].text, /did you mean: notes.txt/);

  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === "jig://deck/published/notes.txt"));
  const { contents } = await client.readResource({ uri: "jig://deck/text/notes.txt?line_start=2" });
  assert.equal(contents[0].text, "two\n");
  const { resourceTemplates } = await client.listResourceTemplates();
  const template = resourceTemplates.find((one) => one.name === "artifact-section").uriTemplate;
  const completed = await client.complete({
    ref: { type: "ref/resource", uri: template },
    argument: { name: "section", value: "wh" },
    context: { arguments: { workbench: "deck", slug: "concept" } },
  });
  assert.deepEqual(completed.completion.values, ["what-is-it", "who-is-it-for"].filter((one) => completed.completion.values.includes(one)));

  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === "pack-direct"));
  const prompt = await client.getPrompt({ name: "pack-direct", arguments: { message: "Sum up notes.txt" } });
  assert.match(prompt.messages.at(-1).content.text, /Sum up/);

  const skills = new SkillsClient(client);
  assert.ok(skills.supported && skills.directoryRead);
  const listed = await skills.list();
  for (const skill of listed.skills) {
    const file = await skills.read(skill);
    assert.equal(file.verified, true, skill.uri);
    const children = await skills.readDirectory(skill.uri.replace(/\/SKILL\.md$/, ""));
    assert.ok(children.resources.some((child) => child.uri === skill.uri));
  }

  const stop = new AbortController();
  let notes = 0;
  const slow = client.callTool({ name: "table_query", arguments: { path: "numbers.csv", query: SLOW } }, {
    signal: stop.signal,
    onprogress: () => { notes += 1; stop.abort("changed my mind"); },
  });
  await assert.rejects(slow);
  assert.ok(notes > 0, "progress was told");
  const soon = await client.callTool({ name: "table_query", arguments: { path: "numbers.csv", query: "SELECT 1 AS one" } });
  assert.ok(!soon.isError, JSON.stringify(soon));

  const name = `by-${make.name}-${typeof mode === "string" ? mode : mode.pin}.txt`;
  const written = await client.callTool({ name: "write_text_file", arguments: { path: name, text: "new\n" } });
  assert.equal(written.content[1].type, "resource_link");
  const published = await client.callTool({ name: "publish_draft", arguments: {} });
  assert.deepEqual(published.structuredContent.added, [name], JSON.stringify(published));
  assert.equal(questions.length, 1);
  assert.match(questions[0], /1 added/);
  await client.close();
}

let runs = 0;
for (const mode of ["legacy", { pin: "2026-07-28" }]) {
  for (const make of Object.values(transports)) {
    await run(mode, make);
    runs += 1;
  }
}
console.log(JSON.stringify({ runs }));
process.exit(0);
