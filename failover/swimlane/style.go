package swimlane

// style names every colour twice: the second time for readers who prefer dark pages. The
// names begin with sl, so that they meet no other ones where a page holds the drawing
// itself.
const style = `
.sl{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.sl-title{font-weight:bold;font-size:13px}.sl-name,.sl-event,.sl-copy{font-weight:bold}.sl-clock{fill:#57606a}
.sl-sign,.sl-carried{font-weight:bold;text-anchor:middle}.sl-sign{fill:#ffffff}
.sl-page{fill:#ffffff;stroke:#d0d7de}.sl-lane{fill:#f3f5f7}.sl-rule{stroke:#d0d7de;fill:none}
.sl-healthy{fill:#1a7f37}.sl-unhealthy{fill:#cf222e}.sl-unknown{fill:#6e5494}.sl-deleting{fill:#57606a}
.sl-none{stroke:#8c959f;stroke-dasharray:1 5;fill:none}
.sl-target{stroke:#0969da;stroke-width:3;fill:none}
.sl-leaving{stroke:#bc4c00;stroke-width:3;stroke-dasharray:4 3;fill:none}
.sl-arrow{stroke:#116329;stroke-width:2;fill:none}.sl-tip,.sl-carry,.sl-carried{fill:#116329}
.sl-task{fill:#953800}.sl-decision{fill:#0550ae}.sl-problem{fill:#a40e26;font-weight:bold}
@media (prefers-color-scheme:dark){
.sl{fill:#e6edf3}.sl-clock{fill:#9198a1}.sl-sign{fill:#0d1117}
.sl-page{fill:#0d1117;stroke:#3d444d}.sl-lane{fill:#161b22}.sl-rule{stroke:#3d444d}
.sl-healthy{fill:#3fb950}.sl-unhealthy{fill:#ff7b72}.sl-unknown{fill:#bc8cff}.sl-deleting{fill:#9198a1}
.sl-none{stroke:#656c76}.sl-target{stroke:#4493f8}.sl-leaving{stroke:#f0883e}
.sl-arrow{stroke:#56d364}.sl-tip,.sl-carry,.sl-carried{fill:#56d364}
.sl-task{fill:#ffa657}.sl-decision{fill:#79c0ff}.sl-problem{fill:#ffa198}
}
`
