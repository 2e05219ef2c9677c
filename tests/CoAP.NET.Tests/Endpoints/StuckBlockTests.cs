using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Blocks of users that hold items when a server stops, on virtual time.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class StuckBlockTests : EndpointTest
{
    private readonly TaskCompletionSource _goesOn = new(RunContinuationsAsynchronously);
    private int _held;

    [Theory]
    [InlineData("MessagingToExchanges")]
    [InlineData("ExchangesToResource")]
    [InlineData("ResourceToExchanges")]
    [InlineData("ExchangesToMessaging")]
    public async Task A_request_in_a_block_that_never_completes_gets_5_03_after_the_grace_period(string link)
    {
        Insert(link);
        Server.MapGet("/x", static () => "x");
        await StartAsync();
        Transport.Receive(Peer, "40010001b178");
        await Eventually.IsTrueAsync(() => Volatile.Read(ref _held) == 1);

        await Clock.AdvanceUntilAsync(Server.StopAsync(), FromSeconds(30));

        Assert.Contains(Transport.TakeSent(),
            static hex => hex[2..4] == "a3" && hex.EndsWith("d10105", Ordinal));
        Assert.Single(Logs.Entries, static entry => entry.Id.Id == 1603).Text.Mentions("to");

        // What the block has comes too late: it is counted, and sent to no one.
        _goesOn.SetResult();
        await Eventually.IsTrueAsync(() => Server.Counters[CoapCounter.Declined] == 1);
        Transport.HasSentNothing();
    }

    [Theory]
    [InlineData("TransportToChannel")]
    [InlineData("ChannelToTransport")]
    public async Task Datagrams_that_leave_a_stuck_block_after_the_stop_are_counted_as_declined(string link)
    {
        Insert(link);
        Server.MapGet("/x", static () => "x");
        await StartAsync();
        for (int i = 0; i < 3; i++)
        {
            Transport.Receive(Peer, $"4001000{i}b178");
        }

        await Eventually.IsTrueAsync(() => Volatile.Read(ref _held) == 1);
        await Clock.AdvanceUntilAsync(Server.StopAsync(), FromSeconds(30));
        Transport.HasSentNothing();
        long before = Server.Counters[CoapCounter.Declined];
        _goesOn.SetResult();
        await Eventually.IsTrueAsync(() => Server.Counters[CoapCounter.Declined] >= before + 3);
    }

    [Fact]
    public async Task Cancelling_StopAsync_also_ends_the_grace_period_of_blocks()
    {
        Insert("ExchangesToResource");
        Options.Processes.StopGracePeriod = FromHours(1);
        Server.MapGet("/x", static () => "x");
        await StartAsync();
        Transport.Receive(Peer, "40010001b178");
        await Eventually.IsTrueAsync(() => Volatile.Read(ref _held) == 1);
        using CancellationTokenSource cut = new();
        Task stop = Server.StopAsync(cut.Token);
        Assert.False(stop.IsCompleted);
        await cut.CancelAsync();
        await Clock.AdvanceUntilAsync(stop, FromSeconds(5));
        Assert.Contains(Transport.TakeSent(), static hex => hex[2..4] == "a3");
    }

    [Fact]
    public async Task A_response_inside_a_user_block_completes_its_request_before_the_stop_ends()
    {
        Insert("MessagingToExchanges");
        await StartAsync();
        Task<CoapResponse> request = Server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1:40000/y"));
        string sent = string.Empty;
        await Eventually.IsTrueAsync(() => (sent = Transport.TakeSent().FirstOrDefault(string.Empty)).Length > 0);
        int length = int.Parse(sent[1..2], System.Globalization.CultureInfo.InvariantCulture);
        Transport.Receive(Peer, $"6{length}45{sent[4..8]}{sent.Substring(8, length * 2)}ff79");
        await Eventually.IsTrueAsync(() => Volatile.Read(ref _held) == 1);

        Task stop = Server.StopAsync();
        Assert.False(stop.IsCompleted);
        Assert.False(request.IsCompleted);
        _goesOn.SetResult();

        await Within(request).Says("y");
        await Within(stop);
    }

    [Fact]
    public async Task A_request_received_during_a_stop_is_refused_and_an_earlier_request_inside_a_block_is_served()
    {
        TaskCompletionSource<CoapResult> slow = new(RunContinuationsAsynchronously);
        Insert("ExchangesToResource", passes: "/slow");
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => slow.Task);
        Server.MapGet("/x", static () => "x");
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        await Eventually.IsTrueAsync(() => Server.RequestsServed == 1);
        Transport.Receive(Peer, "40010002b178");
        await Eventually.IsTrueAsync(() => Volatile.Read(ref _held) == 1);

        Task stop = Server.StopAsync();
        Transport.Receive(Peer, "40010003b178");
        Assert.Single(Transport.TakeSent()).Begins("60a30003");
        _goesOn.SetResult();
        await Eventually.IsTrueAsync(() => Server.Counters[CoapCounter.DatagramsSent] == 2);
        Assert.Single(Transport.TakeSent()).Begins("60450002");
        slow.SetResult("done");
        await Within(stop);
        Assert.Single(Transport.TakeSent()).Begins("60450001");
    }

    private void Insert(string link, string? passes = null)
    {
        CoapPipelineOptions pipeline = Options.Pipeline;
        _ = link switch
        {
            "TransportToChannel" => pipeline.Insert(CoapStageLinks.TransportToChannel, () => Block<CoapDatagram>(static _ => true)),
            "MessagingToExchanges" => pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => Block<CoapInbound>(static _ => true)),
            "ExchangesToResource" => pipeline.Insert(
                CoapStageLinks.ExchangesToResource, () => Block<CoapExchange>(exchange => exchange.Request.Path != passes)),
            "ResourceToExchanges" => pipeline.Insert(CoapStageLinks.ResourceToExchanges, () => Block<CoapServerReply>(static _ => true)),
            "ExchangesToMessaging" => pipeline.Insert(CoapStageLinks.ExchangesToMessaging, () => Block<CoapOutbound>(static _ => true)),
            _ => pipeline.Insert(CoapStageLinks.ChannelToTransport, () => Block<CoapDatagram>(static _ => true)),
        };
    }

    private TransformBlock<T, T> Block<T>(Func<T, bool> holds) => new(async item =>
    {
        if (holds(item))
        {
            Interlocked.Increment(ref _held);
            await _goesOn.Task;
        }

        return item;
    });
}
