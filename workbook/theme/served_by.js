// Says at the foot of a page which loop has served it. The answer's own header knows, so the foot claims
// nothing about a page that comes from a file or from another server. If the server is the cockpit's, its
// scripts are loaded, too; without them, a page has what it has on paper, so the printed book does without them.
(async () => {
    const { make, link } = window.workbook.elements;
    if (!location.protocol.startsWith("http")) {
        return;
    }
    const answer = await fetch(location.href, { method: "HEAD" });
    /** @type {Record<string, string>} */
    const names = {
        "step07_full_loop": "the loop",
        "step07_full_loop (yours)": "your own loop",
    };
    const root = typeof path_to_root === "string" ? path_to_root : "";
    const isCockpit = answer.headers.has("Workbook-Cockpit");
    if (isCockpit && !location.pathname.endsWith("print.html")) {
        document.head.append(Object.assign(make("link", ""), { rel: "stylesheet", href: `${root}cockpit/cockpit.css` }));
        for (const name of ["connection", "cockpit", "cockpit_verdict", "cockpit_boxes", "cockpit_play", "cockpit_predictions", "cockpit_hunt", "cockpit_class", "cockpit_progress"]) {
            // Without `async`, they run in this order.
            document.head.append(Object.assign(make("script", ""), { src: `${root}cockpit/${name}.js`, async: false }));
        }
    }
    const whose = names[answer.headers.get("Server") ?? ""];
    if (!whose) {
        return;
    }
    const footer = make("footer", "served-by", `This page was served by ${whose} of `,
        link("step 07", `${root}step07.html`), ": one thread, one task per connection.");
    if (isCockpit) {
        footer.append(" ", link("What it's doing now", `${root}loop`));
    }
    document.querySelector("main")?.append(footer);
})();
