// Lists the tools, makes the calls that standard input names, and prints what came back as one line.
import { readFileSync } from "node:fs";

export const server = {
  command: process.env.CHECKREIN_BIN,
  args: ["serve", "stdio", "--sandbox"],
  stderr: "inherit",
};

export async function talk(client, transport, call, asked) {
  const calls = JSON.parse(readFileSync(0, "utf8"));
  await client.connect(transport);
  const { tools } = await client.listTools();
  const results = [];
  for (const wanted of calls) {
    results.push(await call(wanted));
  }
  const name = client.getServerVersion()?.name;
  await client.close();
  console.log(JSON.stringify({ server: name, tools, results, asked }));
}
