using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Stateless;

namespace CoAP.NET.Tests.Transports.Sessions;

// Requests of ours in sessions: RFC 7252 section 9.1, and section 4 as on any datagrams.
public class SessionRequestTests : SessionTest
{
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000201, 5684);

    public SessionRequestTests() =>
        Options.Transports.ResolveHost = (_, _) => Task.FromResult(new[] { IPAddress.Parse("192.0.2.9"), IPAddress.Parse("192.0.2.1") });

    [Fact]
    public async Task The_first_request_opens_a_session_and_all_others_share_it()
    {
        AnswerAll();
        List<CoapPeer> connected = [];
        Endpoint.PeerConnected += (_, peer) => connected.Add(peer);
        await StartSessionsAsync();

        await Within(Endpoint.GetAsync(Target)).Says("1");
        await Within(Endpoint.GetAsync("coaps://192.0.2.1:5684/y")).Says("1");

        DirectSession session = Assert.Single(Sessions.OpenedByUs);
        Assert.Equal(s_server, session.Remote);
        CoapPeer peer = Assert.Single(connected);
        Assert.True(peer.IsConnected);
        Assert.Same(peer, Assert.Single(Endpoint.ConnectedPeers));
        Assert.Equal(1, Counters[CoapCounter.ConnectionsOpened]);
        await Within(peer.GetAsync("/z"));
        Assert.Single(Sessions.OpenedByUs);
    }

    [Fact]
    public async Task Concurrent_requests_share_one_handshake()
    {
        AnswerAll();
        TaskCompletionSource handshake = new(RunContinuationsAsynchronously);
        Sessions.Connecting = (_, _, _) => handshake.Task;
        await StartSessionsAsync();
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 20).Select(i => Endpoint.GetAsync($"coaps://192.0.2.1/{i}"))];
        Assert.All(requests, request => Assert.False(request.IsCompleted));

        handshake.SetResult();

        await Within(Task.WhenAll(requests));
        Assert.Single(Sessions.OpenedByUs);
    }

    [Fact]
    public async Task A_failed_handshake_is_reported_with_its_error_after_all_addresses_were_tried()
    {
        AnswerAll();
        List<CoapAddress> tried = [];
        Sessions.Connecting = (remote, _, _) =>
        {
            tried.Add(remote);
            return Task.FromException(new CoapConnectionException(CoapError.HandshakeFailed, "The key is another."));
        };
        await StartSessionsAsync();

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(
            () => Within(Endpoint.PostAsync("coaps://two.example/x", CoapContent.Text("1"))));

        Assert.Equal(CoapError.HandshakeFailed, error.Error);
        Assert.False(error.IsOutcomeUnknown);
        error.Mentions("The key is another.");
        Assert.Equal(2, tried.Distinct().Count());
        Assert.Empty(Endpoint.ConnectedPeers);
    }

    [Fact]
    public async Task The_host_name_is_passed_to_the_transport_and_sent_as_Uri_Host()
    {
        List<string?> names = [];
        string? sent = null;
        Sessions.Connecting = (_, name, _) =>
        {
            names.Add(name);
            return Task.CompletedTask;
        };
        Sessions.Answers = (_, hex) => Content(sent = hex);
        await StartSessionsAsync();

        await Within(Endpoint.GetAsync("coaps://one.example/x"));

        Assert.Equal(["one.example"], names);

        // What TLS told counts on connections of RFC 8323 only.
        Assert.Equal("one.example", Read(sent!).Options.UriHost);
    }

    [Fact]
    public async Task LocalAddress_is_refused_when_the_session_transport_cannot_choose_the_address()
    {
        AnswerAll();
        await StartSessionsAsync();
        CoapRequest request = new(CoapMethod.Get, Target) { LocalAddress = IPAddress.Loopback };
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.SendAsync(request)));
        Assert.Equal(CoapError.ConnectFailed, error.Error);
        error.Mentions("LocalAddress");
    }

    [Fact]
    public async Task Requests_with_and_without_a_LocalAddress_use_different_sessions()
    {
        DirectSessionTransport.Choosing choosing = new();
        Sessions = choosing;
        AnswerAll();
        await StartSessionsAsync();

        await Within(Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { LocalAddress = IPAddress.Loopback }));
        await Within(Endpoint.GetAsync(Target));
        await Within(Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { LocalAddress = IPAddress.Loopback }));

        Assert.Equal([IPAddress.Loopback, DirectSessionTransport.Local.ToIPAddress()],
            Sessions.OpenedByUs.Select(session => session.Local.ToIPAddress()));
        Assert.Equal([0, DirectSessionTransport.Local.Port], Sessions.OpenedByUs.Select(session => (int)session.Local.Port));
    }

    [Fact]
    [Rfc("7252-4.2-1")]
    public async Task A_lost_confirmable_request_is_retransmitted_unchanged()
    {
        await StartSessionsAsync();
        Task<CoapResponse> response = Endpoint.GetAsync(Target);
        DirectSession session = Assert.Single(Sessions.OpenedByUs);
        string first = Assert.Single(session.TakeSent());
        first.Begins("4");

        Clock.Advance(FromSeconds(3));
        session.HasSent(first);
        Clock.Advance(FromSeconds(6));
        session.HasSent(first);
        session.Receive(Content(first));

        await Within(response).Says("1");
        Clock.Advance(FromMinutes(5));
        session.HasSentNothing();
        Assert.Equal(2, Counters[CoapCounter.Retransmissions]);
    }

    [Fact]
    public async Task A_request_without_an_acknowledgement_times_out_and_its_session_stays_open()
    {
        await StartSessionsAsync();
        Task<CoapResponse> response = Endpoint.GetAsync(Target);
        Clock.Advance(FromSeconds(100));
        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(response));
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, error.Reason);
        Assert.True(Assert.Single(Endpoint.ConnectedPeers).IsConnected);
        AnswerAll();
        await Within(Endpoint.GetAsync(Target));
        Assert.Single(Sessions.OpenedByUs);
    }

    [Fact]
    public async Task A_non_confirmable_request_is_sent_once_and_accepts_a_non_confirmable_response()
    {
        await StartSessionsAsync();
        Task<CoapResponse> response = Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { Confirmable = false });
        DirectSession session = Assert.Single(Sessions.OpenedByUs);
        string sent = Assert.Single(session.TakeSent());
        sent.Begins("5");
        Clock.Advance(FromSeconds(30));
        session.HasSentNothing();
        session.Receive("5" + Content(sent)[1..4] + "7777" + Content(sent)[8..]);
        await Within(response).Says("1");
    }

    [Fact]
    [Rfc("7252-4.3-1")]
    public async Task PingAsync_opens_a_session_and_a_received_Ping_gets_a_Reset()
    {
        AnswerAll();
        await StartSessionsAsync();
        await Within(Endpoint.PingAsync("coaps://192.0.2.1"));
        DirectSession session = Assert.Single(Sessions.OpenedByUs);
        Assert.True(IsPing(Assert.Single(session.TakeSent())));

        session.Receive("40000777");
        session.HasSent("70000777");
    }

    [Fact]
    [Rfc("7252-9.1.2-1")]
    public async Task A_response_in_another_session_does_not_complete_the_request()
    {
        DirectSessionTransport.Choosing choosing = new();
        Sessions = choosing;
        AnswerAll();
        await StartSessionsAsync();
        await Within(Endpoint.GetAsync(Target));
        Sessions.Answers = null;
        DirectSession other = Sessions.OpenedByUs[0];
        Task<CoapResponse> asked = Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { LocalAddress = IPAddress.Loopback });
        DirectSession session = Sessions.OpenedByUs[1];
        Assert.Equal(other.Remote, session.Remote);
        string request = Assert.Single(session.TakeSent());
        other.TakeSent();

        // As an acknowledgement, Confirmable and Non-confirmable.
        string answer = Content(request);
        other.Receive(answer);
        other.Receive("4" + answer[1..]);
        other.Receive("5" + answer[1..4] + "7778" + answer[8..]);

        Assert.False(asked.IsCompleted);
        Assert.Equal(["7000" + answer[4..8]], other.TakeSent());
        session.Receive(Content(request, "32"));
        await Within(asked).Says("2");
    }

    [Fact]
    [Rfc("7252-9.1.2-1")]
    public async Task A_token_of_a_stateless_request_is_valid_only_in_its_own_session()
    {
        DirectSessionTransport.Choosing choosing = new();
        Sessions = choosing;
        List<CoapStatelessResponse> came = [];
        string last = string.Empty;
        Sessions.Answers = (_, hex) => Write(Answer(last = hex, CoapMessageType.Acknowledgement));
        await StartSessionsAsync();
        await Within(Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { LocalAddress = IPAddress.Loopback }));
        using CoapStatelessClient client = new(Endpoint, came.Add);

        // The first finds out whether the peer understands long tokens.
        await Within(client.SendAsync(new CoapRequest(CoapMethod.Get, Target), new byte[] { 7 }));
        Sessions.Answers = (_, hex) =>
        {
            last = hex;
            return null;
        };
        await Within(client.SendAsync(new CoapRequest(CoapMethod.Get, Target), new byte[] { 8 }));
        string answer = Write(Answer(last, CoapMessageType.NonConfirmable));
        Assert.True(Read(answer).Token.IsExtended);
        Assert.Single(came);

        Sessions.OpenedByUs[0].Receive(answer);
        Assert.Single(came);
        Sessions.OpenedByUs[1].Receive(answer);
        Assert.Equal(2, came.Count);
    }

    [Fact]
    [Rfc("7252-9.1-1")]
    public async Task Requests_to_a_multicast_group_are_refused_in_a_session()
    {
        await StartSessionsAsync();
        Assert.Throws<ArgumentException>(
            () => { Endpoint.SendToGroupAsync(new CoapRequest(CoapMethod.Get, "coaps://224.0.1.187/x") { Confirmable = false }); });
        CoapException error = await Assert.ThrowsAsync<CoapException>(
            () => Within(Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coaps://224.0.1.187/x") { Confirmable = false })));
        error.Mentions("is a group");
        Assert.Empty(Sessions.OpenedByUs);
    }

    private static CoapMessage Answer(string hex, CoapMessageType type)
    {
        CoapMessage request = Read(hex);
        return new CoapMessage(CoapCode.Content)
        {
            Type = type,
            MessageId = type == CoapMessageType.Acknowledgement ? request.MessageId : (ushort)0x7001,
            Token = request.Token
        };
    }
}
