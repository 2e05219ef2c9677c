using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.Running;

public sealed class SourceAddressesTests
{
    private static readonly LoadPlan s_plan = new() { Uri = "coap://127.0.0.1/x", Peers = 1 };

    [Theory]
    [InlineData(0, "127.1.0.1")]
    [InlineData(253, "127.1.0.254")]
    [InlineData(254, "127.1.1.1")]
    [InlineData(65_024, "127.2.0.1")]
    [InlineData(999_999, "127.16.96.255")]
    public void Peers_of_a_loopback_target_have_consecutive_addresses(int peer, string expected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs all loopback addresses");
        SourceAddresses sources = SourceAddresses.Of(s_plan, IPAddress.Loopback)!;
        IPAddress address = sources.Of(peer);
        Assert.DoesNotContain((int)address.GetAddressBytes()[3], new[] { 0, 255 });
        if (!expected.EndsWith(".255", Ordinal))
        {
            Assert.Equal(expected, address.ToString());
        }
    }

    [Fact]
    public void No_two_peers_have_the_same_address()
    {
        SourceAddresses sources = SourceAddresses.Of(s_plan with { FirstSource = "127.1.0.7" }, IPAddress.Loopback)!;
        Assert.Equal("127.1.0.7", sources.Of(0).ToString());
        Assert.Equal(100_000, Enumerable.Range(0, 100_000).Select(sources.Of).Distinct().Count());
    }

    [Fact]
    public void The_peers_of_another_worker_continue_the_address_sequence()
    {
        SourceAddresses sources = SourceAddresses.Of(s_plan with { FirstSource = "127.1.0.1", FirstPeer = 1000, Peers = 10 },
            IPAddress.Loopback)!;
        Assert.Equal("127.1.3.239", sources.Of(1000).ToString());
    }

    [Fact]
    public void Peers_have_no_source_addresses_without_a_loopback_target() =>
        Assert.All(new[] { "192.0.2.1", "::1", "2001:db8::1" },
            target => Assert.Null(SourceAddresses.Of(s_plan, IPAddress.Parse(target))));

    [Theory]
    [InlineData("nonsense", "127.0.0.1")]
    [InlineData("127.1.0.1", "::1")]
    [InlineData("192.0.2.1", "127.0.0.1")]
    public void An_unusable_source_address_is_refused(string source, string target) =>
        Assert.Throws<ArgumentException>(() => SourceAddresses.Of(s_plan with { FirstSource = source }, IPAddress.Parse(target)));

    [Fact]
    public void The_number_of_peers_is_limited_to_the_available_addresses() =>
        Assert.Throws<ArgumentException>(
            () => SourceAddresses.Of(s_plan with { FirstSource = "127.255.255.200", Peers = 100 }, IPAddress.Loopback));
}
