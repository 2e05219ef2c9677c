using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What the table of docs/custom-blocks.md says about a block that drops an item.</summary>
public sealed class DroppedItemTests
{
    // Here the message counts as received, and there are no bytes yet that a copy could be answered with.
    private static readonly HashSet<string> s_unanswered = [
        nameof(CoapStageLinks.MessagingToExchanges), nameof(CoapStageLinks.ExchangesToResource),
        nameof(CoapStageLinks.ResourceToExchanges), nameof(CoapStageLinks.ExchangesToMessaging),
        nameof(CoapStageLinks.MessagingToSerializer)];

    public static TheoryData<string> Links => [.. typeof(CoapStageLinks).GetProperties().Select(static link => link.Name)];

    [Theory]
    [MemberData(nameof(Links))]
    public async Task A_dropped_item_of_a_datagram_is_lost_as_in_the_network_or_never_answered(string name)
    {
        Dropping dropping = new();
        await using CoapServer server = await StartAsync(name, dropping, isStream: false);
        await using RawCoapClient client = await RawCoapClient.ConnectAsync(server, isStream: false);
        dropping.DropNext();
        await client.GetAsync(1, CoapMessageType.Confirmable);
        await Eventually.IsTrueAsync(() => dropping.Dropped == 1);
        await client.GetAsync(2, CoapMessageType.Confirmable);
        Assert.Equal(2, RawCoapClient.NumberOf((await client.ReadResponsesAsync(1))[0]));

        // The copy that a client sends. It may be acknowledged and not answered.
        await client.GetAsync(1, CoapMessageType.Confirmable);
        await client.GetAsync(3, CoapMessageType.Confirmable);
        CoapMessage response;
        do
        {
            response = (await client.ReadResponsesAsync(1))[0];
        }
        while (response.Code == CoapCode.Empty);
        Assert.Equal(s_unanswered.Contains(name) ? 3 : 1, RawCoapClient.NumberOf(response));
    }

    [Theory]
    [MemberData(nameof(Links))]
    public async Task A_dropped_item_of_a_connection_is_never_answered_and_the_connection_goes_on(string name)
    {
        Dropping dropping = new();
        await using CoapServer server = await StartAsync(name, dropping, isStream: true);
        await using RawCoapClient client = await RawCoapClient.ConnectAsync(server, isStream: true);
        await client.SendCsmAsync();
        await client.GetAsync(1);
        await client.ReadResponsesAsync(1);
        dropping.DropNext();
        await client.GetAsync(2);
        await Eventually.IsTrueAsync(() => dropping.Dropped == 1);
        await client.GetAsync(3);
        CoapMessage response = (await client.ReadResponsesAsync(1))[0];
        Assert.Equal((CoapCode.Content, 3), (response.Code, RawCoapClient.NumberOf(response)));
    }

    [Theory]
    [InlineData(nameof(CoapStageLinks.TransportToChannel))]
    [InlineData(nameof(CoapStageLinks.ChannelToSerializer))]
    [InlineData(nameof(CoapStageLinks.SerializerToMessaging))]
    public async Task A_dropped_CSM_of_the_peer_ends_the_connection(string name)
    {
        Dropping dropping = new();
        await using CoapServer server = await StartAsync(name, dropping, isStream: true);
        await using RawCoapClient client = await RawCoapClient.ConnectAsync(server, isStream: true);
        await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.ConnectionsAccepted] == 1);
        dropping.DropNext();
        await client.SendCsmAsync();
        await Eventually.IsTrueAsync(() => dropping.Dropped == 1);
        await client.GetAsync(1);
        Assert.Equal(CoapCode.Abort, (await client.ReadResponsesAsync(1))[0].Code);
    }

    private static async Task<CoapServer> StartAsync(string name, Dropping dropping, bool isStream)
    {
        // An acknowledgement of its own would be one more item.
        CoapEndpointOptions options = new() { Parameters = new() { PiggybackWindow = FromMinutes(2) } };
        _ = typeof(CoapStageLinks).GetProperty(name)!.GetValue(null) switch
        {
            CoapStageLink<CoapDatagram> link => options.Pipeline.Insert(link, () => new DropBlock<CoapDatagram>(dropping)),
            CoapStageLink<CoapInbound> link => options.Pipeline.Insert(link, () => new DropBlock<CoapInbound>(dropping)),
            CoapStageLink<CoapExchange> link => options.Pipeline.Insert(link, () => new DropBlock<CoapExchange>(dropping)),
            CoapStageLink<CoapServerReply> link => options.Pipeline.Insert(link, () => new DropBlock<CoapServerReply>(dropping)),
            CoapStageLink<CoapOutbound> link => options.Pipeline.Insert(link, () => new DropBlock<CoapOutbound>(dropping)),
            _ => throw new InvalidOperationException($"{name} has another type."),
        };
        CoapServer server = new(options);
        server.MapGet("/x", static () => "here");
        server.Listen(isStream ? "coap+tcp://127.0.0.1:0" : "coap://127.0.0.1:0");
        await server.StartAsync();
        return server;
    }

    private sealed class Dropping
    {
        private int _isNext;
        private int _dropped;

        public int Dropped => Volatile.Read(ref _dropped);

        public void DropNext() => Volatile.Write(ref _isNext, 1);

        public bool Drops(object item)
        {
            // An event without a message is no message.
            if (item is CoapInbound { Kind: not CoapInboundKind.Message } || Interlocked.Exchange(ref _isNext, 0) == 0)
            {
                return false;
            }

            Interlocked.Increment(ref _dropped);
            return true;
        }
    }

    private sealed class DropBlock<T>(Dropping dropping) : CoapInlineBlock<T, T>
    {
        protected override bool Process(T item)
        {
            if (!dropping.Drops(item!))
            {
                return Offer(item);
            }

            (item as IDisposable)?.Dispose();
            return true;
        }
    }
}
