using System.Net;
using System.Security.Claims;

namespace CoAP.NET.Tests.Guarding;

/// <summary>Who counts as one.</summary>
public sealed class CoapQuotaSourceTests
{
    private static readonly CoapSourceGroupingRule s_rule = new(
        CoapPeerStateLimits.DefaultSourcePrefixLength, [IPNetwork.Parse("10.0.0.0/8"), IPNetwork.Parse("fd00:1::/32")]);

    [Theory]
    [InlineData("192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1")]
    [InlineData("10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.1")]
    [InlineData("2001:db8:0:17f::1", "2001:db8:0:100::2", "2001:db8:0:200::1", "2001:db8:0:100::/56")]
    [InlineData("fd00:1::1", "fd00:1::1", "fd00:1::2", "fd00:1::1")]
    [InlineData("fe80::1%3", "fe80::1%3", "fe80::1%4", "fe80::1%3")]
    [InlineData("64:ff9b::192.0.2.1", "192.0.2.1", "64:ff9b::192.0.2.2", "192.0.2.1")]
    [InlineData("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1")]
    public void A_source_is_an_address_without_its_port_or_the_prefix_of_a_customer(string address, string same, string other, string text)
    {
        CoapQuotaSource source = Of(address, 1);

        Assert.Equal(source, Of(same, 2));
        Assert.Equal(source.GetHashCode(), Of(same, 2).GetHashCode());
        Assert.NotEqual(source, Of(other, 1));
        Assert.Equal(text, source.ToString());
    }

    [Fact]
    public void The_limits_define_how_many_address_bits_identify_a_source()
    {
        CoapSourceGroupingRule narrow = new(64, []);
        CoapSourceGroupingRule wide = new(48, []);
        CoapAddress one = Address("2001:db8:0:101::1", 1);
        CoapAddress two = Address("2001:db8:0:102::1", 1);
        CoapAddress far = Address("2001:db8:0:f000::1", 1);
        Assert.Equal(s_rule.Of(one), s_rule.Of(two));
        Assert.NotEqual(s_rule.Of(one), s_rule.Of(far));
        Assert.NotEqual(narrow.Of(one), narrow.Of(two));
        Assert.Equal(wide.Of(one), wide.Of(far));
    }

    [Fact]
    public void Peers_with_the_same_authenticated_identity_are_one_source_from_any_address()
    {
        CoapQuotaSource source = s_rule.Of(Address("192.0.2.1", 1), User("Basic", "ann"));

        Assert.Equal(source, s_rule.Of(Address("198.51.100.1", 1), User("Basic", "ann")));
        Assert.NotEqual(source, s_rule.Of(Address("192.0.2.1", 1), User("Basic", "bob")));
        Assert.NotEqual(source, Of("192.0.2.1", 1));
        Assert.Equal(IPAddress.Parse("192.0.2.1"), source.Address);
    }

    [Fact]
    public void An_unauthenticated_peer_is_a_source_by_its_address()
    {
        CoapQuotaSource anonymous = s_rule.Of(
            Address("192.0.2.1", 1), new CoapUserPeerIdentity(new ClaimsPrincipal(new ClaimsIdentity())).Id);

        Assert.Equal(Of("192.0.2.1", 9), anonymous);
        Assert.Null(anonymous.Identity);
    }

    private static CoapPeerId? User(string scheme, string name) =>
        new CoapUserPeerIdentity(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, name)], scheme))).Id;

    private static CoapAddress Address(string address, ushort port) => CoapAddress.Of(IPAddress.Parse(address), port);

    private static CoapQuotaSource Of(string address, ushort port) => s_rule.Of(Address(address, port));
}
