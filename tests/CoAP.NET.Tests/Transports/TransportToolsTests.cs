using System.Net;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports;

/// <summary>What transports of others have besides their context: pools, keyed hashes, rules of sources.</summary>
public sealed class TransportToolsTests
{
    private static readonly CoapAddress s_remote = CoapAddress.Of(IPAddress.Parse("2001:db8::1"), 5683);
    private static readonly CoapAddress s_local = CoapAddress.Of(IPAddress.Parse("2001:db8::2"), 5683);

    [Fact]
    public void A_pool_gives_out_again_what_came_back_and_empty()
    {
        CoapDatagramPool pool = new(16);
        CoapDatagram datagram = pool.Rent();
        byte[] buffer = datagram.Buffer;
        datagram.Length = 7;
        datagram.Dispose();

        CoapDatagram again = pool.Rent();
        Assert.Equal((16, 0), (pool.BufferSize, again.Length));
        Assert.Same(buffer, again.Buffer);
        again.Dispose();
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(-1, 1)]
    [InlineData(1, -1)]
    public void A_pool_without_room_is_refused(int size, int capacity) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapDatagramPool(size, capacity));

    [Fact]
    public void A_hash_of_addresses_has_its_own_key_and_tells_ports_paths_and_sources_apart()
    {
        CoapAddressHash hash = new(new VirtualRandom(1));

        Assert.Equal(hash.Of(s_remote), hash.Of(s_remote with { }));
        Assert.NotEqual(new CoapAddressHash(new VirtualRandom(2)).Of(s_remote), hash.Of(s_remote));
        Assert.NotEqual(hash.Of(s_remote with { Port = 5684 }), hash.Of(s_remote));
        Assert.NotEqual(hash.Of(s_remote, s_local), hash.Of(s_remote, s_local with { Port = 5684 }));
        Assert.NotEqual(0UL, hash.Of(s_remote, s_local));
        Assert.Equal(
            hash.Of(CoapSourceRule.Default.Of(s_remote)),
            hash.Of(CoapSourceRule.Default.Of(s_remote with { Low = 77, Port = 1 })));
    }

    [Theory]
    [InlineData(31)]
    [InlineData(65)]
    public void A_rule_of_sources_takes_32_to_64_bits(int length) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapSourceRule(length, []));

    [Fact]
    public void No_two_addresses_are_written_alike()
    {
        byte[] one = new byte[CoapAddress.BinaryLength];
        byte[] other = new byte[CoapAddress.BinaryLength];
        s_remote.WriteTo(one);
        (s_remote with { ScopeId = 1 }).WriteTo(other);

        Assert.NotEqual(one, other);
        Assert.Throws<ArgumentException>("destination", () => s_remote.WriteTo(new byte[CoapAddress.BinaryLength - 1]));
    }

    [Fact]
    public void A_copy_of_options_of_UDP_shares_no_list()
    {
        CoapUdpTransportOptions options = new() { DualMode = false, Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } };
        CoapUdpTransportOptions copy = options.Clone();
        options.Endpoints.Clear();
        options.MulticastGroups.Add(IPAddress.Parse("224.0.1.187"));

        Assert.False(copy.DualMode);
        Assert.Single(copy.Endpoints);
        Assert.Empty(copy.MulticastGroups);
    }

    // What a wrapper forgets would be lost without a word; with no default it does not compile.
    [Fact]
    public void No_member_of_a_context_has_a_default()
    {
        Type[] contexts = [.. typeof(ICoapTransportContext).Assembly.GetExportedTypes()
            .Where(static type => type.IsAssignableTo(typeof(ICoapTransportContext)))];

        Assert.Equal(5, contexts.Length);
        Assert.All(contexts, static type => Assert.True(type.IsInterface, type.Name));
        Assert.All(contexts.SelectMany(static type => type.GetMethods()), static method => Assert.True(method.IsAbstract, method.Name));
    }
}
