using CoAP.NET.Diagnostics;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Sessions;

/// <summary>Sessions that go on at another server, or in another process.</summary>
public class SessionRetirementTests : SessionTest
{
    private const string Post = "40020005b178ff31";
    private const string Put = "40030006b178ff32";

    private int _runs;

    [Fact]
    public async Task Duplicates_of_executed_requests_get_the_same_response_in_the_resumed_session()
    {
        await StartCountingAsync();
        DirectSession before = Sessions.Accept(Peer);
        string ofPost = Ask(before, Post);
        string ofPut = Ask(before, Put);
        string ofGet = Ask(before, Get);
        DirectSession after = Continue(before);

        Assert.Equal(ofPost, Ask(after, Post));
        Assert.Equal(ofPut, Ask(after, Put));
        Assert.Equal(3, _runs);
        Assert.Equal(2, Counters[CoapCounter.Duplicates]);

        // A GET changes nothing, and its answer may be large: it is asked again.
        Assert.NotEqual(ofGet, Ask(after, Get));
        Ask(after, "40020007b178ff33");
        Assert.Equal(5, _runs);

        // And on to the next one.
        DirectSession third = Continue(after);
        Assert.Equal(ofPost, Ask(third, Post));
        Assert.Equal(5, _runs);
    }

    [Fact]
    public async Task A_duplicate_is_a_new_request_after_its_lifetime_in_the_resumed_session()
    {
        await StartCountingAsync();
        DirectSession before = Sessions.Accept(Peer);
        Ask(before, Post);
        Clock.Advance(FromMinutes(2));
        DirectSession after = Continue(before);
        Clock.Advance(FromMinutes(2));
        Ask(after, Post);
        Assert.Equal(1, _runs);
        Clock.Advance(FromSeconds(8));
        Ask(after, Post);
        Assert.Equal(2, _runs);
    }

    [Fact]
    public async Task FinishAsync_waits_for_own_requests_and_their_separate_responses()
    {
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Task<CoapResponse> asked = Assert.Single(Endpoint.ConnectedPeers).GetAsync("/3/0");
        string request = await SentAsync(session);
        Assert.True(Moving(Sessions.Context).IsBusy(session));
        Task finished = Moving(Sessions.Context).FinishAsync(session, default);
        session.Receive(Acknowledge(request));
        Clock.Advance(FromSeconds(20));
        await SettleAsync();
        Assert.False(finished.IsCompleted);

        // NON 2.05 with the token.
        session.Receive($"5{request[1]}45aa01{request.Substring(8, 2 * Convert.ToInt32(request[1..2], 16))}ff31");

        await Within(finished);
        await Within(asked).Says("1");
        Assert.False(Moving(Sessions.Context).IsBusy(session));
    }

    [Fact]
    public async Task FinishAsync_waits_at_most_ACK_TIMEOUT_times_ACK_RANDOM_FACTOR_for_the_acknowledgement_of_a_request()
    {
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Task<CoapResponse> asked = Assert.Single(Endpoint.ConnectedPeers).PostAsync("/3/0", CoapContent.Text("1"));
        await SentAsync(session);
        Task finished = Moving(Sessions.Context).FinishAsync(session, default);
        Clock.Advance(FromSeconds(2.9));
        await SettleAsync();
        Assert.False(finished.IsCompleted);
        Clock.Advance(FromSeconds(0.2));
        await Within(finished);

        Assert.True(Moving(Sessions.Context).IsBusy(session));
        session.End();
        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(asked));
        Assert.True(error.IsOutcomeUnknown);
    }

    [Fact]
    public async Task FinishAsync_of_a_session_ends_although_a_copy_is_due_within_a_fraction_of_a_millisecond()
    {
        // A first copy waits for 3.00045 s.
        Options.Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromSeconds(2.0003) };
        await StartSessionsAsync();
        DirectSession session = Sessions.Accept(Peer);
        Task<CoapResponse> asked = Assert.Single(Endpoint.ConnectedPeers).PostAsync("/3/0", CoapContent.Text("1"));
        await SentAsync(session);
        Task finished = Moving(Sessions.Context).FinishAsync(session, default);

        // On a thread of its own: the clock stands still while its timers run, and this one would not come to an end.
        await Within(Task.Factory.StartNew(
            () => Clock.Advance(FromSeconds(4)), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
        await Within(finished);
        session.End();
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(asked));
    }

    [Fact]
    public async Task New_requests_are_ignored_while_a_session_finishes()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { PiggybackWindow = TimeSpan.Zero };
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        Server.MapGet("/slow", (_, _) => new ValueTask<CoapResult>(answer.Task));
        await StartCountingAsync();
        DirectSession session = Sessions.Accept(Peer);
        Assert.Equal("60000009", Ask(session, "40010009b4736c6f77"));
        Assert.True(Moving(Sessions.Context).IsBusy(session));

        Task finished = Moving(Sessions.Context).FinishAsync(session, default);
        session.Receive(Post);
        session.HasSentNothing();
        Assert.Equal("60000009", Ask(session, "40010009b4736c6f77"));
        Assert.False(finished.IsCompleted);

        // The answer is a separate one, and not there before it is acknowledged.
        answer.SetResult(CoapResults.Text("1"));
        string[] sent = [];
        await UntilAsync(() => (sent = [.. sent, .. session.TakeSent()]).Length > 0);
        Assert.True(Moving(Sessions.Context).IsBusy(session));
        Assert.False(finished.IsCompleted);
        session.Receive(Acknowledge(Assert.Single(sent)));
        await Within(finished);
        Assert.Equal(0, _runs);

        DirectSession after = Continue(session);
        after.Receive(Post);
        Assert.Equal(1, _runs);
    }

    [Fact]
    public async Task A_POST_still_running_at_retirement_is_not_run_again_and_a_GET_is()
    {
        TaskCompletionSource<CoapResult> never = new(RunContinuationsAsynchronously);
        Server.MapPost("/x", (_, _) =>
        {
            _runs++;
            return new ValueTask<CoapResult>(never.Task);
        });
        Server.MapGet("/x", () =>
        {
            _runs++;
            return CoapResults.Text("1");
        });
        await StartSessionsAsync();
        DirectSession before = Sessions.Accept(Peer);
        before.Receive(Post);
        using CancellationTokenSource grace = new();
        Task finished = Moving(Sessions.Context).FinishAsync(before, grace.Token);
        await grace.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(finished));

        DirectSession after = Continue(before);
        Assert.Equal("60000005", Ask(after, Post));
        Assert.Equal(1, _runs);
        Ask(after, Get);
        Assert.Equal(2, _runs);
        never.SetResult(CoapResults.Changed());
    }

    [Fact]
    public async Task A_resumed_session_does_not_reuse_Message_IDs()
    {
        await StartCountingAsync();
        DirectSession session = Sessions.Accept(Peer);
        HashSet<string> seen = [];
        for (int hop = 0; hop < 5; hop++)
        {
            for (int i = 0; i < 40; i++)
            {
                // NON GET /x, whose answer has a Message ID of ours.
                string sent = Ask(session, $"5001{(hop << 8) | i:x4}b178");
                Assert.True(seen.Add(sent[4..8]), $"{sent[4..8]} came twice");
            }

            session = Continue(session);
        }
    }

    [Fact]
    public async Task Corrupted_exported_state_has_no_effect()
    {
        await StartCountingAsync();
        DirectSession before = Sessions.Accept(Peer);
        Ask(before, Post);
        Ask(before, "50010100b178");
        byte[] retired = Moving(Sessions.Context).ExportState(before).ToArray();
        before.End();
        for (int length = 0; length < retired.Length; length++)
        {
            DirectSession other = Sessions.Accept(Peer);
            Moving(Sessions.Context).Resume(other, retired.AsSpan(0, length));
            Ask(other, Put);
            other.End();
        }

        Random random = new(1);
        for (int i = 0; i < 200; i++)
        {
            byte[] changed = [.. retired];
            changed[random.Next(changed.Length)] ^= (byte)(1 << random.Next(8));
            DirectSession other = Sessions.Accept(Peer);
            Moving(Sessions.Context).Resume(other, changed);
            Ask(other, "40030008b178ff32");
            other.End();
        }

        Assert.DoesNotContain(Logs.Entries, static entry => entry.Level >= Microsoft.Extensions.Logging.LogLevel.Error);
    }

    [Fact]
    public async Task The_exported_state_keeps_the_newest_exchanges_with_their_answers_within_a_bound()
    {
        Server.MapPost("/x", request =>
        {
            _runs++;
            return CoapResults.Content(new CoapContent(new byte[900], CoapContentFormat.OctetStream));
        });
        await StartSessionsAsync();
        DirectSession before = Sessions.Accept(Peer);
        string newest = "";
        for (int i = 0; i < 100; i++)
        {
            newest = Ask(before, $"4002{0x100 + i:x4}b178ff31");
            Clock.Advance(FromMilliseconds(100));
        }

        byte[] retired = Moving(Sessions.Context).ExportState(before).ToArray();
        Assert.InRange(retired.Length, 20 * 1024, 32 * 1024);
        before.End();
        DirectSession after = Sessions.Accept(Peer);
        Moving(Sessions.Context).Resume(after, retired);
        Assert.Equal(newest, Ask(after, $"4002{0x100 + 99:x4}b178ff31"));

        // The oldest has lost its answer, and is not carried out again all the same.
        after.Receive($"4002{0x100:x4}b178ff31");
        after.HasSentNothing();
        Assert.Equal(100, _runs);
    }

    private async Task StartCountingAsync()
    {
        CoapResult Count() => CoapResults.Text($"{++_runs}");
        Server.MapGet("/x", Count);
        Server.MapPost("/x", Count);
        Server.MapPut("/x", Count);
        await StartSessionsAsync();
    }

    private DirectSession Continue(DirectSession before)
    {
        ReadOnlyMemory<byte> retired = Moving(Sessions.Context).ExportState(before);
        before.Receive(Get);
        before.HasSentNothing();
        before.End();
        DirectSession after = Sessions.Accept(Peer);
        Moving(Sessions.Context).Resume(after, retired.Span);
        return after;
    }

    private async Task<string> SentAsync(DirectSession session)
    {
        string[] sent = [];
        await UntilAsync(() => (sent = [.. sent, .. session.TakeSent()]).Length > 0);
        return sent[0];
    }

    private static ICoapSessionHandoverContext Moving(ICoapSessionTransportContext context) => (ICoapSessionHandoverContext)context;
}
