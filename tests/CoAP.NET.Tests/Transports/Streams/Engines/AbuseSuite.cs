using System.Net;
using System.Security.Authentication;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>
/// Peers that mean harm, over real connections: what they cost is bounded, they are counted, nobody else notices, and nothing is left of
/// them.
/// </summary>
public abstract class AbuseSuite : ExchangeSuite
{
    /// <summary>GET /big with token cc.</summary>
    private const string GetBig = "4101ccb3626967";

    /// <summary>How many connections there are at a time, where it is about many.</summary>
    protected virtual int Many => 1000;

    [Fact]
    public async Task A_server_on_the_IPv6_wildcard_address_serves_IPv6_and_IPv4()
    {
        await StartAsync("[::]");
        foreach (IPAddress address in (IPAddress[])[IPAddress.Loopback, IPAddress.IPv6Loopback])
        {
            await using AsyncPeer peer = await ConnectRawAsync(address);
            await peer.SendAsync(BareCsm + GetX);
            await peer.ExpectAsync(OurCsm + AnswerX);
        }

        await AssertNothingLeftAsync();
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("00e4", false)]
    [InlineData("", true)]
    public async Task A_peer_that_never_reads_is_paused_and_closed_and_other_peers_are_served(string last, bool ends)
    {
        const int body = 64 * 1024;
        Options.Limits.Connections.SendQueueSize = body;
        int served = 0;
        Server.MapGet("/big", () =>
        {
            Interlocked.Increment(ref served);
            return CoapResults.Bytes(new byte[body]);
        });
        await StartAsync();
        await using AsyncPeer deaf = await ConnectAsync(receiveBuffer: 8192);
        CoapConnection connection = Assert.Single(Connections);

        await deaf.SendAsync(string.Concat(Enumerable.Repeat(GetBig, 2000)));
        await UntilAsync(CoapCounter.ReadingPauses, 1);
        await deaf.SendAsync(last);
        if (ends)
        {
            deaf.EndSending();
        }

        for (int i = 0; i < 200; i++)
        {
            await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        }

        long waiting = 0;
        await UntilAsync(() => (waiting = connection.Progress.BytesWaiting) > 0, static () => "Nothing waits.");
        Assert.InRange(waiting, 1, 5 * body);
        Assert.InRange(Volatile.Read(ref served), 1, 500);
        await PassUntilAsync(Options.Transports.Streams.SendTimeout, CoapCounter.SlowConnections, 1);
        await UntilAsync(CoapCounter.ConnectionsClosed, 1);
        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_peer_that_reads_slowly_gets_every_response_once_and_whole()
    {
        Options.Limits.Connections.SendQueueSize = 16 * 1024;
        Server.MapGet("/n/{n}",
            static request =>
                CoapResults.Bytes(Frames.Bytes(40_000, int.Parse(request.Route["n"]!, System.Globalization.CultureInfo.InvariantCulture))));
        await StartAsync();
        await using AsyncPeer slow = await ConnectAsync(receiveBuffer: 8192);
        string[] requests = [.. Enumerable.Range(0, 200).Select(static i =>
        {
            CoapMessage request = Frames.Request(CoapMethod.Get, "n", token: $"{i:x2}");
            request.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes($"{i}"));
            return Frames.Write(request);
        })];

        await slow.SendAsync(string.Concat(requests));
        await UntilAsync(CoapCounter.ReadingPauses, 1);
        HashSet<int> answered = [];
        for (int i = 0; i < requests.Length; i++)
        {
            CoapMessage answer = await slow.ReadMessageAsync();
            int token = Assert.Single(answer.Token.ToArray());
            Assert.True(answered.Add(token));
            Assert.True(answer.Payload.Span.SequenceEqual(Frames.Bytes(40_000, token)));
        }

        await UntilAsync(() => !Assert.Single(Connections).IsCongested, static () => "It is still congested.");
    }

    [Fact]
    public async Task Silent_connections_are_aborted_when_no_CSM_arrives()
    {
        Options.Limits.Connections.MaxCountPerSource = 10_000;
        await StartAsync();
        List<AsyncPeer> silent = [];
        for (int i = 0; i < Many; i++)
        {
            silent.Add(await ConnectRawAsync());
        }

        await UntilAsync(CoapCounter.ConnectionsAccepted, Many);
        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        Assert.Equal(Many + 1, Server.Endpoint.Connections.Count);
        await PassUntilAsync(Options.Transports.Streams.CsmTimeout, CoapCounter.ConnectionsClosed, Many);
        Assert.Equal(Many, Count(CoapCounter.SlowConnections));
        Assert.Equal(Many, Count(CoapCounter.ConnectionsAborted));
        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        Assert.Equal(CoapCode.Abort, (await silent[0].ReadAbortAsync()).Code);
        foreach (AsyncPeer peer in silent)
        {
            await peer.ReadToAnyEndAsync();
            await peer.DisposeAsync();
        }

        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_connection_above_MaxCount_is_closed_until_another_connection_ends()
    {
        Options.Limits.Connections.MaxCount = 3;
        await StartAsync();
        List<AsyncPeer> peers = [await ConnectAsync(), await ConnectAsync(), await ConnectAsync()];

        Assert.True(await IsRefusedAsync());
        Assert.Equal(1, Count(CoapCounter.ConnectionsRefused));
        await peers[0].DisposeAsync();
        await UntilAsync(CoapCounter.ConnectionsClosed, 1);
        peers[0] = await ConnectAsync();
        foreach (AsyncPeer peer in peers)
        {
            await peer.SendAsync(GetX);
            await peer.ExpectAsync(AnswerX);
            await peer.DisposeAsync();
        }

        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_connection_above_MaxCountPerSource_is_closed_but_other_addresses_can_connect()
    {
        Options.Limits.Connections.MaxCountPerSource = 2;
        await StartAsync();
        await using AsyncPeer first = await ConnectAsync();
        await using AsyncPeer second = await ConnectAsync();

        Assert.True(await IsRefusedAsync());
        if (OperatingSystem.IsMacOS())
        {
            // 127.0.0.2 must be set up there first.
            return;
        }

        Assert.False(await IsRefusedAsync(IPAddress.Parse("127.0.0.2")));
        Assert.Equal(1, Count(CoapCounter.ConnectionsRefused));
        Assert.Equal(3, Count(CoapCounter.ConnectionsAccepted));
    }

    /// <summary>Whether a further connection is not served.</summary>
    private async Task<bool> IsRefusedAsync(IPAddress? from = null)
    {
        try
        {
            await using AsyncPeer peer = await ConnectRawAsync(from: from);
            await peer.SendAsync(BareCsm + GetX);
            return await peer.ReceiveHexAsync(9) != OurCsm;
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            return true;
        }
    }
}
