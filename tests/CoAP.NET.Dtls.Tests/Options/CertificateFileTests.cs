namespace CoAP.NET.Dtls.Tests.Options;

public sealed class CertificateFileTests : IDisposable
{
    private const string Password = "open sesame";

    private readonly TemporaryFiles _files = new();
    private readonly BenchAuthority _authority = new();
    private readonly X509Certificate2 _leaf;

    public CertificateFileTests() => _leaf = _authority.Issue("device.example");

    public void Dispose()
    {
        _files.Dispose();
        _authority.Dispose();
        _leaf.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_certificate_is_read_from_PEM_with_its_intermediates(bool inOneFile)
    {
        using X509Certificate2 intermediate = Intermediate();
        string pem = $"{_leaf.ExportCertificatePem()}\n{intermediate.ExportCertificatePem()}\n{_authority.Certificate.ExportCertificatePem()}\n";
        string certificate = _files.Write("device.pem", inOneFile ? pem + Key() : pem);

        using CoapCertificateChain chain = CoapCertificateChain.Load(certificate, inOneFile ? null : _files.Write("device.key", Key()));

        Assert.Equal(_leaf.Thumbprint, chain.Certificate.Thumbprint);
        Assert.Equal(intermediate.Thumbprint, Assert.Single(chain.Intermediates).Thumbprint);
        Assert.NotEmpty(chain.Certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKey());
    }

    [Fact]
    public void A_certificate_is_read_from_PFX()
    {
        string file = _files.Name("device.pfx");
        File.WriteAllBytes(file,
            new X509Certificate2Collection { _leaf, _authority.Certificate.CopyWithoutKey() }.Export(X509ContentType.Pkcs12, Password)!);

        using CoapCertificateChain chain = CoapCertificateChain.Load(file, password: Password);

        Assert.Equal(_leaf.Thumbprint, chain.Certificate.Thumbprint);
        Assert.Empty(chain.Intermediates);
        Assert.NotEmpty(chain.Certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKey());
        Assert.Throws<CoapCredentialException>(() => CoapCertificateChain.Load(file, password: "wrong"));
    }

    [Fact]
    public void An_encrypted_key_needs_its_password()
    {
        using ECDsa key = _leaf.GetECDsaPrivateKey()!;
        string certificate = _files.Write("device.pem", _leaf.ExportCertificatePem());
        string file = _files.Write("device.key",
            key.ExportEncryptedPkcs8PrivateKeyPem(Password,
                new PbeParameters(PbeEncryptionAlgorithm.Aes128Cbc, HashAlgorithmName.SHA256, 1_000)));

        using CoapCertificateChain chain = CoapCertificateChain.Load(certificate, file, Password);

        Assert.True(chain.Certificate.HasPrivateKey);
        Assert.Contains("Give its password",
            Assert.Throws<CoapCredentialException>(() => CoapCertificateChain.Load(certificate, file)).Message,
            Ordinal);
        Assert.Contains("password is wrong",
            Assert.Throws<CoapCredentialException>(() => CoapCertificateChain.Load(certificate, file, "wrong")).Message,
            Ordinal);
    }

    [Fact]
    public void A_key_of_another_certificate_is_refused()
    {
        using ECDsa other = ECDsa.Create(ECCurve.NamedCurves.nistP256);

        CoapCredentialException exception = Assert.Throws<CoapCredentialException>(
            () => CoapCertificateChain.Load(_files.Write("device.pem", _leaf.ExportCertificatePem()),
                _files.Write("other.key", other.ExportPkcs8PrivateKeyPem())));

        Assert.Contains("not that of the certificate", exception.Message, Ordinal);
        exception.FileName.Ends("other.key");
    }

    [Fact]
    public void The_error_for_a_file_that_is_not_a_usable_certificate_with_key_says_why()
    {
        using RSA rsa = RSA.Create(2048);
        using X509Certificate2 rsaCertificate = new CertificateRequest("CN=rsa", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(99));
        string alone = _files.Write("alone.pem", _leaf.ExportCertificatePem());

        Assert.Contains("no private key", Message(alone, null), Ordinal);
        Assert.Contains("no such file", Message(_files.Name("missing"), null), Ordinal);
        Assert.Contains("no such file", Message(alone, _files.Name("missing")), Ordinal);
        Assert.Contains("No certificate can be read", Message(_files.Write("text", "hello"), null), Ordinal);
        Assert.Contains("ECDSA",
            Message(_files.Write("rsa.pem", rsaCertificate.ExportCertificatePem() + "\n" + rsa.ExportPkcs8PrivateKeyPem()), null),
            Ordinal);
    }

    [Fact]
    public void Authorities_are_read_from_PEM_and_DER()
    {
        using BenchAuthority second = new("second");
        string der = _files.Name("authority.cer");
        File.WriteAllBytes(der, _authority.Certificate.RawData);

        Assert.Equal(2,
            CoapCertificateChain.LoadAuthorities(_files.Write("both.pem",
                _authority.Certificate.ExportCertificatePem() + "\n" + second.Certificate.ExportCertificatePem())).Count);
        Assert.Equal(_authority.Certificate.Thumbprint, Assert.Single(CoapCertificateChain.LoadAuthorities(der)).Thumbprint);
        Assert.Throws<CoapCredentialException>(() => CoapCertificateChain.LoadAuthorities(_files.Write("none.pem", "nothing")));
    }

    private static string Message(string certificate, string? key) =>
        Assert.Throws<CoapCredentialException>(() => CoapCertificateChain.Load(certificate, key)).Message;

    private string Key()
    {
        using ECDsa key = _leaf.GetECDsaPrivateKey()!;
        return key.ExportPkcs8PrivateKeyPem() + "\n";
    }

    private X509Certificate2 Intermediate() => _authority.Issue(commonName: "intermediate").CopyWithoutKey();
}
