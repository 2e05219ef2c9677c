using System.Net;
using CoAP.NET.Caching;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Machine;

/// <summary>The date is nobody's business: nothing of the protocol depends on it. Time that was slept through has passed.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClockTests
{
    private static readonly IPEndPoint s_peer = IPEndPoint.Parse("192.0.2.9:40000");

    public static TheoryData<int> Years => [10, -10];

    [Theory]
    [MemberData(nameof(Years))]
    [Rfc("7252-4.5-1")]
    public async Task Deduplication_ignores_changes_of_the_date_and_ends_with_the_exchange_lifetime(int years)
    {
        VirtualClock clock = new();
        int runs = 0;
        RecordingTransport transport = new();
        await using CoapServer server =
            new(new CoapEndpointOptions
            {
                TimeProvider = clock,
                Pipeline = { Random = new VirtualRandom(1) },
                Processes = { StopGracePeriod = TimeSpan.Zero },
            });
        server.Endpoint.AddTransport(transport);
        server.MapPost("/c", () => $"{++runs}");
        await server.StartAsync();
        transport.Receive(s_peer, 0x40, 0x02, 0x12, 0x34, 0xb1, (byte)'c');
        clock.JumpWallClock(TimeSpan.FromDays(365 * years));
        transport.Receive(s_peer, 0x40, 0x02, 0x12, 0x34, 0xb1, (byte)'c');
        Assert.Equal(1, runs);
        Assert.Equal(transport.Sent[0], transport.Sent[1]);
        clock.Advance(TimeSpan.FromSeconds(300));
        transport.Receive(s_peer, 0x40, 0x02, 0x12, 0x34, 0xb1, (byte)'c');
        Assert.Equal(2, runs);
    }

    [Theory]
    [MemberData(nameof(Years))]
    public async Task Max_Age_and_Echo_use_the_monotonic_clock_and_not_the_date(int years)
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        int runs = 0;
        await using CoapServer server = new(new CoapEndpointOptions { TimeProvider = clock, Pipeline = { Random = new VirtualRandom(1) } });
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        server.MapGet("/age", () => $"{++runs}"); // Max-Age: 60 s
        server.MapGet("/lock", () => "open").RequireFreshness(TimeSpan.FromSeconds(30));
        await server.StartAsync();
        await using CoapClient client =
            new(new CoapEndpointOptions { TimeProvider = clock, Pipeline = { Random = new VirtualRandom(2) }, Cache = new CoapCache() });
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
        int jumps = 0;
        network.Filter = packet =>
        {
            if (packet.Code == CoapCode.Unauthorized)
            {
                jumps++;
                clock.JumpWallClock(TimeSpan.FromDays(365 * years));
            }

            return NetworkVerdict.Pass;
        };
        Assert.Equal("1", await AskAsync("age"));
        clock.JumpWallClock(TimeSpan.FromDays(365 * years));
        Assert.Equal("1", await AskAsync("age"));
        clock.Advance(TimeSpan.FromSeconds(61));
        Assert.Equal("2", await AskAsync("age"));
        Assert.Equal("open", await AskAsync("lock"));
        Assert.Equal(1, jumps);

        async Task<string> AskAsync(string path) =>
            (await clock.AdvanceUntilAsync(client.GetAsync($"coap://192.0.2.1/{path}"), TimeSpan.FromMinutes(1))).GetText();
    }

    [Fact]
    public async Task Exchanges_end_once_without_a_flood_of_messages_after_the_machine_slept_for_hours()
    {
        JumpingClock clock = new();
        RecordingTransport transport = new();
        await using CoapServer server =
            new(new CoapEndpointOptions
            {
                TimeProvider = clock,
                Pipeline = { Random = new VirtualRandom(1) },
                Processes = { StopGracePeriod = TimeSpan.Zero },
            });
        server.Endpoint.AddTransport(transport);
        int runs = 0;
        server.MapPost("/c", () => $"{++runs}");
        server.MapGet("/n", () => "state").Observable();
        await server.StartAsync();
        for (byte i = 0; i < 50; i++)
        {
            transport.Receive(new IPEndPoint(s_peer.Address, 41_000 + i), 0x41, 0x01, 0x00, i, i, 0x60, 0x51, (byte)'n');
            transport.Receive(s_peer, 0x40, 0x02, 0x01, i, 0xb1, (byte)'c');
        }

        Task<CoapResponse>[] requests = [
            .. Enumerable.Range(0, 50).Select(i => server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, $"coap://198.51.100.{i}/x")))];
        server.Notify("/n");
        int before = transport.Sent.Length;
        clock.Jump(TimeSpan.FromHours(5));

        // A message that waits for its acknowledgement is sent at most once more at the end of a sleep, not as often as it would have been.
        Assert.InRange(transport.Sent.Length - before, 0, 100);
        for (int i = 0; i < 10; i++)
        {
            clock.Jump(TimeSpan.FromMinutes(1));
        }

        Assert.InRange(transport.Sent.Length - before, 0, 100 * 5);
        foreach (Task<CoapResponse> request in requests)
        {
            await Assert.ThrowsAsync<CoapTimeoutException>(() => request.WaitAsync(TimeSpan.FromMinutes(2)));
        }

        Assert.Equal(0, server.ObserverCount);
        transport.Receive(s_peer, 0x40, 0x02, 0x01, 7, 0xb1, (byte)'c');
        Assert.Equal(51, runs);
        Assert.Equal(0, server.Counters[CoapCounter.StageErrors]);
    }
}
