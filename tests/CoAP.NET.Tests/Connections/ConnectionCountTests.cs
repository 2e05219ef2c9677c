using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;
using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Connections;

// What is told of connections adds up, and nothing that is told of them is lost to a logger.
public sealed class ConnectionCountTests : ConnectionTest
{
    [Theory]
    [InlineData(CoapSocketEngine.Auto)]
    [InlineData(CoapSocketEngine.Portable)]
    public async Task Every_connection_of_a_flood_is_refused_or_closed_exactly_once(CoapSocketEngine engine)
    {
        const int Count = 300;
        const int Most = 40;
        Options.Limits.Connections.MaxCount = Most;
        CoapTcpTransportOptions options = new() { Engine = engine };
        options.Endpoints.Add(new IPEndPoint(IPAddress.Loopback, 0));
        CoapTcpTransport tcp = new(options);
        Server.Endpoint.AddTransport(tcp);
        await Server.StartAsync();
        CoapCounters counters = Server.Endpoint.Counters;
        IPEndPoint at = new(IPAddress.Loopback, tcp.LocalAddresses[0].Port);
        StreamPeer[] peers = await Task.WhenAll(Enumerable.Range(0, Count).Select(_ => StreamPeer.ConnectAsync(at)));
        await UntilAsync(() => counters[CoapCounter.ConnectionsAccepted] + counters[CoapCounter.ConnectionsRefused] == Count);
        Assert.Equal(Most, counters[CoapCounter.ConnectionsAccepted] - counters[CoapCounter.ConnectionsClosed]);

        for (int i = 0; i < Count; i += 2)
        {
            peers[i].Reset();
        }

        await UntilAsync(() => counters[CoapCounter.ConnectionsClosed] > 0);
        await Server.DisposeAsync();

        Assert.Equal(Most, counters[CoapCounter.ConnectionsAccepted]);
        Assert.Equal(Most, counters[CoapCounter.ConnectionsClosed]);
        Array.ForEach(peers, static peer => peer.Dispose());
    }

    [Fact]
    public async Task An_exception_of_the_logger_does_not_stop_a_transport()
    {
        ListLogger log = new();
        Options.LoggerFactory = log;
        await StartStreamsAsync();
        DirectConnection broken = Connect();
        DirectConnection lost = Connect();
        log.Throws = true;

        // A token of 15 bytes in the length of the token is none.
        broken.Receive("0f01");
        lost.Break(new IOException("gone"));

        Assert.Single(broken.TakeSent()).Begins("d");
        Assert.True(broken.IsClosed);
        Assert.Equal(2, Server.Endpoint.Counters[CoapCounter.ConnectionsClosed]);
        Assert.True(Server.Endpoint.Counters[CoapCounter.StageErrors] > 0);
        log.Throws = false;
    }

    private static Task UntilAsync(Func<bool> condition) => Eventually.IsTrueAsync(condition);
}
