using System.Net;
using System.Net.Sockets;
using CoAP.NET.Tests;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Nodes of one machine at one port.</summary>
/// <param name="output">Says why nothing was looked at.</param>
public sealed class SharedPortTests(ITestOutputHelper output)
{
    private const int Devices = 12;
    private static readonly CoapAddress s_any = At("0.0.0.0");

    [Fact]
    public async Task Records_arrive_at_the_node_that_has_their_slot_also_after_nodes_came_and_went()
    {
        if (!SharedPorts.AreSteered)
        {
            output.WriteLine(SharedPorts.Missing);
            return;
        }

        await Eventually.BindsAgainAsync(static async () =>
        {
            await using Site site = await Site.StartAsync(2, Devices, SharedPorts.Free());
            await NothingIsRelayedAsync(site);
            await site.AddAsync();
            await site.FairAsync();
            await NothingIsRelayedAsync(site);

            // The last socket takes the index of the first.
            SiteNode old = site.Nodes[0];
            await old.Cluster.LeaveAsync();
            site.Nodes.RemoveAt(0);
            await old.DisposeAsync();
            await NothingIsRelayedAsync(site);
            site.AssertNobodyShookHandsAgain();
        });
    }

    [Fact]
    public async Task A_process_that_answers_nobody_does_not_keep_the_others_from_what_they_took_over()
    {
        if (!SharedPorts.AreSteered)
        {
            output.WriteLine(SharedPorts.Missing);
            return;
        }

        await Eventually.BindsAgainAsync(static async () =>
        {
            int port = SharedPorts.Free();
            await using Site site = await Site.StartAsync(2, Devices, port);
            using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            SharedPorts.Share(silent);
            silent.Bind(new IPEndPoint(IPAddress.Loopback, port));
            await site.AddAsync();
            await site.FairAsync();
            await NothingIsRelayedAsync(site);
        });
    }

    [Fact]
    public void A_probe_is_answered_within_a_cluster_only()
    {
        byte[] nonce = [.. Enumerable.Range(0, SocketProbe.NonceLength).Select(static i => (byte)i)];
        SocketProbe ours = new(new byte[32]);
        SocketProbe others = new([.. Enumerable.Repeat((byte)1, 32)]);
        CoapNodeId node = CoapNodeId.New();
        byte[] probe = new byte[SocketProbe.Length];
        byte[] answer = new byte[SocketProbe.AnswerLength];
        CoapAddress way = At("127.0.0.9");
        ours.Write(probe, 3, nonce, way, s_any);
        Assert.True(CoapUdpSlotTable.TryReadProbe(probe, out byte index));
        Assert.Equal(3, index);
        Assert.False(others.TryAnswer(probe, node, 2, [s_any], answer));
        Assert.True(ours.TryAnswer(probe, node, 2, [s_any], answer));
        Assert.True(ours.TryRead(answer, nonce, out CoapNodeId read, out int sockets));
        Assert.Equal((node, 2), (read, sockets));

        // It arrived at another endpoint, or somebody takes it for one there.
        Assert.False(ours.TryAnswer(probe, node, 2, [s_any, way], answer));
        Assert.False(ours.TryAnswer(probe, node, 2, [At("127.0.0.1")], answer));
        Assert.False(others.TryRead(answer, nonce, out _, out _));
        Assert.False(ours.TryRead(answer, probe.AsSpan(0, SocketProbe.NonceLength), out _, out _));
        probe[10]++;
        Assert.False(ours.TryAnswer(probe, node, 2, [s_any], answer));
        answer[20]++;
        Assert.False(ours.TryRead(answer, nonce, out _, out _));
    }

    [Theory]
    [InlineData("127.0.0.1", "0.0.0.0 127.0.0.1", "127.0.0.1")]
    [InlineData("127.0.0.9", "127.0.0.1 0.0.0.0", "0.0.0.0")]
    [InlineData("127.0.0.9", "::", "::")]
    [InlineData("127.0.0.9", ":: 0.0.0.0", "0.0.0.0")]
    [InlineData("::1", ":: 0.0.0.0", "::")]
    [InlineData("::1", ":: ::1", "::1")]
    [InlineData("::1", "0.0.0.0 127.0.0.1", "")]
    public void The_endpoint_of_just_the_address_takes_a_datagram_before_one_of_any_address(string to, string bound, string taker)
    {
        CoapAddress expected = taker.Length > 0 ? At(taker) : default;

        Assert.Equal(expected, SharedAddresses.TakerOf(At(to), [.. bound.Split(' ').Select(At)]));
    }

    [Fact]
    public void An_endpoint_of_any_address_is_asked_where_no_other_one_takes_it()
    {
        CoapAddress[] bound = [At("::"), At("0.0.0.0"), At("127.0.0.1"), At("::1")];

        CoapAddress way = Assert.Single(SharedAddresses.WaysTo(bound[1], bound));
        Assert.Equal(127, way.ToIPAddress().GetAddressBytes()[0]);
        Assert.NotEqual(bound[2], way);
        Assert.All(SharedAddresses.WaysTo(bound[0], bound), static one => Assert.False(one.IsIPv4));
        Assert.DoesNotContain(bound[3], SharedAddresses.WaysTo(bound[0], bound));
        Assert.Equal([bound[3]], SharedAddresses.WaysTo(bound[3], bound));
        Assert.Equal(bound[3], SharedAddresses.WaysTo(bound[0], [bound[0]]).First());
        Assert.Equal(bound[2], SharedAddresses.WaysTo(bound[1], [bound[1]]).First());
    }

    // By addresses alone, one of twelve devices would always be at a node that does not have its slot.
    private static async Task NothingIsRelayedAsync(Site site)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        long before;
        do
        {
            guard.Token.ThrowIfCancellationRequested();
            before = Relayed(site);
            await Task.WhenAll(site.Devices.Select(site.AskAsync));
        }
        while (Relayed(site) != before);
    }

    private static CoapAddress At(string address) => CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 5684));

    private static long Relayed(Site site) => site.Nodes.Sum(static node => node.Cluster.GetNodeCounters().Relayed);
}
