namespace CoAP.NET.Edhoc.Tests.Credentials;

/// <summary>Who the owner of a credential is.</summary>
public sealed class PeerIdTests
{
    [Theory]
    [InlineData("thermostat")]
    [InlineData(null)]
    public void Credentials_without_an_identity_are_different_peers_even_with_the_same_subject(string? subject)
    {
        EdhocCredential one = Make(subject);
        EdhocCredential other = Make(subject);

        Assert.StartsWith("edhoc:credential=", $"{one.Id}", Ordinal);
        Assert.NotEqual(one.Id, other.Id);
        Assert.NotEqual(one, other);
    }

    [Fact]
    public void The_same_credential_is_the_same_peer_in_every_session()
    {
        EdhocCredential one = Make("thermostat");
        EdhocCredential again = EdhocCredential.OfCcs(one.Encoded.Span);

        Assert.Equal(one.Id, again.Id);
        Assert.Equal(one, again);
        Assert.Equal(one.GetHashCode(), again.GetHashCode());
    }

    [Fact]
    public void The_identity_that_the_application_assigns_names_the_peer() => Assert.Equal("edhoc:door 7", $"{Make("x", "door 7").Id}");

    [Fact]
    public void A_certificate_names_the_peer_as_in_TLS()
    {
        using ECDsa authority = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ECDsa device = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        using X509Certificate2 certificate = new CertificateRequest("CN=sensor-1", device, HashAlgorithmName.SHA256).Create(
            new X500DistinguishedName("CN=authority"), X509SignatureGenerator.CreateForECDsa(authority), now.AddDays(-1), now.AddDays(1),
            [1]);

        Assert.Equal(CoapPeerId.OfCertificate(certificate), EdhocCredential.OfCertificate(certificate.RawData).Id);
    }

    private static EdhocCredential Make(string? subject, object? identity = null)
    {
        using EdhocPrivateKey key = EdhocPrivateKey.Generate(EdhocCurve.P256);
        return EdhocCredential.Create(key.PublicKey, [0x32], subject, identity);
    }
}
