// What a page's program holds: for tests and benchmarks that run in the page before the program does.

/** Holds on to the program's memory, which never shrinks, as `globalThis.memory`. */
export function watchMemory() {
  const { instantiateStreaming, instantiate } = WebAssembly;
  const watched = async (made) => {
    const { instance = await made } = await made;
    globalThis.memory ??= instance.exports.memory;
    return made;
  };
  WebAssembly.instantiate = (...given) => watched(instantiate(...given));
  WebAssembly.instantiateStreaming = (...given) => watched(instantiateStreaming(...given));
}
