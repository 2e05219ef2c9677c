using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Sessions;

// What the end of a session means, for requests, observers and whatever is kept of a peer.
public class SessionEndTests : SessionTest
{
    [Fact]
    public async Task A_sent_POST_fails_with_IsOutcomeUnknown_when_its_session_ends()
    {
        await StartSessionsAsync();
        Task<CoapResponse> post = Endpoint.PostAsync(Target, CoapContent.Text("1"));
        DirectSession session = Assert.Single(Sessions.OpenedByUs);
        Assert.Single(session.TakeSent());

        session.End(new IOException("reset"));

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(post));
        Assert.Equal(CoapError.Lost, error.Error);
        Assert.True(error.IsOutcomeUnknown);
        Assert.Equal(0, Counters[CoapCounter.RequestsRepeated]);
        AssertFreed(session.Channel!);
        Assert.Equal(0, session.Channel!.Shard.Wheel.Count);
    }

    [Fact]
    public async Task An_idempotent_request_is_sent_again_in_a_new_session()
    {
        AnswerAll();
        await StartSessionsAsync();
        await Within(Endpoint.GetAsync(Target));
        Sessions.Answers = null;
        Task<CoapResponse> get = Endpoint.GetAsync(Target);
        Sessions.OpenedByUs[0].TakeSent();
        AnswerAll();

        Sessions.OpenedByUs[0].End();

        await PassAsync(get).Says("1");
        Assert.Equal(1, Counters[CoapCounter.RequestsRepeated]);
        Assert.Equal(2, Sessions.OpenedByUs.Count);
        AssertFreed(Sessions.OpenedByUs[0].Channel!);
    }

    [Fact]
    public async Task A_request_that_waits_for_its_turn_is_sent_in_the_next_session()
    {
        AnswerAll();
        await StartSessionsAsync();
        await Within(Endpoint.GetAsync(Target));
        Sessions.Answers = null;

        // NSTART is 1: the second waits.
        Task<CoapResponse> first = Endpoint.PostAsync(Target, CoapContent.Text("1"));
        Task<CoapResponse> second = Endpoint.PostAsync(Target, CoapContent.Text("2"));
        Sessions.OpenedByUs[0].TakeSent();
        AnswerAll();
        Sessions.OpenedByUs[0].End();

        Assert.True((await Assert.ThrowsAsync<CoapConnectionException>(() => Within(first))).IsOutcomeUnknown);
        await PassAsync(second).Says("1");
        Assert.Equal(2, Sessions.OpenedByUs.Count);
    }

    [Fact]
    public async Task The_end_of_a_session_raises_PeerDisconnected_and_removes_the_peer()
    {
        List<CoapDisconnection> gone = [];
        Endpoint.PeerDisconnected += (_, end) => gone.Add(end);
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        CancellationToken disconnected = peer.Disconnected;
        Task<CoapResponse> asked = peer.GetAsync("/3/0");

        session.End();
        session.End();

        CoapDisconnection end = Assert.Single(gone);
        Assert.Same(peer, end.Peer);
        Assert.Equal(CoapError.Closed, end.Reason.Error);
        Assert.True(disconnected.IsCancellationRequested);
        Assert.False(peer.IsConnected);
        Assert.Empty(Endpoint.ConnectedPeers);
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(asked));
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(peer.GetAsync("/3/0")));
        Assert.Equal(CoapError.Closed, error.Error);
        Assert.Empty(Sessions.OpenedByUs);
        Assert.Equal(1, Counters[CoapCounter.ConnectionsClosed]);
    }

    [Fact]
    [Rfc("7252-9.1.2-1")]
    public async Task The_end_of_a_session_removes_its_observers_and_frees_its_memory()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Ask(session, Register);

        // Outstanding, and to be sent again.
        Change(route, "1");
        Assert.Single(session.TakeSent());
        session.End();

        Assert.Equal(0, Server.ObserverCount);
        AssertFreed(session.Channel!);
        Change(route, "2");
        Clock.Advance(FromMinutes(10));
        session.HasSentNothing();
        Assert.Equal(0, session.Channel!.Shard.Wheel.Count);
        Assert.Equal(1, session.Sent - 1);
    }

    [Fact]
    public async Task A_message_received_in_an_ended_session_is_ignored()
    {
        int runs = 0;
        Server.MapGet("/x", () => CoapResults.Text($"{++runs}"));
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        session.End();
        long ignored = Counters[CoapCounter.Ignored];

        session.Receive(Get);
        session.Receive("40000001");
        session.Receive("60000001");

        Assert.Equal(0, runs);
        Assert.Equal(0, session.Sent);
        Assert.Equal(3, Counters[CoapCounter.Ignored] - ignored);
        AssertFreed(session.Channel!);
    }

    [Theory]
    [InlineData("40")]
    [InlineData("50")]
    public async Task An_answer_that_is_ready_after_the_session_ended_is_dropped(string first)
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/x", (_, _) => new ValueTask<CoapResult>(answer.Task));
        await StartSessionsAsync();
        DirectSession pending = Sessions.Accept(Peer);
        DirectSession acknowledged = Sessions.Accept(Peer);
        acknowledged.Receive(first + Get[2..]);
        Clock.Advance(FromSeconds(2));
        pending.Receive(first + Get[2..]);
        pending.End();
        acknowledged.End();
        int sent = pending.Sent + acknowledged.Sent;

        answer.SetResult(CoapResults.Text("late"));
        await UntilAsync(() => Endpoint.GetSnapshot().ActiveRequests == 0);
        await SettleAsync();

        Assert.Equal(sent, pending.Sent + acknowledged.Sent);
        AssertFreed(pending.Channel!);
        AssertFreed(acknowledged.Channel!);
        Clock.Advance(FromMinutes(10));
        Assert.Equal(0, pending.Channel!.Shard.Wheel.Count);
        Assert.Equal(sent, pending.Sent + acknowledged.Sent);
    }

    [Fact]
    public async Task A_partially_received_body_is_freed_when_its_session_ends()
    {
        Server.MapPut("/x", _ => CoapResults.Changed());
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Assert.Equal("5f", Ask(session, "41030001aab178d10308ff" + new string('6', 32))[2..4]);
        Assert.Equal(1, Endpoint.Pipelines.Sum(pipeline => pipeline.Blockwise.Requests.Count));

        session.End();

        Assert.Equal(0, Endpoint.Pipelines.Sum(pipeline => pipeline.Blockwise.Requests.Count));
        AssertFreed(session.Channel!);
        Clock.Advance(FromMinutes(10));
        Assert.Equal(0, session.Channel!.Shard.Wheel.Count);
    }

    // A session that resumes another is the same one (RFC 7252 section 9.1.1).
    [Fact]
    [Rfc("7252-4.4-1")]
    public async Task Sessions_with_one_server_have_no_Message_ID_in_common()
    {
        List<string> ids = [];
        Sessions.Answers = (_, hex) =>
        {
            ids.Add(hex[4..8]);
            return Content(hex);
        };
        await StartSessionsAsync();
        for (int i = 0; i < 3; i++)
        {
            await Within(Endpoint.GetAsync(Target));
            await Within(Endpoint.GetAsync(Target));
            Sessions.OpenedByUs[i].End(new IOException("reset"));
        }

        Assert.Equal(3, Sessions.OpenedByUs.Count);
        Assert.Equal(6, ids.Distinct().Count());
    }

    [Fact]
    public async Task A_client_observation_registers_again_in_a_new_session()
    {
        int registrations = 0;
        Sessions.Answers = (_, hex) =>
        {
            if (!IsRequest(hex))
            {
                return null;
            }

            CoapMessage request = Read(hex);
            CoapMessage answer = new(CoapCode.Content)
            {
                Type = CoapMessageType.Acknowledgement,
                MessageId = request.MessageId,
                Token = request.Token,
                Payload = "1"u8.ToArray()
            };
            answer.Options.Add(new CoAP.NET.ObserveOption((uint)++registrations));
            return Write(answer);
        };
        await StartSessionsAsync();
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync("coaps://192.0.2.1/obs"));
        Assert.Equal(1, registrations);
        CoapChannel first = Sessions.OpenedByUs[0].Channel!;

        Sessions.OpenedByUs[0].End(new IOException("reset"));
        await PassUntilAsync(() => Volatile.Read(ref registrations) == 2);

        Assert.Equal(2, registrations);
        Assert.Equal(2, Sessions.OpenedByUs.Count);
        AssertFreed(first);
    }

    [Fact]
    public async Task Many_short_sessions_leave_no_state_behind()
    {
        CoapRouteHandlerBuilder route = MapState(false);
        Server.MapPost("/x", () => CoapResults.Text("1"));
        await StartSessionsAsync();
        for (int i = 0; i < 200; i++)
        {
            DirectSession session = Sessions.Accept(Peer);
            Ask(session, Register);
            Ask(session, $"4102{i:x4}aab178");
            Change(route, $"{i}");
            Task<TimeSpan> ping = Endpoint.ConnectedPeers.Single().PingAsync();
            session.End();
            AssertFreed(session.Channel!);
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(ping));
        }

        Assert.Equal(0, Endpoint.Connections.Count);
        Assert.Equal(0, Server.ObserverCount);
        Assert.Equal(0, Endpoint.Pipelines[0].Messages.Outstanding);
        Assert.Equal(0, Endpoint.Pipelines[0].Messages.Waiting);
        Clock.Advance(FromMinutes(10));
        Assert.Equal(0, Endpoint.Pipelines[0].Shard.Wheel.Count);
        Assert.Equal(0, Endpoint.Pipelines[0].Messages.Memory.Running);
    }
}
