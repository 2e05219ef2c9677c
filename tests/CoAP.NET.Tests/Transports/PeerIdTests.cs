using System.Net.Security;
using System.Security.Authentication;
using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;
using System.Security.Principal;
using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports;

/// <summary>Which identities identify a peer, so that all its connections share a quota, and which do not.</summary>
public sealed class PeerIdentityTests
{
    [Theory]
    [InlineData(ClaimTypes.NameIdentifier)]
    [InlineData("sub")]
    [InlineData(ClaimTypes.Name)]
    public void A_user_is_the_same_over_any_number_of_connections(string type)
    {
        object? key = PeerIdentity.KeyOf(User(new Claim(type, "anna", null, "issuer")));

        Assert.NotNull(key);
        Assert.Equal(key, PeerIdentity.KeyOf(User(new Claim(type, "anna", null, "issuer"))));
        Assert.NotEqual(key, PeerIdentity.KeyOf(User(new Claim(type, "berta", null, "issuer"))));

        // An identifier is unique for one issuer only.
        Assert.NotEqual(key, PeerIdentity.KeyOf(User(new Claim(type, "anna", null, "another issuer"))));
    }

    [Theory]
    [InlineData(ClaimTypes.NameIdentifier)]
    [InlineData("sub")]
    [InlineData(ClaimTypes.Name)]
    public void A_user_whose_identifier_is_empty_has_no_key_that_others_without_one_would_share(string type) =>
        Assert.Null(PeerIdentity.KeyOf(User(new Claim(type, ""))));

    [Fact]
    public void A_user_without_an_identifier_has_no_key()
    {
        Assert.Null(PeerIdentity.KeyOf(User(new Claim(ClaimTypes.Role, "reader"))));
        Assert.Null(PeerIdentity.KeyOf(new GenericIdentityOf("", isAuthenticated: true)));
        Assert.Null(PeerIdentity.KeyOf(new GenericIdentityOf(null, isAuthenticated: true)));
    }

    [Fact]
    public void A_user_who_has_not_logged_in_has_no_key_whatever_the_claims_say()
    {
        ClaimsPrincipal user = new(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "anna")]));

        Assert.False(PeerIdentity.IsKnown(user));
        Assert.Null(PeerIdentity.KeyOf(user));
        Assert.Null(PeerIdentity.KeyOf(new GenericIdentityOf("anna", isAuthenticated: false)));
        Assert.Null(PeerIdentity.KeyOf(null));
    }

    [Fact]
    public void The_first_identity_that_identifies_the_user_counts()
    {
        ClaimsPrincipal user = new([
            new ClaimsIdentity([new Claim("sub", "not logged in")]),
            new ClaimsIdentity([new Claim("sub", "")], "test"),
            new ClaimsIdentity([new Claim("sub", "anna")], "test"),
        ]);

        Assert.Equal(PeerIdentity.KeyOf(User(new Claim("sub", "anna"))), PeerIdentity.KeyOf(user));
    }

    [Fact]
    public void Identities_of_other_kinds_are_known_by_their_name_and_their_kind()
    {
        object? key = PeerIdentity.KeyOf(new GenericIdentityOf("anna", isAuthenticated: true));

        Assert.NotNull(key);
        Assert.Equal(key, PeerIdentity.KeyOf(new GenericIdentityOf("anna", isAuthenticated: true)));
        Assert.NotEqual(key, PeerIdentity.KeyOf(new GenericIdentityOf("berta", isAuthenticated: true)));
    }

    [Fact]
    public void A_TLS_peer_without_a_certificate_is_nobody_else()
    {
        CoapTlsIdentity one = Tls(null, "a.example");

        Assert.False(one.IsKnown);
        Assert.Equal(one, one);
        Assert.NotEqual(one, Tls(null, "a.example"));
        Assert.Null(PeerIdentity.KeyOf(one));
    }

    [Fact]
    public void A_TLS_peer_with_a_certificate_is_the_same_whatever_server_name_it_asks_for()
    {
        using TlsCertificates certificates = new();
        using X509Certificate2 device = certificates.Client("device");
        using X509Certificate2 another = certificates.Client("another");

        CoapTlsIdentity one = Tls(device, "a.example");
        CoapTlsIdentity other = Tls(device, "b.example");

        Assert.Equal(one, other);
        Assert.Equal(one.GetHashCode(), other.GetHashCode());
        Assert.NotEqual(one, Tls(another, "a.example"));
    }

    private static CoapTlsIdentity Tls(X509Certificate2? certificate, string serverName) =>
        new(certificate, serverName, SslProtocols.Tls13, TlsCipherSuite.TLS_AES_256_GCM_SHA384);

    private static ClaimsPrincipal User(Claim claim) => new(new ClaimsIdentity([claim], "test"));

    private sealed class GenericIdentityOf(string? name, bool isAuthenticated) : IIdentity
    {
        public string? AuthenticationType => "test";

        public bool IsAuthenticated => isAuthenticated;

        public string? Name => name;
    }
}
