using System.Net;
using System.Net.Sockets;
using CoAP.NET.Errors;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Connections;

/// <summary>A request whose time ends before its connection is ready says how far that came; one that nobody took is not called
/// delivered.</summary>
public sealed class ConnectTimeoutTests : ClientConnectionTest
{
    private static readonly TimeSpan s_three = FromSeconds(3);

    [Theory]
    [InlineData(CoapMethod.Get, 0, CoapTimeoutReason.NotAcknowledged)]
    [InlineData(CoapMethod.Put, 2000, CoapTimeoutReason.NotSent)]
    internal async Task A_peer_that_takes_a_connection_and_sends_no_CSM_is_told(CoapMethod method, int size, CoapTimeoutReason reason)
    {
        ServerCsm = null;
        await StartClientAsync();
        CoapRequest request = new(method, Target) { Content = size == 0 ? null : CoapContent.Binary(new byte[size]), Timeout = s_three };

        CoapTimeoutException error = await AfterAsync(Endpoint.SendAsync(request));

        Assert.Equal(
            (CoapTimeoutStep.Capabilities, CoapTimeLimitKind.RequestTimeout, s_three, reason),
            (error.Awaited, error.EndedBy, error.Limit, error.Reason));
        error.Message.Omits("delivered");
        error.Mentions("the Timeout of 3 s");
    }

    [Fact]
    public async Task A_timeout_after_any_message_of_the_peer_says_that_the_request_was_delivered()
    {
        await StartClientAsync();

        CoapTimeoutException error = await AfterAsync(Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { Timeout = s_three }));

        Assert.Equal((CoapTimeoutStep.Response, CoapTimeoutReason.NoResponse), (error.Awaited, error.Reason));
        error.Mentions("was delivered, but no response followed within the Timeout of 3 s");
    }

    [Fact]
    public async Task A_timeout_during_the_reconnect_delay_says_why_the_last_attempt_failed()
    {
        Options.Transports.Streams.ReconnectDelay = FromSeconds(30);
        Failing = Refused;
        await StartClientAsync();
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync(Target)));

        CoapTimeoutException error = await AfterAsync(Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { Timeout = s_three }));

        Assert.Equal((CoapTimeoutStep.Connect, CoapConnectPhase.Waiting), (error.Awaited, error.ConnectProgress!.Stage));
        error.Mentions("Nobody listens at 192.0.2.1:5683.");
    }

    [Fact]
    public async Task A_timeout_of_a_ping_says_that_the_peer_sent_no_CSM()
    {
        ServerCsm = null;
        await StartClientAsync();

        CoapTimeoutException error = await AfterAsync(Endpoint.PingAsync(Target, s_three));

        Assert.Equal(
            (CoapTimeoutStep.Capabilities, CoapTimeLimitKind.RequestTimeout, s_three, CoapTimeoutReason.NotAcknowledged),
            (error.Awaited, error.EndedBy, error.Limit, error.Reason));
        error.Mentions("not even the peer's CSM");
    }

    [Fact]
    public async Task The_timeout_of_a_ping_includes_connecting()
    {
        TaskCompletionSource never = new();
        await StartClientAsync();
        Streams.Connecting = (_, _, _) => never.Task;

        CoapTimeoutException error = await AfterAsync(Endpoint.PingAsync(Target, s_three));

        Assert.Equal((CoapTimeoutStep.Connect, CoapTimeLimitKind.RequestTimeout, s_three), (error.Awaited, error.EndedBy, error.Limit));
        error.Message.Begins("Ping to coap+tcp://192.0.2.1:5683 was not sent: the connection was not complete");
    }

    [Fact]
    public async Task A_timeout_during_connecting_says_that_the_request_was_not_sent()
    {
        TaskCompletionSource never = new();
        await StartClientAsync();
        Streams.Connecting = (_, _, _) => never.Task;

        CoapTimeoutException error = await AfterAsync(Endpoint.SendAsync(new CoapRequest(CoapMethod.Post, Target) { Timeout = s_three }));

        Assert.Equal((CoapTimeoutStep.Connect, CoapTimeoutReason.NotSent, false), (error.Awaited, error.Reason, error.IsOutcomeUnknown));
        error.Message.Begins("POST to coap+tcp://192.0.2.1:5683 was not sent: the connection was not complete within the Timeout of 3 s.");
        error.Message.Omits("NStart");
    }

    [Theory]
    [InlineData("coaps+tcp", nameof(CoapTimeoutStep.TlsHandshake), "did not answer the ClientHello")]
    [InlineData("coap+ws", nameof(CoapTimeoutStep.WebSocketHandshake), "did not answer the HTTP request")]
    [InlineData("coaps+ws", nameof(CoapTimeoutStep.TlsHandshake), "did not answer the ClientHello")]
    public async Task A_timeout_on_a_silent_listener_names_the_handshake_that_was_awaited(string scheme, string awaited, string text)
    {
        using TcpListener silent = new(IPAddress.Loopback, 0);
        silent.Start();
        VirtualClock clock = new();
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = clock });
        Task<CoapResponse> request = client.SendAsync(
            new CoapRequest(CoapMethod.Get, $"{scheme}://127.0.0.1:{((IPEndPoint)silent.LocalEndpoint).Port}/x") { Timeout = s_three });

        // What it says first shows that it waits for the answer.
        using Socket taken = await Within(silent.AcceptSocketAsync());
        await Within(taken.ReceiveAsync(new byte[1]));
        clock.Advance(s_three);

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
        Assert.Equal(
            (awaited, CoapTimeLimitKind.RequestTimeout, s_three, CoapTimeoutReason.NotSent),
            (error.Awaited.ToString(), error.EndedBy, error.Limit, error.Reason));
        error.Mentions(text);
        Assert.Equal(CoapConnectPhase.NoAnswer, error.ConnectProgress!.Stage);
    }

    private async Task<CoapTimeoutException> AfterAsync(Task request)
    {
        TimeSpan begun = Clock.Elapsed;
        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => PassAsync(request));
        Assert.InRange(Clock.Elapsed - begun, s_three, s_three + FromSeconds(0.2));
        return error;
    }
}
