using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>A server that stops in order keeps its sessions open until what is inside of blocks of users has left.</summary>
/// <remarks>Real clock: sockets, and blocks with tasks of their own. No time is asserted.</remarks>
public sealed class StoppingBlocksTests
{
    private static readonly TimeSpan s_hangLimit = FromMinutes(2);

    private volatile TaskCompletionSource? _closed;
    private int _held;

    [Theory]
    [InlineData("TransportToChannel")]
    [InlineData("SerializerToMessaging")]
    [InlineData("ExchangesToResource")]
    [InlineData("ResourceToExchanges")]
    [InlineData("MessagingToSerializer")]
    [InlineData("ChannelToTransport")]
    public async Task Requests_inside_a_user_block_are_answered_before_the_sessions_are_closed(string link)
    {
        await using SecureEndpoints secure = new(endpoint: options =>
        {
            options.Processes.StopGracePeriod = FromMinutes(5);
            Insert(options.Pipeline, link);
        });
        await secure.StartAsync();
        CoapClient client = secure.Client(endpoint: options => options.Parameters = new() { NStart = 8 });
        await client.GetAsync($"{secure.Host}/hello").WaitAsync(s_hangLimit).Says("hello");
        long received = secure.Server.Counters[CoapCounter.DatagramsReceived];

        TaskCompletionSource closed = new(RunContinuationsAsynchronously);
        _closed = closed;
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 8).Select(_ => client.GetAsync($"{secure.Host}/hello"))];
        await Eventually.IsTrueAsync(
            () => secure.Server.Counters[CoapCounter.DatagramsReceived] >= received + 8 && Volatile.Read(ref _held) > 0);
        Task stop = secure.Server.StopAsync();
        Assert.False(stop.IsCompleted);
        closed.SetResult();

        foreach (Task<CoapResponse> request in requests)
        {
            await request.WaitAsync(s_hangLimit).Says("hello");
        }

        await stop.WaitAsync(s_hangLimit);
        Assert.Empty(secure.Server.Endpoint.ConnectedPeers);
    }

    private void Insert(CoapPipelineOptions pipeline, string link)
    {
        switch (link)
        {
            case "TransportToChannel":
                pipeline.Insert(CoapStageLinks.TransportToChannel, Block<CoapDatagram>);
                break;
            case "SerializerToMessaging":
                pipeline.Insert(CoapStageLinks.SerializerToMessaging, Block<CoapInbound>);
                break;
            case "ExchangesToResource":
                pipeline.Insert(CoapStageLinks.ExchangesToResource, Block<CoapExchange>);
                break;
            case "ResourceToExchanges":
                pipeline.Insert(CoapStageLinks.ResourceToExchanges, Block<CoapServerReply>);
                break;
            case "MessagingToSerializer":
                pipeline.Insert(CoapStageLinks.MessagingToSerializer, Block<CoapOutbound>);
                break;
            default:
                pipeline.Insert(CoapStageLinks.ChannelToTransport, Block<CoapDatagram>);
                break;
        }
    }

    private TransformBlock<T, T> Block<T>() => new(async item =>
    {
        if (_closed is { } closed)
        {
            Interlocked.Increment(ref _held);
            await closed.Task;
        }

        return item;
    });
}
