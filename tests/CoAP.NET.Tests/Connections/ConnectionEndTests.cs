using System.Net;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

// What waits ends, whatever happens to its connection, and nothing else ends with it.
public class ConnectionEndTests : ClientConnectionTest
{
    [Fact]
    [Rfc("8323-3.3-4")]
    public async Task Observations_on_two_connections_from_the_same_address_are_independent()
    {
        Answers = null;
        await StartClientAsync();
        DirectConnection before = Streams.Accept(s_first);
        before.Receive(LargeCsm);
        Task<CoapObservation> first = CoapPeer.Of(before.Channel!).ObserveAsync(new CoapRequest(CoapMethod.Get, "/obs"));
        before.TakeSent();

        // The device was restarted and connects from the same port, before the end of the old connection was seen.
        DirectConnection after = Streams.Accept(s_first);
        after.Receive(LargeCsm);
        after.TakeSent();
        Task<CoapObservation> second = CoapPeer.Of(after.Channel!).ObserveAsync(new CoapRequest(CoapMethod.Get, "/obs"));
        Frame registration = new(Assert.Single(after.TakeSent()));
        after.Receive($"3{registration.Token.Length / 2:x}45{registration.Token}60ff31");
        before.Break(new IOException("reset"));

        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(first));
        await using CoapObservation observation = await Within(second);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        observation.Latest!.Says("1");
    }

    [Fact]
    public async Task A_transport_that_hands_out_a_connection_that_was_not_opened_fails_the_request()
    {
        Server.Endpoint.AddTransport(new Careless(Streams));
        await Server.StartAsync();

        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync(Target)));
        Assert.Equal(1, Pool.Count);
    }

    [Theory]
    [InlineData(Link.Inbound)]
    [InlineData(Link.Exchange)]
    [InlineData(Link.Outbound)]
    public async Task A_connection_paused_by_a_slow_linked_block_is_not_closed_as_silent_or_slow(Link link)
    {
        using ManualResetEventSlim goesOn = new();
        TransformBlock<T, T> Slow<T>() => new(
            item =>
            {
                goesOn.Wait(FromMinutes(5));
                return item;
            },
            new ExecutionDataflowBlockOptions { BoundedCapacity = 1 });
        bool isClosed;
        int answered = 0;
        DirectConnection connection;
        try
        {
            switch (link)
            {
                case Link.Inbound:
                    Options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, Slow<CoapInbound>);
                    break;
                case Link.Exchange:
                    Options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, Slow<CoAP.NET.CoapExchange>);
                    break;
                default:
                    Options.Pipeline.Insert(CoapStageLinks.ResourceToExchanges, Slow<CoAP.NET.CoapServerReply>);
                    break;
            }

            Server.MapGet("/x", static () => CoapResults.Text("hi"));
            await StartStreamsAsync();
            connection = Streams.Accept();
            connection.OnSent = hex => _ = hex.StartsWith("4145", Ordinal) ? Interlocked.Increment(ref answered) : 0;
            connection.Receive(LargeCsm + "2101aab178" + "2101abb178" + "2101acb178" + "2101adb178" + "21");
            Assert.True(connection.Pauses > 0);
            for (int i = 0; i < 30; i++)
            {
                Clock.Advance(FromSeconds(10));
            }

            isClosed = connection.IsClosed;
        }
        finally
        {
            goesOn.Set();
        }

        Assert.False(isClosed, connection.CloseReason?.Message);
        await UntilAsync(() => Volatile.Read(ref answered) == 4 && connection.Pauses == 0);

        // The thread that brought the last one has left the block, too.
        await SettleAsync();

        // From now on it is the peer who does not go on.
        for (int i = 0; i < 30 && !connection.IsClosed; i++)
        {
            Clock.Advance(FromSeconds(10));
        }

        Assert.True(connection.IsClosed);
    }

    [Fact]
    public async Task A_request_that_waits_after_5_03_fails_when_the_endpoint_is_stopped()
    {
        Answers = static (_, frame) => frame.Code is > 0 and < 32 ? $"4{frame.Token.Length / 2:x}a3{frame.Token}d2010e10" : null;
        await StartClientAsync();
        Task<CoapResponse> asked =
            Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { TooManyRequests = CoapTooManyRequestsBehavior.Wait });
        await UntilAsync(() => Streams.OpenedByUs is [{ } connection] && connection.TakeSent().Length > 0);

        await Server.DisposeAsync();

        await Assert.ThrowsAsync<CoapException>(() => Within(asked));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_host_name_lookup_that_never_ends_is_ended_by_the_Timeout_or_the_stop_of_the_endpoint(bool stops)
    {
        TaskCompletionSource asking = new();
        Options.Transports.ResolveHost = (_, _) =>
        {
            asking.TrySetResult();
            return new TaskCompletionSource<IPAddress[]>().Task;
        };
        await StartClientAsync();
        Task<CoapResponse> asked =
            Endpoint.SendAsync(new CoapRequest(CoapMethod.Post, "coap+tcp://nobody.example/x") { Timeout = FromSeconds(30) });
        await Within(asking.Task);

        if (stops)
        {
            await Server.DisposeAsync();
            await Assert.ThrowsAnyAsync<CoapException>(() => Within(asked));
        }
        else
        {
            CoapTimeoutException timeout =
                await Assert.ThrowsAsync<CoapTimeoutException>(() => PassAsync(asked));
            Assert.Equal(CoapTimeoutReason.NotSent, timeout.Reason);
        }
    }

    [Fact]
    [Rfc("8323-3.4-2")]
    public async Task A_response_completed_after_its_connection_ended_leaves_nothing_behind()
    {
        TaskCompletionSource<CoapResult> answer = new();
        Server.MapGet("/slow", (CoapRequestContext _) => answer.Task);
        await StartStreamsAsync();
        DirectConnection connection = Connect("10e140");
        connection.Receive("5101bbb4736c6f77");
        connection.Break();

        await OnThread(() => answer.SetResult(CoapResults.Bytes(new byte[100_000])));
        await SettleAsync();

        Assert.Equal(0, connection.Requests!.Count);
        Assert.Equal(0, Server.Endpoint.Pipelines[0].Blockwise.Responses.Count);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    public enum Link
    {
        Inbound,
        Exchange,
        Outbound,
    }

    private sealed class Careless(DirectStreamTransport other) : CoapStreamTransport
    {
        public override string Scheme => "coap+tcp";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [];

        public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken) =>
            ValueTask.CompletedTask;

        public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName,
            CancellationToken cancellationToken) =>
                ValueTask.FromResult<CoapConnection>(new DirectConnection(other, remote, isInitiator: true));

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
