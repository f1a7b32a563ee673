// Says at the foot of a page which loop has served it. The answer's own header knows, so the foot claims
// nothing about a page that comes from a file or from another server. If the server is the cockpit's, its
// scripts are loaded, too; without them, a page has what it has on paper.
(async () => {
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
    if (answer.headers.get("Workbook-Cockpit")) {
        const style = document.createElement("link");
        style.rel = "stylesheet";
        style.href = `${root}cockpit/cockpit.css`;
        document.head.append(style);
        for (const name of ["connection", "cockpit", "cockpit_verdict", "cockpit_boxes", "cockpit_play", "cockpit_predictions", "cockpit_hunt", "cockpit_class", "cockpit_progress"]) {
            const script = document.createElement("script");
            script.src = `${root}cockpit/${name}.js`;
            // In this order.
            script.async = false;
            document.head.append(script);
        }
    }
    const whose = names[answer.headers.get("Server") ?? ""];
    if (!whose) {
        return;
    }
    const footer = document.createElement("footer");
    footer.className = "served-by";
    const link = document.createElement("a");
    link.href = `${root}step07.html`;
    link.textContent = "step 07";
    footer.append(`This page was served by ${whose} of `, link, ": one thread, one task per connection.");
    if (answer.headers.get("Workbook-Cockpit")) {
        const ticks = document.createElement("a");
        ticks.href = `${root}loop`;
        ticks.textContent = "What it's doing now";
        footer.append(" ", ticks);
    }
    document.querySelector("main")?.append(footer);
})();
