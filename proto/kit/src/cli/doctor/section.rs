//! Sections of the runbook that findings of `doctor` link to.

macro_rules! sections {
    ($($(#[$doc:meta])* $section:ident = $anchor:literal,)*) => {
        /// Section of the runbook that explains a finding. Each section has an anchor, the URL fragment of its heading. A test compares
        /// the anchors with the headings of the runbook.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum RunbookSection {
            $($(#[$doc])* $section,)*
        }

        impl RunbookSection {
            /// All sections of the runbook that findings link to.
            pub const ALL: &'static [Self] = &[$(Self::$section,)*];

            /// Returns the URL fragment of the section's heading in the runbook, such as `a-port-is-in-use`.
            #[must_use]
            pub const fn anchor(self) -> &'static str {
                match self {
                    $(Self::$section => $anchor,)*
                }
            }
        }
    };
}

sections! {
    /// Section of `deploy/runbook.md` about settings that are missing or invalid.
    Settings = "a-setting-is-rejected",
    /// Section of `deploy/runbook.md` about folders and files that are not usable: free space, permissions and content.
    Files = "a-folder-or-file-is-not-usable",
    /// Section of `deploy/runbook.md` about ports that another program uses.
    Ports = "a-port-is-in-use",
    /// Section of `deploy/runbook.md` about missing files of the web app.
    Pages = "the-pages-are-missing",
    /// Section of `deploy/runbook.md` about the HTTPS certificate of the gateway, without which phones block the camera.
    Https = "phones-give-no-camera",
    /// Section of `deploy/runbook.md` about a database server that is unreachable, read-only or not durable.
    Database = "the-database-is-slow-or-unavailable",
    /// Section of `deploy/runbook.md` about the privileges of Patio's database role, the owner of the database schema, and connection
    /// poolers.
    DatabaseAccess = "the-database-rejects-patio",
    /// Section of `deploy/runbook.md` about too many database connections.
    Connections = "too-many-database-connections",
    /// Section of `deploy/runbook.md` about an unavailable Redis server.
    Redis = "redis-is-unavailable",
    /// Section of `deploy/runbook.md` about a trace collector that receives no traces.
    Traces = "no-traces-arrive",
    /// Section of `deploy/runbook.md` about unavailable replicas of other services.
    Services = "a-service-is-unavailable",
    /// Section of `deploy/runbook.md` about the certificates for TLS between services.
    ServiceTls = "certificates-between-the-services",
    /// Section of `deploy/runbook.md` about changing secrets, such as the service secret and the key file of auth-svc (`PATIO_KEY_FILE`).
    Secrets = "changing-secrets",
    /// Section of `deploy/runbook.md` about imports that always fail because the child process that reads workbooks cannot start.
    Workbooks = "imports-fail-at-every-file",
}

impl RunbookSection {
    /// Returns the link to the section, as a path relative to the root of the repository. The links in alerts have the same form.
    #[must_use]
    pub fn runbook_link(self) -> String {
        format!("deploy/runbook.md#{}", self.anchor())
    }
}
