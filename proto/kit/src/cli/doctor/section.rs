//! Sections of the runbook that findings of `doctor` link to.

macro_rules! sections {
    ($($(#[$doc:meta])* $section:ident = $anchor:literal,)*) => {
        /// Section of the runbook that explains a finding. A test compares the anchors with the headings of the runbook.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Section {
            $($(#[$doc])* $section,)*
        }

        impl Section {
            /// All sections that findings link to.
            pub const ALL: &'static [Self] = &[$(Self::$section,)*];

            /// Returns the anchor of the section's heading.
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
    /// Settings that are missing or invalid.
    Settings = "a-setting-is-rejected",
    /// Folders and files: space, permissions, and what they contain.
    Files = "a-folder-or-file-is-not-usable",
    /// Ports that another program uses.
    Ports = "a-port-is-in-use",
    /// Built web pages.
    Pages = "the-pages-are-missing",
    /// Certificate of the public port.
    Https = "phones-give-no-camera",
    /// Database server: reachable, writable, durable.
    Database = "the-database-is-slow-or-unavailable",
    /// Role, schema and owner in the database, and poolers.
    DatabaseAccess = "the-database-rejects-patio",
    /// Number of database connections.
    Connections = "too-many-database-connections",
    /// Redis server.
    Redis = "redis-is-unavailable",
    /// Trace collector.
    Traces = "no-traces-arrive",
    /// Replicas of other services.
    Services = "a-service-is-unavailable",
    /// Certificates between the services.
    ServiceTls = "certificates-between-the-services",
    /// Service secret and key file.
    Secrets = "changing-secrets",
    /// Reader of workbooks, a child process.
    Workbooks = "imports-fail-at-every-file",
}

impl Section {
    /// Returns the link to the section, relative to the root of the repository, as in the alerts.
    #[must_use]
    pub fn link(self) -> String {
        format!("deploy/runbook.md#{}", self.anchor())
    }
}
