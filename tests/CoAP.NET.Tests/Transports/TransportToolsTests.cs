using System.Net;
using CoAP.NET.Identity;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports;

/// <summary>What transports of others have besides their context: pools, keyed hashes, rules of sources.</summary>
public sealed class TransportToolsTests
{
    private static readonly CoapAddress s_remote = CoapAddress.Of(IPAddress.Parse("2001:db8::1"), 5683);
    private static readonly CoapAddress s_local = CoapAddress.Of(IPAddress.Parse("2001:db8::2"), 5683);

    [Fact]
    public void A_pool_reuses_a_returned_buffer_with_length_0()
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
    public void A_pool_with_an_invalid_size_or_capacity_is_refused(int size, int capacity) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapDatagramPool(size, capacity));

    [Fact]
    public void CoapAddressHash_is_keyed_and_distinguishes_ports_paths_and_sources()
    {
        CoapAddressHash hash = new(new VirtualRandom(1));

        Assert.Equal(hash.Of(s_remote), hash.Of(s_remote with { }));
        Assert.NotEqual(new CoapAddressHash(new VirtualRandom(2)).Of(s_remote), hash.Of(s_remote));
        Assert.NotEqual(hash.Of(s_remote with { Port = 5684 }), hash.Of(s_remote));
        Assert.NotEqual(hash.Of(s_remote, s_local), hash.Of(s_remote, s_local with { Port = 5684 }));
        Assert.NotEqual(0UL, hash.Of(s_remote, s_local));
        Assert.Equal(
            hash.Of(CoapSourceGroupingRule.Default.Of(s_remote)),
            hash.Of(CoapSourceGroupingRule.Default.Of(s_remote with { Low = 77, Port = 1 })));
    }

    [Theory]
    [InlineData(31)]
    [InlineData(65)]
    public void CoapSourceRule_accepts_prefixes_of_32_to_64_bits_only(int length) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapSourceGroupingRule(length, []));

    [Fact]
    public void Addresses_with_different_scope_IDs_have_different_binary_forms()
    {
        byte[] one = new byte[CoapAddress.BinaryLength];
        byte[] other = new byte[CoapAddress.BinaryLength];
        s_remote.WriteTo(one);
        (s_remote with { ScopeId = 1 }).WriteTo(other);

        Assert.NotEqual(one, other);
        Assert.Throws<ArgumentException>("destination", () => s_remote.WriteTo(new byte[CoapAddress.BinaryLength - 1]));
    }

    [Fact]
    public void A_clone_of_CoapUdpTransportOptions_shares_no_list()
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
    public void The_transport_context_interfaces_have_no_default_members_except_counting()
    {
        Type[] contexts = [.. typeof(ICoapTransportContext).Assembly.GetExportedTypes()
            .Where(static type => type.IsAssignableTo(typeof(ICoapTransportContext)))];

        Assert.Equal(4, contexts.Length);
        Assert.All(contexts, static type => Assert.True(type.IsInterface, type.Name));

        // These count by an abstract member.
        string[] counting = ["CountSent", "CountSendError", "CountLost"];
        Assert.All(
            contexts.SelectMany(static type => type.GetMethods()),
            method => Assert.True(method.IsAbstract || counting.Contains(method.Name), method.Name));
    }

    [Fact]
    public void CountSent_CountSendError_and_CountLost_increase_the_counters()
    {
        RecordingContext recording = new(TimeProvider.System);
        ICoapTransportContext context = recording;
        context.CountSent(3);
        context.CountSent(4);
        context.CountSendError();
        context.CountLost(2);

        Assert.Equal("DatagramsSent 2, BytesSent 7, KernelDrops 2, SendErrors 1", recording.Counters.ToString());
        Assert.Equal((2, 7), (recording.Counters["DatagramsSent"], recording.Counters["BytesSent"]));
        Assert.Throws<ArgumentException>(() => { _ = recording.Counters["Datagrams"]; });
        Assert.Throws<ArgumentException>(() => { _ = recording.Counters["999"]; });
    }
}
