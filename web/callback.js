// Hands the query with which an authorization server sends a person back to the page that began the sign-in, which
// alone can judge it. Nothing leaves this origin.

const query = location.search;
const state = new URLSearchParams(query).get("state");
const status = document.getElementById("status");

// The code stays neither in the address bar nor in the history.
history.replaceState(null, "", location.pathname);

/** What this tab keeps, unless its user has turned storage off. */
function kept(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Where no window could be opened, the page itself went away, and left its record in this tab. */
function returnToPage() {
  sessionStorage.setItem("skillglass.returned", query);
  location.replace(`index.html${kept("skillglass.place") ?? ""}`);
}

/** Any link to the page that opened this window may have been cut by the authorization server. */
function tellPage() {
  const channel = new BroadcastChannel("skillglass.sign-in");
  channel.addEventListener("message", ({ data }) => {
    if (data === state) {
      status.textContent = "Skillglass has the answer. You can close this window.";
      window.close();
    }
  });
  channel.postMessage(query);
  status.textContent = "Handing the answer over to Skillglass…";
}

if (state === null) {
  status.textContent = "There is no answer of an authorization server here to be handed over.";
} else if (kept(`skillglass.sign-in ${state}`) !== null) {
  returnToPage();
} else {
  tellPage();
}
