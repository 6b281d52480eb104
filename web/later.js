// Loads the second file of the program together with the styles of what it shows, so that nothing is ever seen without them.

const beside = ({ file }) => new URL(`./${file}`, import.meta.url);

function load(styles) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: beside(styles), integrity: styles.integrity });
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`${styles.file} could not be loaded`));
    });
    document.head.append(link);
  });
}

/** The answer with the program, once the styles apply. Both have to be what this page was built with. */
export async function loadLater(program, styles) {
  const [answer] = await Promise.all([fetch(beside(program), { integrity: program.integrity }), load(styles)]);
  return answer;
}
