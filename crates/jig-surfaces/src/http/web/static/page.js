// The page's one script. Every form and link works without it; with it, forms are sent without leaving the page,
// questions are asked in dialogs, files can be dropped, and changes made elsewhere show by themselves.
"use strict";
(() => {
  const HTML = { Accept: "text/html" };
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const parse = (text) => new DOMParser().parseFromString(text, "text/html");

  const announce = (text) => {
    const place = find("#activity");
    if (!place || !text) return;
    place.textContent = "";
    // A short moment, so that the same words are read out again.
    setTimeout(() => (place.textContent = text), 50);
  };
  let fading;
  const tell = (text) => {
    announce(text);
    const place = find("#activity");
    if (!place) return;
    place.classList.add("shown");
    clearTimeout(fading);
    fading = setTimeout(() => place.classList.remove("shown"), 6000);
  };

  // --- Showing another page in the place of this one ---------------------------------------------------------------

  // What has the focus, so that it can be found again in a page that was made anew: by its id, or by place and words.
  const REACHED = "a, button, input, select, textarea, summary";
  const focusMark = () => {
    const active = document.activeElement;
    if (!active || active === document.body) return null;
    return { id: active.id, place: all(REACHED).indexOf(active), words: active.textContent };
  };
  const marked = (mark) => {
    if (!mark) return null;
    if (mark.id) return find("#" + CSS.escape(mark.id));
    const there = all(REACHED)[mark.place];
    return there && there.textContent === mark.words ? there : null;
  };
  const opened = () => all("main details[open]").map((one) => all("main details").indexOf(one));

  let shownAt = location.pathname + location.search;
  function show(next, address, { keep }) {
    const mark = focusMark();
    const open = keep ? opened() : [];
    const scroll = window.scrollY;
    const same = address === location.pathname + location.search;
    closeDialogs();
    document.title = next.title;
    const theme = next.documentElement.dataset.theme;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    if (next.body.dataset.workbench) document.body.dataset.workbench = next.body.dataset.workbench;
    else delete document.body.dataset.workbench;
    find("#side").replaceWith(next.querySelector("#side"));
    find("#main").replaceWith(next.querySelector("#main"));
    if (!same) history.pushState(null, "", address);
    shownAt = address;
    all("main details").forEach((one, n) => open.includes(n) && (one.open = true));
    ready();
    follow();
    if (keep || same) window.scrollTo(0, scroll);
    else window.scrollTo(0, 0);
    const said = find("#said");
    const target = marked(mark);
    if (!keep) (target || said || find("#main")).focus({ preventScroll: same });
    else if (target) target.focus({ preventScroll: true });
    // What has the focus is read out by that.
    if (said && document.activeElement !== said) announce(said.textContent);
  }

  // --- Forms -------------------------------------------------------------------------------------------------------

  function body(form, submitter) {
    const data = new FormData(form, submitter);
    if (form.enctype === "multipart/form-data") return data;
    return new URLSearchParams(data);
  }

  function send(form, data, onProgress) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", form.getAttribute("action") || location.pathname);
      request.setRequestHeader("Accept", "text/html");
      // What this form says in the end is for its own answer only.
      request.setRequestHeader("Jig-Form", Math.random().toString(36).slice(2));
      if (onProgress) request.upload.addEventListener("progress", onProgress);
      request.addEventListener("load", () =>
        resolve({ status: request.status, url: request.responseURL, text: request.responseText }));
      request.addEventListener("error", () => reject(new Error("The server does not answer. Is it still running?")));
      request.addEventListener("abort", () => reject(new Error("It was broken off.")));
      request.send(data);
    });
  }

  let busy = null;
  function startBusy(words) {
    const dialog = document.createElement("dialog");
    dialog.className = "busy";
    dialog.setAttribute("aria-labelledby", "busy-words");
    const text = document.createElement("p");
    text.id = "busy-words";
    text.setAttribute("role", "status");
    text.textContent = words;
    const step = document.createElement("p");
    step.className = "muted";
    step.setAttribute("role", "status");
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", words);
    dialog.append(text, bar, step);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    dialog.showModal();
    busy = { dialog, bar, step };
    announce(words);
  }
  function endBusy() {
    if (busy) busy.dialog.remove();
    busy = null;
  }

  function failureIn(form, panel) {
    const place = find("[data-failures]", form) || form;
    all(".failure", form).forEach((old) => old.remove());
    const shown = document.importNode(panel, true);
    if (form.dataset.retry !== undefined) {
      const row = document.createElement("p");
      row.className = "actions";
      const again = document.createElement("button");
      again.className = "button small";
      again.textContent = "Retry";
      const stop = document.createElement("a");
      stop.className = "button small";
      stop.textContent = "Cancel";
      stop.href = form.dataset.retry || location.href;
      if (!form.dataset.retry) {
        stop.addEventListener("click", (event) => {
          event.preventDefault();
          shown.remove();
        });
      }
      row.append(again, stop);
      (find("div", shown) || shown).append(row);
    }
    if (place === form) form.prepend(shown);
    else place.replaceChildren(shown);
    all("[aria-invalid]", form).forEach((one) => one.removeAttribute("aria-invalid"));
    all("li[data-field]", shown).forEach((one) => {
      const key = one.dataset.field.split(/[.[]/)[0];
      const field = find(`[data-field="${CSS.escape(key)}"] :is(input, textarea, select)`, form);
      if (field) field.setAttribute("aria-invalid", "true");
    });
    shown.focus();
    shown.scrollIntoView({ block: "nearest" });
  }

  function plainFailure(words) {
    const panel = document.createElement("section");
    panel.className = "failure";
    panel.id = "failure";
    panel.setAttribute("role", "alert");
    panel.tabIndex = -1;
    const inner = document.createElement("div");
    const title = document.createElement("h2");
    title.textContent = words;
    inner.append(title);
    panel.append(inner);
    return panel;
  }

  async function submit(form, submitter) {
    if (form.dataset.sending) return;
    form.dataset.sending = "1";
    const data = body(form, submitter);
    const words = form.dataset.busy;
    if (words) startBusy(words);
    if (submitter) submitter.setAttribute("aria-busy", "true");
    const onProgress = (event) => {
      if (!busy || !event.lengthComputable) return;
      if (event.loaded < event.total) {
        busy.bar.max = event.total;
        busy.bar.value = event.loaded;
      } else busy.bar.removeAttribute("value");
    };
    let answer;
    try {
      answer = await send(form, data, onProgress);
    } catch (error) {
      answer = { failed: error.message };
    }
    endBusy();
    delete form.dataset.sending;
    if (submitter) submitter.removeAttribute("aria-busy");
    if (answer.failed) return failureIn(form, plainFailure(answer.failed));
    const next = parse(answer.text);
    const panel = find("#failure", next);
    if (answer.status >= 400) {
      if (panel && panel.dataset.consent !== undefined) return askConsent(panel, form, submitter);
      return failureIn(form, panel || plainFailure(`The server answered ${answer.status}.`));
    }
    form.dataset.clean = "1";
    delete form.dataset.touched;
    if (form.dataset.thenAgain !== undefined && form.again) {
      const again = form.again;
      closeDialogs();
      return again();
    }
    const at = new URL(answer.url || location.href);
    show(next, at.pathname + at.search, { keep: false });
  }

  function askConsent(panel, form, submitter) {
    const dialog = openDialog(panel);
    const question = find("form", dialog);
    question.again = () => submit(form, submitter);
    find("h2", dialog).focus();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    event.preventDefault();
    submit(form, event.submitter);
  });

  // --- Dialogs -----------------------------------------------------------------------------------------------------

  let cameFrom = null;
  function openDialog(content) {
    const dialog = document.createElement("dialog");
    dialog.className = "dialog";
    const inner = document.importNode(content, true);
    inner.removeAttribute("id");
    dialog.append(inner);
    const title = find("h1, h2", dialog);
    if (title) {
      title.id = "dialog-title";
      title.tabIndex = -1;
      dialog.setAttribute("aria-labelledby", "dialog-title");
    }
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (cameFrom && cameFrom.isConnected) cameFrom.focus();
    });
    cameFrom = document.activeElement;
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }
  function closeDialogs() {
    all("dialog").forEach((one) => one.close());
  }

  document.addEventListener("click", async (event) => {
    const close = event.target.closest("[data-close]");
    if (close && close.closest("dialog")) {
      event.preventDefault();
      close.closest("dialog").close();
      return;
    }
    const link = event.target.closest("a[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { headers: HTML });
      const question = find(".question", parse(await answer.text()));
      if (!question) return (location.href = link.href);
      openDialog(question);
    } catch {
      location.href = link.href;
    }
  });

  // A blocked control says why, also to those who press it.
  document.addEventListener("click", (event) => {
    const blocked = event.target.closest("[aria-disabled=true]");
    if (blocked) tell(blocked.dataset.why || blocked.title);
  });

  // --- Lists in forms, colours ---------------------------------------------------------------------------------------

  document.addEventListener("click", (event) => {
    const add = event.target.closest("[data-add]");
    if (add) {
      const list = add.closest("[data-list]");
      const row = document.importNode(find("template", list).content, true).firstElementChild;
      const number = all(".list-row", list).length + 1;
      all("[aria-label]", row).forEach((one) =>
        one.setAttribute("aria-label", one.getAttribute("aria-label").replace(/\d+$/, number)));
      add.before(row);
      find("input:not([type=color]), textarea", row).focus();
    }
    const remove = event.target.closest("[data-remove]");
    if (remove) {
      const list = remove.closest("[data-list]");
      remove.closest(".list-row").remove();
      find("[data-add]", list).focus();
      list.closest("form").dataset.dirty = "1";
    }
  });
  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (form) form.dataset.touched = "1";
    if (form && form.dataset.guard !== undefined) form.dataset.dirty = "1";
    const row = event.target.closest(".colours .list-row");
    if (!row) return;
    const text = find("input:not([type=color])", row);
    const pick = find("input[type=color]", row);
    if (event.target === pick) text.value = pick.value.toUpperCase();
    const fine = /^#[0-9a-fA-F]{6}$/.test(text.value);
    if (fine) pick.value = text.value.toLowerCase();
    find(".swatch rect", row).setAttribute("fill", fine ? text.value : "none");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !event.target.matches("textarea[data-send]")) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });
  window.addEventListener("beforeunload", (event) => {
    const open = all("form[data-dirty]").some((form) => !form.dataset.clean && !form.dataset.sending);
    if (open) event.preventDefault();
  });

  // --- Dropping files --------------------------------------------------------------------------------------------------

  const brings = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    const place = find("form[data-drop]");
    event.dataTransfer.dropEffect = place ? "copy" : "none";
    if (place) place.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) all(".over").forEach((one) => one.classList.remove("over"));
  });
  document.addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    all(".over").forEach((one) => one.classList.remove("over"));
    const place = find("form[data-drop]");
    if (!place) return tell(find(".drop.off p")?.textContent || "Files cannot be added here.");
    find("input[type=file]", place).files = event.dataTransfer.files;
    if (event.dataTransfer.files.length) submit(place, find("button", place));
  });

  // --- Pictures that do not come ---------------------------------------------------------------------------------------

  async function noPicture(image) {
    const words = document.createElement("p");
    words.className = "no-picture";
    words.textContent = `${image.alt}: no picture.`;
    image.replaceWith(words);
    try {
      const answer = await fetch(image.src, { headers: { Accept: "application/json" } });
      const problem = await answer.json();
      if (problem.message) words.textContent = `No picture: ${problem.message}`;
    } catch { /* The words that are there are enough. */ }
  }

  // --- What happens elsewhere --------------------------------------------------------------------------------------------

  let stream = null;
  let waiting = null;
  let streamOf = null;
  const seq = () => Number(find("#main")?.dataset.seq || 0);
  const occupied = () => {
    const active = document.activeElement;
    const typing = active && active.matches("main input:not([type=checkbox]):not([type=radio]), main textarea, main select");
    return busy || find("dialog[open]") || typing || find("main form[data-touched], main form[data-sending]");
  };

  async function refresh() {
    clearTimeout(waiting);
    waiting = null;
    // What was done here is shown by its own answer, which may come after the event.
    if (document.hidden || wanted <= seq()) return;
    if (find("form[data-sending]")) return later();
    if (occupied()) {
      if (find("[data-part]")) return renew();
      offerReload();
      return;
    }
    try {
      const here = location.pathname + location.search;
      const answer = await fetch(here, { headers: HTML });
      if (!answer.ok || occupied() || wanted <= seq() || here !== location.pathname + location.search) return;
      show(parse(await answer.text()), here, { keep: true });
    } catch { /* The stream comes back by itself, and with it the next try. */ }
  }
  // The Draft's banner says whether a run works on it, on every screen and whatever else is going on there.
  function putBanner(next) {
    const mark = focusMark();
    const old = find("main > .banner");
    const fresh = next.querySelector("main > .banner");
    if (old && fresh && old.isEqualNode(fresh)) return;
    if (old && fresh) old.replaceWith(document.importNode(fresh, true));
    else if (fresh) find("#main").prepend(document.importNode(fresh, true));
    else if (old) old.remove();
    const target = mark && mark.id ? marked(mark) : null;
    if (target && document.activeElement !== target) target.focus({ preventScroll: true });
  }
  async function renewBanner() {
    if (document.hidden || find("main > .banner form[data-sending]")) return;
    try {
      const here = location.pathname + location.search;
      const answer = await fetch(here, { headers: HTML });
      if (answer.ok && here === location.pathname + location.search) putBanner(parse(await answer.text()));
    } catch { /* The next event tries again. */ }
  }
  // A run has the workbench from a little before it says so until a little after.
  const TURNS = ["run_started", "run_resumed", "run_suspended", "run_ended", "permission_asked", "permission_answered"];
  let turning = [];
  function followTurn() {
    turning.forEach(clearTimeout);
    turning = [200, 1000, 3000].map((wait) => setTimeout(renewBanner, wait));
  }

  // While somebody writes in one part of the page, those parts that follow the work are put in anew around it.
  let renewing = false;
  let again = false;
  async function renew() {
    if (renewing) return (again = true);
    renewing = true;
    try {
      if (find("dialog[open]")) return (again = true);
      const here = location.pathname + location.search;
      const answer = await fetch(here, { headers: HTML });
      if (!answer.ok || here !== location.pathname + location.search) return;
      const next = parse(await answer.text());
      const mark = focusMark();
      all("[data-part]").forEach((old) => {
        const fresh = next.getElementById(old.id);
        // What is the same stays, with where it was scrolled to; so does what somebody is filling in.
        if (!fresh || old.isEqualNode(fresh) || find("form[data-touched]", old)) return;
        const folded = new Map(all("details[id]", old).map((one) => [one.id, one.open]));
        const put = document.importNode(fresh, true);
        old.replaceWith(put);
        all("details[id]", put).forEach((one) => folded.has(one.id) && (one.open = folded.get(one.id)));
      });
      putBanner(next);
      find("#main").dataset.seq = next.querySelector("#main").dataset.seq;
      ready();
      const target = mark && mark.id ? marked(mark) : null;
      if (target && document.activeElement !== target) target.focus({ preventScroll: true });
    } catch { /* The next event tries again. */
    } finally {
      renewing = false;
      if (again) {
        again = false;
        setTimeout(renew, 250);
      }
    }
  }
  // What a session tells, in words for those who do not see the page.
  const told = {
    phase_started: (what) => `Phase: ${what.phase}`,
    item_started: (what) => `Item ${what.item} of ${what.of}: ${what.label}`,
    permission_asked: (what) => `The agent asks whether it may call ${what.tool}`,
    run_suspended: (what) => `Paused: ${what.message}`,
    run_ended: (what) => (what.outcome === "completed" ? "The run is over" : `The run ended: ${what.outcome}. ${what.message || ""}`),
    waiting: (what) => `The model's provider wants us to wait ${Math.ceil(what.millis / 1000)} seconds`,
  };
  let following = null;
  function followSession({ session_id: session, what }) {
    if (TURNS.includes(what.kind)) followTurn();
    const live = find("#live");
    const shown = live && live.dataset.session === session;
    if (!shown) {
      if (what.kind === "run_ended" || what.kind === "permission_asked") tell(`Workshop: ${told[what.kind](what)}`);
      if (find(".sessions, [data-part]") && what.kind === "run_ended") setTimeout(renew, 250);
      return;
    }
    const piece = find("#piece");
    if (what.kind === "answer_piece") {
      if (piece) piece.textContent = (piece.textContent + what.text).slice(-400);
      return;
    }
    const words = told[what.kind] && told[what.kind](what);
    if (words) announce(words);
    if (what.kind === "waiting") {
      if (piece) piece.textContent = words;
      return;
    }
    clearTimeout(following);
    following = setTimeout(renew, 120);
  }
  function offerReload() {
    if (find("#changed")) return;
    const note = document.createElement("p");
    note.id = "changed";
    note.className = "note";
    note.append("This page has changed meanwhile. ");
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = "Show it as it is now";
    note.append(link);
    find("#main")?.prepend(note);
    announce(note.textContent);
  }
  // The change that the page should show; a job that moved on counts as the next one.
  let wanted = 0;
  function later() {
    if (!waiting) waiting = setTimeout(refresh, 250);
  }

  function follow() {
    const id = document.body.dataset.workbench;
    if (!id || document.hidden) {
      if (stream) stream.close();
      stream = streamOf = null;
      return;
    }
    if (streamOf === id && stream && stream.readyState !== EventSource.CLOSED) return;
    if (stream) stream.close();
    streamOf = id;
    stream = new EventSource(`/api/workbenches/${encodeURIComponent(id)}/events?after=${seq()}`);
    const read = (event) => {
      try {
        return JSON.parse(event.data);
      } catch {
        return null;
      }
    };
    stream.addEventListener("changed", (event) => {
      const record = read(event);
      if (!record || record.seq <= seq()) return;
      wanted = Math.max(wanted, record.seq);
      if (!find("form[data-sending]")) tell(`Changed: ${record.event.entry.summary}`);
      later();
    });
    stream.addEventListener("job_changed", () => {
      wanted = Math.max(wanted, seq() + 1);
      later();
    });
    stream.addEventListener("session", (event) => {
      const record = read(event);
      if (record) followSession(record.event);
    });
    stream.addEventListener("notice", (event) => {
      const record = read(event);
      if (record) tell(record.event.message);
    });
    stream.addEventListener("progress", (event) => {
      const record = read(event);
      if (!record) return;
      const { phase, done, total } = record.event;
      const counted = done != null && total != null ? `: ${done} of ${total}` : "";
      const words = phase.replaceAll("_", " ") + counted;
      if (busy) {
        busy.step.textContent = words;
        if (total) {
          busy.bar.max = total;
          busy.bar.value = done;
        }
      } else tell(words);
    });
  }
  // Events that came while this page was loading are not sent again, so a page that shows a working run checks it.
  setInterval(() => {
    if (!document.hidden && find('#live[data-status="running"]')) renew();
  }, 3000);
  document.addEventListener("visibilitychange", () => {
    follow();
    if (!document.hidden && !document.body.dataset.workbench && location.pathname === "/") {
      wanted = 1;
      refresh();
    }
  });
  // A step to another place of the same page is the browser's own business.
  window.addEventListener("popstate", () => {
    if (location.pathname + location.search !== shownAt) location.reload();
  });
  window.addEventListener("pagehide", () => stream && stream.close());

  // --- What takes a moment ---------------------------------------------------------------------------------------------

  async function load(place) {
    const from = place.dataset.load;
    delete place.dataset.load;
    place.classList.add("loading");
    try {
      const answer = await fetch(from, { headers: HTML });
      const next = parse(await answer.text());
      const part = answer.ok ? next.getElementById(place.id) : find("#failure", next);
      if (!part) throw new Error("nothing came");
      place.replaceWith(document.importNode(part, true));
      ready();
    } catch {
      find("[role=status]", place)?.replaceChildren("It did not come.");
    }
  }

  /** What can wait until the page is seen. A page that nobody looks at is not painted. */
  function afterPaint(work) {
    if (document.hidden) work();
    else requestAnimationFrame(() => setTimeout(work));
  }

  // --- Each page ---------------------------------------------------------------------------------------------------------

  function ready() {
    all("img[data-picture]").forEach((image) => {
      if (image.complete && image.naturalWidth === 0 && image.currentSrc) noPicture(image);
      else image.addEventListener("error", () => noPicture(image), { once: true });
    });
    afterPaint(() => all("[data-load]").forEach(load));
    // On a small screen the steps of the navigation stand in one row: where one is stays in sight.
    const here = find(".nav [aria-current]");
    const nav = here?.closest(".nav");
    if (nav) nav.scrollLeft = here.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;
    all("[data-select]").forEach((field) => {
      field.focus();
      field.select();
    });
    document.documentElement.classList.add("live");
  }
  ready();
  follow();
})();
