//! Certificate authority (CA) for tests of TLS between services.
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::{fs, path::Path};

/// Certificate authority (CA) for tests. Clients trust the issued certificates only when configured with the CA certificate.
pub struct CertificateAuthority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

impl CertificateAuthority {
    /// Creates a certificate authority with a new key.
    ///
    /// # Errors
    /// Returns an error when the key cannot be generated.
    pub fn try_new() -> anyhow::Result<Self> {
        let (key, mut params) = (KeyPair::generate()?, CertificateParams::new(Vec::new())?);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), certificate })
    }

    /// Issues a certificate for a host name or IP address. Writes `tls.crt`, `tls.key` and the CA certificate `ca.crt` to a folder.
    ///
    /// # Errors
    /// Returns an error when the folder is not writable or the host name is invalid.
    pub fn issue_certificate(&self, folder: &Path, host: &str) -> anyhow::Result<()> {
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new([host.to_owned()])?.signed_by(&key, &self.issuer)?;
        fs::create_dir_all(folder)?;
        for (name, text) in [("tls.crt", certificate.pem()), ("tls.key", key.serialize_pem()), ("ca.crt", self.certificate.clone())] {
            let unfinished = folder.join("unfinished");
            fs::write(&unfinished, text)?;
            fs::rename(unfinished, folder.join(name))?;
        }
        Ok(())
    }
}
