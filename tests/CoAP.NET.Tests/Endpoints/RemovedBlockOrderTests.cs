using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>
/// Blocks that are removed while the endpoint runs and have items in them: rule 1 of docs/custom-blocks.md holds. On real sockets; waits
/// for events only.
/// </summary>
public sealed class RemovedBlockOrderTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    public static TheoryData<string, bool> Links => new(
        from link in typeof(CoapStageLinks).GetProperties() from isStream in (bool[])[false, true] select (link.Name, isStream));

    [Theory]
    [MemberData(nameof(Links))]
    public async Task Nothing_overtakes_the_items_in_a_removed_block(string name, bool isStream)
    {
        // The link has one of five types of items.
        Task test = typeof(CoapStageLinks).GetProperty(name)!.GetValue(null) switch
        {
            CoapStageLink<CoapDatagram> link => RemoveAsync(link, isStream),
            CoapStageLink<CoapInbound> link => RemoveAsync(link, isStream),
            CoapStageLink<CoapExchange> link => RemoveAsync(link, isStream),
            CoapStageLink<CoapServerReply> link => RemoveAsync(link, isStream),
            CoapStageLink<CoapOutbound> link => RemoveAsync(link, isStream),
            _ => throw new InvalidOperationException($"{name} has another type."),
        };
        await test;
    }

    [Theory]
    [InlineData(nameof(CoapStageLinks.TransportToChannel))]
    [InlineData(nameof(CoapStageLinks.ChannelToSerializer))]
    [InlineData(nameof(CoapStageLinks.SerializerToMessaging))]
    public async Task A_request_does_not_overtake_the_CSM_in_a_removed_block(string name)
    {
        await using CoapServer server = await StartAsync(isStream: true);
        Holding held = new();
        IAsyncDisposable inserted = typeof(CoapStageLinks).GetProperty(name)!.GetValue(null) switch
        {
            CoapStageLink<CoapDatagram> link => server.Endpoint.Insert(link, held.Block<CoapDatagram>),
            CoapStageLink<CoapInbound> link => server.Endpoint.Insert(link, held.Block<CoapInbound>),
            _ => throw new InvalidOperationException($"{name} has another type."),
        };
        await using RawCoapClient peer = await RawCoapClient.ConnectAsync(server, isStream: true);
        await peer.SendCsmAsync();
        await Eventually.IsTrueAsync(() => held.Count > 0);
        Task removal = inserted.DisposeAsync().AsTask();
        await peer.GetAsync(1);

        Assert.False(removal.IsCompleted);
        held.Release();
        await removal.WaitAsync(s_hang);
        Assert.Equal(CoapCode.Content, (await peer.ReadResponsesAsync(1))[0].Code);
    }

    [Fact]
    public async Task What_arrives_during_the_removal_of_a_block_is_bounded_and_connections_lose_nothing()
    {
        const int Requests = RemovalQueue<CoapInbound>.MaxCount + 200;
        await using CoapServer server = await StartAsync(isStream: true);
        Holding held = new();
        IAsyncDisposable inserted = server.Endpoint.Insert(CoapStageLinks.MessagingToExchanges, held.Block<CoapInbound>);
        await using RawCoapClient peer = await RawCoapClient.ConnectAsync(server, isStream: true);
        await peer.SendCsmAsync();
        await peer.GetAsync(0);
        await Eventually.IsTrueAsync(() => held.Count > 0);
        Task removal = inserted.DisposeAsync().AsTask();
        for (int i = 1; i < Requests; i++)
        {
            await peer.GetAsync(i);
        }

        await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.ReadingPauses] > 0);
        held.Release();
        await removal.WaitAsync(s_hang);
        List<CoapMessage> responses = await peer.ReadResponsesAsync(Requests);
        Assert.All(responses, static response => Assert.Equal(CoapCode.Content, response.Code));
        Assert.Equal(Enumerable.Range(0, Requests), responses.Select(RawCoapClient.NumberOf));
        Assert.Equal(0, server.Counters[CoapCounter.Declined]);
    }

    [Fact]
    public async Task A_stop_during_the_removal_of_a_block_loses_nothing()
    {
        CoapServer server = await StartAsync(isStream: false);
        await using (server)
        {
            Holding held = new();
            IAsyncDisposable inserted = server.Endpoint.Insert(CoapStageLinks.ExchangesToResource, held.Block<CoapExchange>);
            await using RawCoapClient peer = await RawCoapClient.ConnectAsync(server, isStream: false);
            await peer.GetAsync(1);
            await Eventually.IsTrueAsync(() => held.Count > 0);
            Task removal = inserted.DisposeAsync().AsTask();
            await peer.GetAsync(2);
            await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.RequestsReceived] == 2);
            Task stop = server.StopAsync();
            held.Release();
            await Task.WhenAll(removal, stop).WaitAsync(s_hang);
            Assert.Equal([CoapCode.Content, CoapCode.Content], (await peer.ReadResponsesAsync(2)).Select(static response => response.Code));
        }
    }

    private static async Task RemoveAsync<T>(CoapStageLink<T> link, bool isStream)
    {
        // The same items in front of the removed block and behind it.
        ConcurrentQueue<T> before = [];
        ConcurrentQueue<T> behind = [];
        await using CoapServer server = await StartAsync(
            isStream, options => options.Pipeline.Insert(link, () => new PassBlock<T>(before.Enqueue)));
        Holding held = new();
        IAsyncDisposable removed = server.Endpoint.Insert(link, held.Block<T>);
        server.Endpoint.Insert(link, () => new PassBlock<T>(behind.Enqueue));
        await using RawCoapClient peer = await RawCoapClient.ConnectAsync(server, isStream);
        await peer.SendCsmAsync();
        await peer.GetAsync(1);
        await Eventually.IsTrueAsync(() => held.Count > 0);
        Task removal = removed.DisposeAsync().AsTask();
        int atBegin = before.Count;
        for (int i = 2; i < 5; i++)
        {
            await peer.GetAsync(i);
        }

        // Nothing arrives at the later links while the CSM is in a block of the first ones.
        await Eventually.IsTrueAsync(() => before.Count > atBegin);
        Assert.False(removal.IsCompleted);
        held.Release();
        await removal.WaitAsync(s_hang);
        Assert.All(await peer.ReadResponsesAsync(4), static response => Assert.Equal(CoapCode.Content, response.Code));
        await Eventually.IsTrueAsync(() => before.Count == behind.Count);
        Assert.Equal(before.Where(IsMessage), behind.Where(IsMessage));
        Assert.Equal(0, server.Counters[CoapCounter.Declined]);

        // Outcomes of sent messages come on other threads, between any two messages.
        static bool IsMessage(T item) => item is not CoapInbound inbound || inbound.Kind == CoapInboundKind.Message;
    }

    private static async Task<CoapServer> StartAsync(bool isStream, Action<CoapEndpointOptions>? change = null)
    {
        // An acknowledgement of its own would be one more item.
        CoapEndpointOptions options = new() { Parameters = new() { PiggybackWindow = s_hang } };
        options.Processes.StopGracePeriod = s_hang;
        options.Limits.Connections.MaxRequests = 10_000;
        change?.Invoke(options);
        CoapServer server = new(options);
        server.MapGet("/x", static () => "here");
        server.Listen(isStream ? "coap+tcp://127.0.0.1:0" : "coap://127.0.0.1:0");
        await server.StartAsync();
        return server;
    }

    /// <summary>A block of the application with a queue, which passes nothing on before it is released.</summary>
    private sealed class Holding
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public void Release() => _released.SetResult();

        public TransformBlock<T, T> Block<T>() => new(async item =>
        {
            Interlocked.Increment(ref _count);
            await _released.Task;
            return item;
        });
    }
}
