using System.Net.Security;
using System.Security.Authentication;
using System.Security.Claims;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Security.Principal;
using CoAP.NET.Identity;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports;

/// <summary>Which identities identify a peer, so that all its connections share a quota, and which do not.</summary>
public sealed class PeerIdTests
{
    [Theory]
    [InlineData(ClaimTypes.NameIdentifier)]
    [InlineData("sub")]
    [InlineData(ClaimTypes.PrimarySid)]
    public void A_user_has_the_same_CoapPeerId_on_every_connection(string type)
    {
        CoapPeerId? key = CoapPeerId.Of(User(new Claim(type, "anna", null, "issuer")));

        Assert.NotNull(key);
        Assert.Equal(key, CoapPeerId.Of(User(new Claim(type, "anna", null, "issuer"))));
        Assert.NotEqual(key, CoapPeerId.Of(User(new Claim(type, "berta", null, "issuer"))));

        // An identifier is unique for one issuer only.
        Assert.NotEqual(key, CoapPeerId.Of(User(new Claim(type, "anna", null, "another issuer"))));
    }

    [Theory]
    [InlineData(ClaimTypes.NameIdentifier)]
    [InlineData("sub")]
    [InlineData(ClaimTypes.PrimarySid)]
    public void A_user_with_an_empty_identifier_has_no_CoapPeerId(string type) =>
        Assert.Null(CoapPeerId.Of(User(new Claim(type, ""))));

    [Fact]
    public void A_user_without_an_identifier_has_no_CoapPeerId()
    {
        Assert.Null(CoapPeerId.Of(User(new Claim(ClaimTypes.Role, "reader"))));
        Assert.Null(CoapPeerId.Of(new GenericIdentityOf("", isAuthenticated: true)));
        Assert.Null(CoapPeerId.Of(new GenericIdentityOf(null, isAuthenticated: true)));
    }

    [Fact]
    public void A_user_with_only_a_display_name_has_no_CoapPeerId() =>
        Assert.Null(CoapPeerId.Of(User(new Claim(ClaimTypes.Name, "John Smith"))));

    [Fact]
    public void The_issuer_and_identifier_of_a_CoapPeerId_cannot_run_together() =>
        Assert.NotEqual(CoapPeerId.Of(User(new Claim("sub", "b|c", null, "a"))), CoapPeerId.Of(User(new Claim("sub", "c", null, "a|b"))));

    [Fact]
    public void An_unauthenticated_user_has_no_CoapPeerId()
    {
        ClaimsPrincipal user = new(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "anna")]));

        Assert.False(new CoapUserPeerIdentity(user).IsKnown);
        Assert.Null(CoapPeerId.Of(user));
        Assert.Null(CoapPeerId.Of(new GenericIdentityOf("anna", isAuthenticated: false)));
        Assert.Null(CoapPeerId.Of(null));
    }

    [Fact]
    public void CoapPeerId_uses_the_first_authenticated_identity_with_an_identifier()
    {
        ClaimsPrincipal user = new([
            new ClaimsIdentity([new Claim("sub", "not logged in")]),
            new ClaimsIdentity([new Claim("sub", "")], "test"),
            new ClaimsIdentity([new Claim("sub", "anna")], "test"),
        ]);

        Assert.Equal(CoapPeerId.Of(User(new Claim("sub", "anna"))), CoapPeerId.Of(user));
    }

    [Fact]
    public void A_generic_identity_gets_a_CoapPeerId_from_its_name()
    {
        CoapPeerId? key = CoapPeerId.Of(new GenericIdentityOf("anna", isAuthenticated: true));

        Assert.NotNull(key);
        Assert.Equal(key, CoapPeerId.Of(new GenericIdentityOf("anna", isAuthenticated: true)));
        Assert.NotEqual(key, CoapPeerId.Of(new GenericIdentityOf("berta", isAuthenticated: true)));
    }

    [Fact]
    public void A_TLS_identity_without_a_certificate_equals_only_itself()
    {
        CoapTlsPeerIdentity one = Tls(null, "a.example");

        Assert.False(one.IsKnown);
        Assert.Equal(one, one);
        Assert.NotEqual(one, Tls(null, "a.example"));
        Assert.Null(CoapPeerId.Of(one));
    }

    [Fact]
    public void TLS_identities_with_the_same_certificate_are_equal_for_any_server_name()
    {
        using TlsCertificates certificates = new();
        using X509Certificate2 device = certificates.Client("device");
        using X509Certificate2 another = certificates.Client("another");

        CoapTlsPeerIdentity one = Tls(device, "a.example");
        CoapTlsPeerIdentity other = Tls(device, "b.example");

        Assert.Equal(one, other);
        Assert.Equal(one.GetHashCode(), other.GetHashCode());
        Assert.NotEqual(one, Tls(another, "a.example"));
    }

    [Fact]
    public void A_text_identity_becomes_the_name_in_CoapPeerId()
    {
        Assert.Equal("name:pump 3", $"{CoapPeerId.Of("pump 3")}");
        Assert.Null(CoapPeerId.Of(""));
    }

    [Fact]
    public void An_object_without_its_own_ToString_has_no_CoapPeerId()
    {
        Assert.Null(CoapPeerId.Of(new object()));
        Assert.Equal(CoapPeerId.Of(new Version(1, 2)), CoapPeerId.Of(new Version(1, 2)));
        Assert.NotEqual(CoapPeerId.Of(new Version(1, 2)), CoapPeerId.Of("1.2"));
    }

    [Fact]
    public void CoapPeerId_survives_a_certificate_renewal_but_not_another_authority()
    {
        using TlsCertificates authority = new();
        using TlsCertificates another = new();
        using X509Certificate2 device = authority.Client("device");
        using X509Certificate2 renewed = authority.Client("device");
        using RSA key = RSA.Create(2048);
        using X509Certificate2 foreign = new CertificateRequest("CN=device", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .Create(new X500DistinguishedName("CN=another authority"), X509SignatureGenerator.CreateForRSA(key, RSASignaturePadding.Pkcs1),
                TimeProvider.System.GetUtcNow().AddDays(-1), TimeProvider.System.GetUtcNow().AddDays(1), [1]);

        Assert.NotEqual(device.Thumbprint, renewed.Thumbprint);
        Assert.Equal(CoapPeerId.OfCertificate(device), CoapPeerId.OfCertificate(renewed));
        Assert.NotEqual(CoapPeerId.OfCertificate(device), CoapPeerId.OfCertificate(foreign));
    }

    [Fact]
    public void Certificates_that_are_self_signed_or_have_no_subject_are_identified_by_their_key()
    {
        string[] values = [.. new[] { "CN=pump", "CN=pump", "", "" }.Select(static subject =>
        {
            using RSA key = RSA.Create(2048);
            using X509Certificate2 own = new CertificateRequest(subject, key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
                .CreateSelfSigned(TimeProvider.System.GetUtcNow().AddDays(-1), TimeProvider.System.GetUtcNow().AddDays(1));
            return CoapPeerId.OfCertificate(own).ToString();
        })];

        Assert.Equal(values, values.Distinct());
        Assert.All(values, static value => value.Begins("certificate:key="));
    }

    [Fact]
    public void A_CoapPeerId_method_with_a_colon_is_refused() =>
        Assert.Throws<ArgumentException>(static () => new CoapPeerId("psk:a", "b"));

    private static CoapTlsPeerIdentity Tls(X509Certificate2? certificate, string serverName) =>
        new(certificate, serverName, SslProtocols.Tls13, TlsCipherSuite.TLS_AES_256_GCM_SHA384);

    private static ClaimsPrincipal User(Claim claim) => new(new ClaimsIdentity([claim], "test"));

    private sealed class GenericIdentityOf(string? name, bool isAuthenticated) : IIdentity
    {
        public string? AuthenticationType => "test";

        public bool IsAuthenticated => isAuthenticated;

        public string? Name => name;
    }
}
