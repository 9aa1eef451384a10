//! A server on loopback that answers as a test tells it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request: its path and headers with names in lower case.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: BTreeMap<String, String>,
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let path = lines.next()?.split(' ').nth(1)?.to_owned();
        let headers = lines.take_while(|line| !line.is_empty());
        let pair = |line: String| line.split_once(": ").map(|(k, v)| (k.to_lowercase(), v.to_owned()));
        Some(Self { path, headers: headers.filter_map(pair).collect() })
    }

    /// First byte that a Range header asks for.
    pub fn first(&self) -> Option<usize> {
        self.headers.get("range")?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
    }
}

/// A server that closes the connection after each answer.
pub struct Server {
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each request with the bytes that `answer` makes of it and of the number of requests before.
    pub fn start(mut answer: impl FnMut(&Request, usize) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = Request::read(&stream) else { continue };
                let before = seen.lock().unwrap().len();
                seen.lock().unwrap().push(request.clone());
                // A client that turns away closes the connection early.
                let _ = stream.write_all(&answer(&request, before));
            }
        });
        Self { address, requests }
    }

    /// A server of one file, always whole.
    pub fn of(body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self::start(move |_, _| whole(&body, "\"1\""))
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer with a status line, headers and a body.
pub fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

/// The whole file.
pub fn whole(body: &[u8], tag: &str) -> Vec<u8> {
    answer("200 OK", &format!("Content-Length: {}\r\nETag: {tag}\r\n", body.len()), body)
}

/// The whole file, torn after some bytes.
pub fn torn(body: &[u8], tag: &str, after: usize) -> Vec<u8> {
    answer("200 OK", &format!("Content-Length: {}\r\nETag: {tag}\r\n", body.len()), &body[..after])
}

/// The file from a byte on.
pub fn rest(body: &[u8], tag: &str, first: usize) -> Vec<u8> {
    let (last, total) = (body.len() - 1, body.len());
    let headers = format!(
        "Content-Length: {}\r\nContent-Range: bytes {first}-{last}/{total}\r\nETag: {tag}\r\n",
        total - first
    );
    answer("206 Partial Content", &headers, &body[first..])
}
