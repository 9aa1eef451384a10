//! Connection settings: the address, then the usual environment variables.

use std::path::PathBuf;
use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

/// Encryption of a connection, as `sslmode` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    /// None.
    Disable,
    /// If the server has it; the server is not verified.
    Prefer,
    /// Always; the server is verified if a root certificate is given.
    Require,
    /// Always; the certificate and the name of the server are verified.
    VerifyFull,
}

/// Settings of a connection. They hold a password and have no `Debug` for that reason.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) config: Config,
    pub(super) encryption: Encryption,
    /// File with root certificates, instead of those of the system.
    pub(super) root: Option<PathBuf>,
}

impl Settings {
    /// Reads an address; `variable` looks up environment variables.
    ///
    /// # Errors
    /// A sentence that does not repeat the address, which may hold a password.
    pub(super) fn new(address: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let (address, own) = split(address);
        let find = |name: &str| own.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let mut config: Config = address.parse().map_err(|error| chain(&error))?;
        if config.get_hosts().is_empty() {
            config.host(&variable("PGHOST").unwrap_or_else(|| "localhost".into()));
        }
        if let (true, Some(port)) = (config.get_ports().is_empty(), variable("PGPORT")) {
            config.port(port.parse().map_err(|_| format!("PGPORT is {port}, expected a number"))?);
        }
        if config.get_user().is_none() {
            let user = variable("PGUSER").or_else(|| variable("USER")).unwrap_or_else(|| "postgres".into());
            config.user(&user);
        }
        if let (None, Some(database)) = (config.get_dbname(), variable("PGDATABASE")) {
            config.dbname(&database);
        }
        if config.get_password().is_none() {
            let password = variable("PGPASSWORD").or_else(|| from_file(&config, variable));
            if let Some(password) = password {
                config.password(password);
            }
        }
        let mode = find("sslmode").or_else(|| variable("PGSSLMODE")).unwrap_or_else(|| "prefer".into());
        let encryption = match mode.as_str() {
            "disable" => Encryption::Disable,
            "prefer" => Encryption::Prefer,
            "require" => Encryption::Require,
            "verify-full" => Encryption::VerifyFull,
            _ => {
                return Err(format!("sslmode is {mode}, expected disable, prefer, require or verify-full"));
            }
        };
        let root = find("sslrootcert").or_else(|| variable("PGSSLROOTCERT"));
        let mut settings = Self { config, encryption, root: root.map(PathBuf::from) };
        settings.complete();
        Ok(settings)
    }

    /// Sets what the address cannot say.
    fn complete(&mut self) {
        // A local socket needs no encryption, and has no host name to verify.
        let is_local = self.config.get_hosts().iter().all(|host| !matches!(host, Host::Tcp(_)));
        if is_local {
            self.encryption = Encryption::Disable;
        }
        self.config.ssl_mode(match self.encryption {
            Encryption::Disable => SslMode::Disable,
            Encryption::Prefer => SslMode::Prefer,
            Encryption::Require | Encryption::VerifyFull => SslMode::Require,
        });
        if self.config.get_connect_timeout().is_none() {
            self.config.connect_timeout(Duration::from_secs(10));
        }
        self.config.tcp_user_timeout(Duration::from_secs(30)).application_name("thrifty");
    }

    /// The server and database, without credentials.
    pub(super) fn name(&self) -> String {
        let host = self.config.get_hosts().first();
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("store postgres://{}:{port}/{database}", host.map_or_else(String::new, text))
    }
}

fn text(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

/// Takes the parameters that the client does not know out of an address.
fn split(address: &str) -> (String, Vec<(String, String)>) {
    let Some((base, query)) = address.split_once('?') else { return (address.into(), Vec::new()) };
    let is_own = |pair: &&str| pair.starts_with("sslmode=") || pair.starts_with("sslrootcert=");
    let (own, rest): (Vec<&str>, Vec<&str>) = query.split('&').partition(|pair| is_own(pair));
    let own = own.iter().filter_map(|pair| pair.split_once('='));
    let own =
        own.map(|(key, value)| (key.to_owned(), value.replace("%2F", "/").replace("%2f", "/"))).collect();
    (if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) }, own)
}

/// The password in the password file: lines `host:port:database:user:password`, in which `*` is anything and `\` takes the next character
/// literally.
fn from_file(config: &Config, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let home = || variable("HOME").map(|home| format!("{home}/.pgpass"));
    let lines = std::fs::read_to_string(variable("PGPASSFILE").or_else(home)?).ok()?;
    let host = config.get_hosts().first().map(text)?;
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user()?;
    let wanted = [host.as_str(), &port, config.get_dbname().unwrap_or(user), user];
    lines.lines().find_map(|line| {
        let fields = fields(line);
        let (password, keys) = fields.split_last().filter(|(_, keys)| keys.len() == wanted.len())?;
        let fits = |(key, wanted): (&&str, &&str)| *key == "*" || unescaped(key) == *wanted;
        keys.iter().zip(&wanted).all(fits).then(|| unescaped(password))
    })
}

/// Splits a line of the password file at the first four colons that are not escaped.
fn fields(line: &str) -> Vec<&str> {
    let mut is_escaped = false;
    let ends = |c: char| {
        let is_end = c == ':' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    };
    line.splitn(5, ends).collect()
}

/// A field of the password file without its escapes.
fn unescaped(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut rest = field.chars();
    while let Some(c) = rest.next() {
        // The last character stands for itself.
        text.push(if c == '\\' { rest.next().unwrap_or(c) } else { c });
    }
    text
}

/// An error with its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(address: &str, variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::new(address, &|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_address_comes_before_the_environment() {
        let variables = [
            ("PGHOST", "elsewhere"),
            ("PGPORT", "6000"),
            ("PGUSER", "me"),
            ("PGPASSWORD", "word"),
            ("PGDATABASE", "tuning"),
            ("PGSSLMODE", "verify-full"),
        ];
        let all = settings("postgres://", &variables).unwrap();
        assert_eq!(all.name(), "store postgres://elsewhere:6000/tuning");
        assert_eq!((all.config.get_user(), all.config.get_password()), (Some("me"), Some(&b"word"[..])));
        assert_eq!(all.encryption, Encryption::VerifyFull);
        let own =
            settings("postgres://you:pass@host:7000/db?sslmode=require&sslrootcert=%2Fca.pem", &variables);
        let own = own.unwrap();
        assert_eq!(own.name(), "store postgres://host:7000/db");
        assert_eq!((own.config.get_user(), own.config.get_password()), (Some("you"), Some(&b"pass"[..])));
        assert_eq!((own.encryption, own.root), (Encryption::Require, Some(PathBuf::from("/ca.pem"))));
    }

    #[test]
    fn nothing_given_is_the_server_of_this_machine() {
        let settings = settings("postgres:///tuning", &[("USER", "me")]).unwrap();
        assert_eq!(settings.name(), "store postgres://localhost:5432/tuning");
        assert_eq!((settings.config.get_user(), settings.config.get_password()), (Some("me"), None));
        assert_eq!(settings.encryption, Encryption::Prefer);
    }

    #[test]
    fn wrong_settings_are_named_and_passwords_are_not() {
        let message = |address: &str, variables: &[(&str, &str)]| settings(address, variables).err().unwrap();
        let mode = message("postgres://u:secret@h/d?sslmode=maybe", &[]);
        assert_eq!(mode, "sslmode is maybe, expected disable, prefer, require or verify-full");
        assert!(message("postgres://", &[("PGPORT", "x")]).contains("PGPORT is x"));
        let unknown = message("postgres://u:secret@h/d?unknown=1", &[]);
        assert!(unknown.contains("unknown") && !unknown.contains("secret"), "{unknown}");
    }

    #[test]
    fn a_local_socket_is_not_encrypted() {
        let settings = settings("postgres://me@%2Fsockets/db?sslmode=require", &[]).unwrap();
        assert_eq!(settings.encryption, Encryption::Disable);
        assert_eq!(settings.name(), "store postgres:///sockets:5432/db");
    }

    /// A server that does not answer is given up after ten seconds, or after as many as the address says.
    #[test]
    fn connecting_takes_ten_seconds_or_what_the_address_says() {
        let timeout = |address: &str| settings(address, &[]).unwrap().config.get_connect_timeout().copied();
        assert_eq!(timeout("postgres://me@host/db"), Some(Duration::from_secs(10)));
        assert_eq!(timeout("postgres://me@host/db?connect_timeout=3"), Some(Duration::from_secs(3)));
    }

    #[test]
    fn the_password_file_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "other:*:*:*:no\nhost:*:db:me:it's:long\n*:*:*:*:last\n").unwrap();
        let path = file.path().to_str().unwrap();
        let password = |address: &str| {
            let settings = settings(address, &[("PGPASSFILE", path)]).unwrap();
            settings.config.get_password().map(|word| String::from_utf8(word.to_vec()).unwrap())
        };
        assert_eq!(password("postgres://me@host/db").as_deref(), Some("it's:long"));
        assert_eq!(password("postgres://you@host/db").as_deref(), Some("last"));
    }

    /// Escapes in the password file: `\` takes the next character literally, in the keys and in the password.
    #[test]
    fn escapes_in_the_password_file_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines = [
            r"*:*:\*:me:no",
            r"db:5432:studies:me:pa\:ss",
            r"\:\:1:*:studies:me:back\\slash\",
            r"*:*:a\\:me:plain",
            r"*:*:too:few",
        ];
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        let path = file.path().to_str().unwrap();
        let password = |address: &str| {
            let settings = settings(address, &[("PGPASSFILE", path)]).unwrap();
            settings.config.get_password().map(|word| String::from_utf8(word.to_vec()).unwrap())
        };
        assert_eq!(password("postgres://me@db/studies").as_deref(), Some("pa:ss"));
        assert_eq!(password("postgres://me@[::1]/studies").as_deref(), Some(r"back\slash\"));
        assert_eq!(password("postgres://me@db/a%5C").as_deref(), Some("plain"));
        assert_eq!(password("postgres://few@db/too"), None);
    }

    /// Lines of the password file with a port: that of the address or the environment, else 5432, the port of PostgreSQL.
    #[test]
    fn passwords_of_the_default_port_are_found() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "localhost:5432:db:me:default\nlocalhost:7000:db:me:other\n").unwrap();
        let path = file.path().to_str().unwrap();
        let password = |address: &str, variables: &[(&str, &str)]| {
            let all = [&[("PGPASSFILE", path), ("PGUSER", "me")], variables].concat();
            let password = settings(address, &all).unwrap().config.get_password().map(<[u8]>::to_vec);
            password.map(|word| String::from_utf8(word).unwrap())
        };
        for address in ["postgres:///db", "postgres://localhost/db", "postgres://localhost:5432/db"] {
            assert_eq!(password(address, &[]).as_deref(), Some("default"), "{address}");
        }
        assert_eq!(password("postgres:///db", &[("PGPORT", "7000")]).as_deref(), Some("other"));
        assert_eq!(password("postgres://localhost:7001/db", &[]), None, "a port without a line");
    }

    /// An error in one sentence: each cause once, also where a message has its cause in it already.
    #[test]
    fn causes_are_named_once() {
        #[derive(Debug)]
        struct Layer(&'static str, Option<Box<Layer>>);
        impl std::fmt::Display for Layer {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0)
            }
        }
        impl std::error::Error for Layer {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.1.as_deref().map(|cause| cause as _)
            }
        }
        let over = |text, cause| Layer(text, Some(Box::new(cause)));
        assert_eq!(chain(&Layer("refused", None)), "refused");
        assert_eq!(chain(&over("no connection", Layer("refused", None))), "no connection: refused");
        let told = over("no connection (refused)", over("refused", Layer("port 7", None)));
        assert_eq!(chain(&told), "no connection (refused): port 7");
    }
}
