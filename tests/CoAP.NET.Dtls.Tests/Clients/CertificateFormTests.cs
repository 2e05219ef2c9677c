using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Credentials of peers that have the right key and are refused for their form or their purpose.</summary>
public sealed class CertificateFormTests
{
    private static readonly BenchAuthority s_authority = new();
    private static readonly DateTimeOffset s_start = DateTimeOffset.UnixEpoch;

    /// <summary>What a key may be used for, and whether it may sign handshakes.</summary>
    public static TheoryData<X509KeyUsageFlags, bool, bool> Usages
    {
        get
        {
            TheoryData<X509KeyUsageFlags, bool, bool> usages = [];
            foreach (bool ofServer in new[] { false, true })
            {
                usages.Add(X509KeyUsageFlags.DigitalSignature, ofServer, true);
                usages.Add(X509KeyUsageFlags.DigitalSignature | X509KeyUsageFlags.KeyAgreement, ofServer, true);
                usages.Add(X509KeyUsageFlags.KeyCertSign, ofServer, false);
                usages.Add(X509KeyUsageFlags.CrlSign, ofServer, false);
                usages.Add(X509KeyUsageFlags.NonRepudiation, ofServer, false);
                usages.Add(X509KeyUsageFlags.KeyEncipherment, ofServer, false);
                usages.Add(X509KeyUsageFlags.KeyAgreement, ofServer, false);
                usages.Add(X509KeyUsageFlags.None, ofServer, true);
            }

            return usages;
        }
    }

    // None: without the extension.
    [Theory]
    [MemberData(nameof(Usages))]
    public async Task A_certificate_whose_key_may_not_sign_is_refused_with_a_reason(X509KeyUsageFlags usage, bool ofServer, bool isTaken)
    {
        using X509Certificate2 certificate = Issue(s_authority.Certificate, "device", ofServer, usage);
        string? why = await RefusesAsync(certificate, [], ofServer);
        if (isTaken)
        {
            Assert.Null(why);
        }
        else
        {
            Assert.Contains("its key usage lacks digitalSignature", why, Ordinal);
        }
    }

    [Fact]
    public async Task A_certificate_whose_key_usage_cannot_be_read_is_refused_with_a_reason()
    {
        X509Extension unreadable = new(new Oid("2.5.29.15"), [4, 1, 0], critical: false);
        using X509Certificate2 certificate = Issue(s_authority.Certificate, "device", ofServer: false, unreadable);

        Assert.Contains("an extension that cannot be read", await RefusesAsync(certificate, [], ofServer: false), Ordinal);
    }

    [Theory]
    [InlineData("authority", true)]
    [InlineData("intermediate", true)]
    [InlineData("authority", false)]
    public async Task Only_the_root_of_a_chain_may_be_signed_with_SHA_1(string nameOfIntermediate, bool isWeak)
    {
        // It has the name of its issuer, as a self-issued certificate of a new key has (RFC 5280 section 3.2).
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={nameOfIntermediate}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        request.CertificateExtensions.Add(X509AuthorityKeyIdentifierExtension.CreateFromCertificate(s_authority.Certificate, true, false));
        using ECDsa ofIssuer = s_authority.Certificate.GetECDsaPrivateKey()!;
        X509SignatureGenerator generator = isWeak ? new Sha1Generator(ofIssuer) : X509SignatureGenerator.CreateForECDsa(ofIssuer);
        using X509Certificate2 signed =
            request.Create(s_authority.Certificate.SubjectName, generator, s_start, s_start.AddYears(199), [7]);
        using X509Certificate2 intermediate = signed.CopyWithPrivateKey(key);
        using X509Certificate2 leaf = Issue(intermediate, "device", ofServer: false, X509KeyUsageFlags.DigitalSignature);

        string? why = await RefusesAsync(leaf, [signed], ofServer: false);

        if (isWeak)
        {
            Assert.Contains("is too weak", why, Ordinal);
        }
        else
        {
            Assert.Null(why);
        }
    }

    [Fact]
    public void A_certificate_that_is_not_DER_or_has_trailing_bytes_is_refused()
    {
        byte[] der = s_authority.Certificate.RawData;
        CertificateDer.Load(der).Dispose();
        foreach (byte[] bytes in Others(der))
        {
            Assert.ThrowsAny<CryptographicException>(() => CertificateDer.Load(bytes));
            using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
            client.Hello();
            client.Send(HandshakeType.Certificate, writer =>
            {
                int list = writer.BeginVector(3);
                return writer.Vector(3, bytes).EndVector(list, 3);
            });
            client.AssertRefused(AlertDescription.BadCertificate, HandshakeFault.CertificateRefused);
            Assert.Contains("in DER", client.Server.Failure!.Why, Ordinal);
        }
    }

    [Fact]
    [Rfc("7252-9.1.3.2-1")]
    public void A_raw_public_key_that_is_not_exactly_one_DER_encoding_is_refused()
    {
        byte[] der = HandshakeScene.ClientKey.ExportSubjectPublicKeyInfo();
        using (ECDsa read = RawPublicKey.Read(der))
        {
            Assert.Equal(der, read.ExportSubjectPublicKeyInfo());
        }

        // A length of two bytes in place of one (BER).
        byte[] longLength = [0x30, 0x81, .. der.AsSpan(1)];
        foreach (byte[] bytes in new[] { [.. der, 0], [.. der, .. der], longLength, der[..^1], [], [1, 2, 3] })
        {
            using ScriptedClient client = new(HandshakeKind.RawPublicKeys);
            client.Hello();
            client.Send(HandshakeType.Certificate, writer => writer.Vector(3, bytes));
            if (bytes.Length == 0)
            {
                client.AssertRefused(AlertDescription.HandshakeFailure, HandshakeFault.NoCertificate);
                continue;
            }

            client.AssertRefused(AlertDescription.BadCertificate, HandshakeFault.CertificateRefused);
            Assert.Contains("not an ECDSA key in DER", client.Server.Failure!.Why, Ordinal);
            Assert.Throws<CoapCredentialException>(() => new CoapDtlsSigner(bytes, (_, _, _) => new([])));
        }
    }

    [Theory]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    public void A_raw_public_key_on_an_unknown_curve_is_refused(HandshakeKind kind)
    {
        foreach (bool isServer in new[] { false, true })
        {
            using Handshakes.ScriptedPeer peer = Handshakes.ScriptedPeer.Create(kind, isServer);
            peer.Alter = (type, body) =>
            {
                // P-256 in SubjectPublicKeyInfo.
                int at = type == HandshakeType.Certificate ? body.AsSpan().IndexOf((byte[])[0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]) : -1;
                return at < 0 ? body : [.. body[..(at + 7)], 0x6F, .. body[(at + 8)..]];
            };
            peer.SendOrder();

            Assert.Equal((HandshakeStatus.Failed, HandshakeFault.CertificateRefused), (peer.Target.Status, peer.Target.Failure?.Fault));
            Assert.Contains(peer.Refusal, (AlertDescription?[])[AlertDescription.BadCertificate, AlertDescription.DecryptError]);
        }
    }

    private static IEnumerable<byte[]> Others(byte[] der)
    {
        yield return Encoding.ASCII.GetBytes(PemEncoding.WriteString("CERTIFICATE", der));
        yield return [.. der, 0];
        yield return [.. der, .. der];
        yield return der[..^1];
        yield return [];
        yield return new X509Certificate2Collection(s_authority.Certificate).Export(X509ContentType.Pkcs7)!;
    }

    private static X509Certificate2 Issue(X509Certificate2 issuer, string name, bool ofServer, X509KeyUsageFlags usage) =>
        Issue(issuer, name, ofServer, usage == X509KeyUsageFlags.None ? null : new X509KeyUsageExtension(usage, critical: true));

    private static X509Certificate2 Issue(X509Certificate2 issuer, string name, bool ofServer, X509Extension? usage)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        if (usage is not null)
        {
            request.CertificateExtensions.Add(usage);
        }

        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension(
            [new Oid(ofServer ? CertificateNames.ServerAuthentication : CertificateNames.ClientAuthentication)], critical: false));
        request.CertificateExtensions.Add(X509AuthorityKeyIdentifierExtension.CreateFromCertificate(issuer, true, false));
        return request.Create(issuer, s_start, s_start.AddYears(198), [8]);
    }

    private static async Task<string?> RefusesAsync(X509Certificate2 leaf, X509Certificate2Collection sent, bool ofServer)
    {
        PeerCertificateValidator validator = new() { IsOfServers = ofServer, Authorities = [s_authority.Certificate] };
        return await validator.RefusesAsync(leaf, sent, null, s_start.AddYears(60), CancellationToken.None);
    }

    // ECDSA with SHA-1, which .NET no longer signs certificates with.
    private sealed class Sha1Generator(ECDsa key) : X509SignatureGenerator
    {
        public override byte[] GetSignatureAlgorithmIdentifier(HashAlgorithmName hashAlgorithm) =>
            Convert.FromHexString("300906072a8648ce3d0401");

#pragma warning disable CA5350 // the weak algorithm is what the test is about
        public override byte[] SignData(byte[] data, HashAlgorithmName hashAlgorithm) =>
            key.SignData(data, HashAlgorithmName.SHA1, DSASignatureFormat.Rfc3279DerSequence);
#pragma warning restore CA5350

        protected override PublicKey BuildPublicKey() => new(key);
    }
}
