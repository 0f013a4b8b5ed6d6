//! Builder that configures and starts a [`Patio`] installation for a test.
use crate::{
    ADMIN_PASSWORD, DEVELOPER_PASSWORD, PROGRAM_NAMES, SERVICE_SECRET,
    certificate_authority::CertificateAuthority,
    environment::{self, find_free_port},
    folder::TestFolder,
    patio::{Patio, Replica},
    process::{LaunchConfig, Process, Spawner},
    programs::find_program_in_folder,
};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
};

/// Configures and starts a [`Patio`] installation. The default is one process on SQLite in a temporary folder.
#[must_use = "nothing runs before it is started"]
pub struct PatioBuilder {
    programs: PathBuf,
    /// Number of replicas of each service and of the gateway; `None` to run all services in one process.
    replicas: Option<usize>,
    folder: Option<PathBuf>,
    settings: Vec<Setting>,
    authority: Option<CertificateAuthority>,
    wrapper: Vec<String>,
    spawner: Option<Spawner>,
}

/// Change of an environment variable for the processes that `scope` selects. The value `None` removes the variable.
struct Setting {
    scope: Scope,
    name: String,
    value: Option<String>,
}

enum Scope {
    All,
    Program(&'static str),
    Replica(usize),
}

impl Patio {
    /// Returns a builder for a Patio installation. The default is one process on SQLite.
    pub fn builder() -> PatioBuilder {
        PatioBuilder::new()
    }
}

impl PatioBuilder {
    fn new() -> Self {
        let programs = environment::program_folder();
        Self { programs, replicas: None, folder: None, settings: Vec::new(), authority: None, wrapper: Vec::new(), spawner: None }
    }

    /// Runs each service and the gateway in a separate process.
    pub fn with_separate_processes(self) -> Self {
        self.with_replicas(1)
    }

    /// Runs `replicas` processes of each service and of the gateway.
    pub fn with_replicas(mut self, replicas: usize) -> Self {
        self.replicas = Some(replicas);
        self
    }

    /// Stores data in PostgreSQL instead of SQLite files.
    ///
    /// Sets `PATIO_ALLOW_DATA_LOSS`, because test servers run without `fsync`. By default, Patio refuses to use such a server.
    pub fn with_postgres(self, url: &str) -> Self {
        self.with_setting("PATIO_DATABASE_URL", url).with_setting("PATIO_ALLOW_DATA_LOSS", "true")
    }

    /// Uses a Redis server as the shared cache.
    pub fn with_redis(self, url: &str) -> Self {
        self.with_setting("PATIO_REDIS_URL", url)
    }

    /// Enables TLS between services. Each program gets its own certificate in the folder `tls-PROGRAM`.
    pub fn with_service_tls(mut self, authority: CertificateAuthority) -> Self {
        self.authority = Some(authority);
        self
    }

    /// Stores data, web pages and logs in the given folder, so that another Patio installation can start with this data later.
    pub fn with_installation_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Sets the folder of the executables to start. This folder takes precedence over the environment variable
    /// [`PROGRAM_FOLDER_VARIABLE`](crate::PROGRAM_FOLDER_VARIABLE).
    pub fn with_program_folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.programs);
        self
    }

    /// Sets an environment variable for all processes.
    pub fn with_setting(self, name: &str, value: &str) -> Self {
        self.with(Scope::All, name, Some(value))
    }

    /// Removes an environment variable that the harness sets by default.
    pub fn without_setting(self, name: &str) -> Self {
        self.with(Scope::All, name, None)
    }

    /// Sets an environment variable for all processes of one program.
    pub fn with_setting_for_program(self, program: &'static str, name: &str, value: &str) -> Self {
        self.with(Scope::Program(program), name, Some(value))
    }

    /// Sets an environment variable for replica `number` (counted from 0) of each service and of the gateway.
    pub fn with_setting_on_replica(self, number: usize, name: &str, value: &str) -> Self {
        self.with(Scope::Replica(number), name, Some(value))
    }

    fn with(mut self, scope: Scope, name: &str, value: Option<&str>) -> Self {
        self.settings.push(Setting { scope, name: name.to_owned(), value: value.map(str::to_owned) });
        self
    }

    /// Sets a wrapper command that starts each process, such as `prlimit` with options.
    pub fn with_wrapper_command<T: Into<String>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.wrapper = words.into_iter().map(Into::into).collect();
        self
    }

    /// Sets a function that starts each process, for example with a CPU affinity.
    pub fn with_process_spawner(mut self, spawner: impl Fn(&mut Command) -> io::Result<Child> + Send + Sync + 'static) -> Self {
        self.spawner = Some(Arc::new(spawner));
        self
    }

    /// Starts all processes and waits until every process is ready. Panics on failure.
    #[must_use]
    #[track_caller]
    pub fn start(self) -> Patio {
        self.try_start().unwrap()
    }

    /// Starts all processes and waits until every process is ready, like [`PatioBuilder::start`], but returns an error instead of
    /// panicking.
    ///
    /// # Errors
    /// Returns an error with the last log lines when a program is missing, exits, or is not ready in time.
    pub fn try_start(self) -> anyhow::Result<Patio> {
        let mut patio = self.try_prepare()?;
        patio.try_start_all_processes()?;
        Ok(patio)
    }

    /// Creates the installation's folder and configures its processes, but starts no process. Panics on failure.
    #[must_use]
    #[track_caller]
    pub fn build(self) -> Patio {
        self.try_prepare().unwrap()
    }

    fn try_prepare(self) -> anyhow::Result<Patio> {
        let folder = match &self.folder {
            Some(path) => TestFolder::from_existing(path),
            None => TestFolder::try_create_temporary()?,
        };
        let pages = folder.path().join("pages");
        fs::create_dir_all(&pages)?;
        fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>")?;
        let layout: Vec<(&'static str, usize, u16)> = match self.replicas {
            None => vec![("patio", 0, 0)],
            Some(count) => PROGRAM_NAMES.into_iter().flat_map(|service| (0..count).map(move |n| (service, n, find_free_port()))).collect(),
        };
        let common = self.common(folder.path(), &layout);
        let replicas = layout.iter().map(|place| self.replica(folder.path(), place, common.clone()));
        Ok(Patio::new(replicas.collect::<anyhow::Result<_>>()?, folder))
    }

    /// Returns the environment variables that all processes share. `layout` lists the program, replica number and port of each
    /// process.
    fn common(&self, folder: &Path, layout: &[(&'static str, usize, u16)]) -> BTreeMap<String, String> {
        let (pages, work) = (folder.join("pages").display().to_string(), folder.display().to_string());
        let key = folder.join("auth.key").display().to_string();
        let settings = [
            ("PATIO_WEB_DIR", &*pages),
            ("PATIO_TEMP_DIR", &work),
            ("PATIO_ADMIN_PASSWORD", ADMIN_PASSWORD),
            ("PATIO_DEVELOPER_PASSWORD", DEVELOPER_PASSWORD),
            ("PATIO_SIGN_IN_BURST", "1000000"),
            ("PATIO_LOG", "warn"),
            ("PATIO_KEY_FILE", &key),
        ];
        let mut all: BTreeMap<String, String> = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        if self.replicas.is_none() {
            return all;
        }
        all.insert("PATIO_SERVICE_SECRET".to_owned(), SERVICE_SECRET.to_owned());
        all.insert("PATIO_SEPARATE_SQLITE".to_owned(), "true".to_owned());
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        for (name, service) in PROGRAM_NAMES.iter().filter_map(|service| Some((service.strip_suffix("-svc")?, service))) {
            let places = layout.iter().filter(|(program, _, _)| program == service);
            let urls: Vec<_> = places.map(|(_, _, port)| format!("{scheme}://127.0.0.1:{port}")).collect();
            all.insert(format!("PATIO_{}_URL", name.to_uppercase()), urls.join(","));
        }
        all
    }

    fn replica(
        &self,
        folder: &Path,
        (program, number, port): &(&'static str, usize, u16),
        common: BTreeMap<String, String>,
    ) -> anyhow::Result<Replica> {
        let name = if self.replicas.is_some_and(|count| count > 1) { format!("{program}-{number}") } else { (*program).to_owned() };
        let mut launch = LaunchConfig::new(&name, find_program_in_folder(&self.programs, program)?, folder.to_owned());
        launch.arguments = if self.replicas.is_some() { vec!["serve".to_owned()] } else { Vec::new() };
        (launch.wrapper, launch.spawner, launch.environment) = (self.wrapper.clone(), self.spawner.clone(), common);
        let admin_port = find_free_port();
        let data = if name == *program { "data".to_owned() } else { format!("data-{name}") };
        let environment = &mut launch.environment;
        environment.insert("PATIO_LISTEN".to_owned(), format!("127.0.0.1:{port}"));
        environment.insert("PATIO_METRICS_LISTEN".to_owned(), format!("127.0.0.1:{admin_port}"));
        environment.insert("PATIO_DATA_DIR".to_owned(), folder.join(data).display().to_string());
        if let Some(authority) = &self.authority {
            let tls = folder.join(format!("tls-{program}"));
            authority.issue_certificate(&tls, "127.0.0.1")?;
            environment.insert("PATIO_SERVICE_TLS".to_owned(), tls.display().to_string());
        }
        for setting in &self.settings {
            let applies = match setting.scope {
                Scope::All => true,
                Scope::Program(of) => of == *program,
                Scope::Replica(of) => of == *number,
            };
            match &setting.value {
                Some(value) if applies => _ = environment.insert(setting.name.clone(), value.clone()),
                None if applies => _ = environment.remove(&setting.name),
                _ => {}
            }
        }
        Ok(Replica::new(Process::new(launch), program, *number, (*port, admin_port)))
    }
}
