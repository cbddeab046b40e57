// Links to a sound: the patch is in the address itself, after the `#`, which no server sees.

/** A link to a factory patch by `name`, or to any patch by its text. */
export async function linkTo(address, { name, toml }) {
  const link = new URL(address);
  link.hash = name ? `patch=${encodeURIComponent(name)}` : `sound=${await packed(toml)}`;
  return link.href;
}

/** What a link names (`name`) or contains (`toml`); nothing for an address without a patch. */
export async function patchInLink(hash) {
  const [kind, value] = hash.replace(/^#/, "").split(/=(.*)/s);
  if (kind === "patch") return { name: decodeURIComponent(value) };
  if (kind !== "sound") return {};
  try {
    return { toml: await unpacked(value) };
  } catch {
    throw new Error("the link to the sound is damaged");
  }
}

/** The largest text that a link may contain, so that a bad one cannot fill the memory. */
const MOST = 8e6;

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let out = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return out + decoder.decode();
    out += decoder.decode(value, { stream: true });
    if (out.length > MOST) throw new Error("too large");
  }
}
