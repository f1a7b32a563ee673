// Says at the foot of a page which loop has served it. The answer's own header knows, so nothing is
// claimed about a page that comes from a file or from another server.
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
    const whose = names[answer.headers.get("Server") ?? ""];
    if (!whose) {
        return;
    }
    const footer = document.createElement("footer");
    footer.className = "served-by";
    const link = document.createElement("a");
    link.href = `${typeof path_to_root === "string" ? path_to_root : ""}step07.html`;
    link.textContent = "step 07";
    footer.append(`This page was served by ${whose} of `, link, ": one thread, one task per connection.");
    document.querySelector("main")?.append(footer);
})();
