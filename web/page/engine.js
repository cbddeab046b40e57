// Loads the engine's WebAssembly module, the fastest one that this browser can run.

/** The smallest module with an instruction of relaxed SIMD (`i8x16.relaxed_swizzle`). */
const RELAXED = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15,
  253, 128, 2, 11,
]);

let loading;

/**
 * The bytes of the module and its name. It is fetched once; later calls get the same.
 * @returns {Promise<{bytes: ArrayBuffer, name: string}>}
 */
export function engineModule() {
  loading ??= choose();
  return loading;
}

async function choose() {
  if (WebAssembly.validate(RELAXED)) {
    const bytes = await fetchModule("engine-relaxed.wasm.gz");
    const { instance } = await WebAssembly.instantiate(bytes, {});
    // Where products are rounded before they are added, the other module is as fast and more exact.
    if (instance.exports.fuses_products()) return { bytes, name: "relaxed SIMD" };
  }
  return { bytes: await fetchModule("engine.wasm.gz"), name: "SIMD128" };
}

async function fetchModule(file) {
  const answer = await fetch(new URL(file, import.meta.url));
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  const bytes = await answer.arrayBuffer();
  const [first, second] = new Uint8Array(bytes, 0, 2);
  // Some servers unpack .gz files themselves.
  if (first !== 0x1f || second !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).arrayBuffer();
}
