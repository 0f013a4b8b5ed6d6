//! The configuration of a [`Patio`] before it starts.
use crate::{
    ADMIN_PASSWORD, DEVELOPER_PASSWORD, SERVICE_SECRET, SERVICES,
    environment::{self, free_port},
    folder::Folder,
    patio::{Patio, Replica},
    process::{Launch, Process, Spawner},
    programs::in_folder,
};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
};

/// Configures a [`Patio`]; without any call it is one process on SQLite in a temporary folder.
#[must_use = "nothing runs before it is started"]
pub struct Builder {
    programs: PathBuf,
    /// Replicas of each service; `None` for all services in one process.
    replicas: Option<usize>,
    folder: Option<PathBuf>,
    settings: Vec<Setting>,
    wrapper: Vec<String>,
    spawner: Option<Spawner>,
}

/// A setting, and which processes have it; without a value it is removed.
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

impl Builder {
    pub(crate) fn new() -> Self {
        let programs = environment::programs();
        Self { programs, replicas: None, folder: None, settings: Vec::new(), wrapper: Vec::new(), spawner: None }
    }

    /// Runs each service and the gateway in a process of its own.
    pub fn five_processes(self) -> Self {
        self.replicas(1)
    }

    /// Runs a number of processes of each service and of the gateway.
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.replicas = Some(replicas);
        self
    }

    /// Stores data in PostgreSQL; without this call it is in SQLite files.
    ///
    /// Sets `PATIO_UNSAFE`, because test servers run without `fsync` and Patio refuses such servers otherwise.
    pub fn postgres(self, url: &str) -> Self {
        self.setting("PATIO_DATABASE_URL", url).setting("PATIO_UNSAFE", "true")
    }

    /// Uses a Redis server.
    pub fn redis(self, url: &str) -> Self {
        self.setting("PATIO_REDIS_URL", url)
    }

    /// Stores data, pages and logs in a folder of the caller's, so that another Patio can start on the same data.
    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Starts the programs of another folder.
    pub fn programs(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.programs);
        self
    }

    /// Sets an environment variable of all processes.
    pub fn setting(self, name: &str, value: &str) -> Self {
        self.with(Scope::All, name, Some(value))
    }

    /// Removes an environment variable that the harness sets otherwise.
    pub fn without(self, name: &str) -> Self {
        self.with(Scope::All, name, None)
    }

    /// Sets an environment variable of one service's processes.
    pub fn setting_of(self, program: &'static str, name: &str, value: &str) -> Self {
        self.with(Scope::Program(program), name, Some(value))
    }

    /// Sets an environment variable of the process with this number, counted from 0, of each service.
    pub fn setting_of_replica(self, number: usize, name: &str, value: &str) -> Self {
        self.with(Scope::Replica(number), name, Some(value))
    }

    fn with(mut self, scope: Scope, name: &str, value: Option<&str>) -> Self {
        self.settings.push(Setting { scope, name: name.to_owned(), value: value.map(str::to_owned) });
        self
    }

    /// Starts each process through another program, such as `prlimit` with its options.
    pub fn wrapper<T: Into<String>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.wrapper = words.into_iter().map(Into::into).collect();
        self
    }

    /// Starts each process by a function, which may choose cores.
    pub fn spawner(mut self, spawner: impl Fn(&mut Command) -> io::Result<Child> + Send + Sync + 'static) -> Self {
        self.spawner = Some(Arc::new(spawner));
        self
    }

    /// Starts all processes and waits until they are ready.
    #[must_use]
    #[track_caller]
    pub fn start(self) -> Patio {
        self.try_start().unwrap()
    }

    /// The same for programs that are not tests.
    ///
    /// # Errors
    /// When a program is missing, ends, or is not ready in time; with the last log lines.
    pub fn try_start(self) -> anyhow::Result<Patio> {
        let mut patio = self.try_prepare()?;
        patio.try_start_all()?;
        Ok(patio)
    }

    /// Lays out all processes without starting them.
    #[must_use]
    #[track_caller]
    pub fn prepare(self) -> Patio {
        self.try_prepare().unwrap()
    }

    fn try_prepare(self) -> anyhow::Result<Patio> {
        let folder = match &self.folder {
            Some(path) => Folder::given(path),
            None => Folder::try_temporary()?,
        };
        let pages = folder.path().join("pages");
        fs::create_dir_all(&pages)?;
        fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>")?;
        let layout: Vec<(&'static str, usize, u16)> = match self.replicas {
            None => vec![("patio", 0, 0)],
            Some(count) => SERVICES.into_iter().flat_map(|service| (0..count).map(move |n| (service, n, free_port()))).collect(),
        };
        let common = self.common(folder.path(), &layout);
        let replicas = layout.iter().map(|place| self.replica(folder.path(), place, common.clone()));
        Ok(Patio::new(replicas.collect::<anyhow::Result<_>>()?, folder))
    }

    /// The settings of all processes.
    fn common(&self, folder: &Path, layout: &[(&'static str, usize, u16)]) -> BTreeMap<String, String> {
        let (pages, work) = (folder.join("pages").display().to_string(), folder.display().to_string());
        let settings = [
            ("PATIO_WEB_DIR", &*pages),
            ("PATIO_WORK_DIR", &work),
            ("PATIO_ADMIN_PASSWORD", ADMIN_PASSWORD),
            ("PATIO_DEVELOPER_PASSWORD", DEVELOPER_PASSWORD),
            ("PATIO_SIGN_IN_BURST", "1000000"),
            ("PATIO_LOG", "warn"),
        ];
        let mut all: BTreeMap<String, String> = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        if self.replicas.is_none() {
            return all;
        }
        all.insert("PATIO_SERVICE_SECRET".to_owned(), SERVICE_SECRET.to_owned());
        for (name, service) in SERVICES.iter().filter_map(|service| Some((service.strip_suffix("-svc")?, service))) {
            let places = layout.iter().filter(|(program, _, _)| program == service);
            let urls: Vec<_> = places.map(|(_, _, port)| format!("http://127.0.0.1:{port}")).collect();
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
        let mut launch = Launch::new(&name, in_folder(&self.programs, program)?, folder.to_owned());
        launch.arguments = if self.replicas.is_some() { vec!["serve".to_owned()] } else { Vec::new() };
        (launch.wrapper, launch.spawner, launch.environment) = (self.wrapper.clone(), self.spawner.clone(), common);
        let admin_port = free_port();
        let data = if name == *program { "data".to_owned() } else { format!("data-{name}") };
        let environment = &mut launch.environment;
        environment.insert("PATIO_LISTEN".to_owned(), format!("127.0.0.1:{port}"));
        environment.insert("PATIO_ADMIN_LISTEN".to_owned(), format!("127.0.0.1:{admin_port}"));
        environment.insert("PATIO_DATA_DIR".to_owned(), folder.join(data).display().to_string());
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
