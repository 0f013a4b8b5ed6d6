//! System call filter of the reader process: forbidden operations fail.
use std::{fs::File, io::Write, net::TcpListener, process::Command};
use workbook_reader::sandbox;

#[test]
fn a_filtered_process_can_open_no_file_and_start_no_program() {
    if !patio_testing::runs_alone("sandbox::a_filtered_process_can_open_no_file_and_start_no_program") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        // Only this thread is filtered, because the test process still has to write its report.
        sandbox::install_seccomp_filter().unwrap();
        let denied = |done: std::io::Result<()>| assert_eq!(done.unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
        denied(File::open("/etc/hostname").map(drop));
        denied(File::create("/tmp/patio-sandbox").map(drop));
        denied(std::net::TcpStream::connect(address).map(drop));
        denied(std::net::UdpSocket::bind("127.0.0.1:0").map(drop));
        denied(Command::new("/bin/true").status().map(drop));
        let work: Vec<u64> = (0..1_000_000).collect();
        assert_eq!(work.iter().sum::<u64>(), 499_999_500_000, "computing in memory still works");
        std::io::stdout().write_all(b"").unwrap();
    })
    .join()
    .unwrap();
}
