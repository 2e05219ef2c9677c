namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>What somebody who recorded the last seconds before a crash can do with it.</summary>
public sealed class ReplayDoubtTests : IDisposable
{
    private const byte Get = 1;
    private const byte Post = 2;
    private const byte Fetch = 5;

    private readonly MemorySessionBackup _backup = new();
    private readonly SessionRig _before;
    private readonly List<byte[]> _served = [];
    private readonly List<TaskCompletionSource> _questions = [];
    private SessionRig? _after;
    private MemorySessionBackup? _left;

    public ReplayDoubtTests() => _before = new SessionRig(backupOptions: _backup.Options());

    private SessionRig After => _after ?? throw new InvalidOperationException("not crashed");

    public void Dispose()
    {
        _before.Dispose();
        _after?.Dispose();
    }

    [Fact]
    public async Task Unsafe_requests_replayed_after_a_crash_are_not_served_except_possibly_the_last()
    {
        (_, RecordLayer client) = _before.Open(1);
        byte[][] recorded = [.. Enumerable.Range(0, 50).Select(i => Record(client, Post, (byte)i))];
        Assert.All(recorded, record => Assert.True(_before.Server.Receive(ServerBench.Path(1), [.. record])));
        await CrashAsync();

        Replay(recorded);
        Assert.Empty(_served);
        Assert.Single(_questions);
        Assert.Equal(1, After.Server.SessionBackup!.Doubts.Count);
        Answer(client);
        Assert.Equal(49, Assert.Single(_served)[^1]);

        // From now on the window is whole.
        Replay(recorded);
        Assert.True(Receive(Record(client, Post, 100)));
        Assert.Equal([49, 100], _served.Select(message => message[^1]));
        Assert.Single(_questions);
    }

    [Fact]
    public async Task A_request_that_the_client_sends_after_a_crash_is_served_after_the_client_has_answered_a_challenge()
    {
        (_, RecordLayer client) = _before.Open(1);
        byte[][] recorded = [.. Enumerable.Range(0, 10).Select(i => Record(client, Post, (byte)i))];
        Assert.All(recorded, record => Assert.True(_before.Server.Receive(ServerBench.Path(1), [.. record])));
        await CrashAsync();

        byte[] fresh = Record(client, Post, 100);
        Assert.True(Receive(fresh));
        Replay(recorded);
        Assert.Empty(_served);
        Answer(client);
        Replay(recorded);
        Assert.Equal(100, Assert.Single(_served)[^1]);
    }

    [Theory]
    [InlineData(Get, true)]
    [InlineData(Post, false)]
    [InlineData(3, false)]
    [InlineData(4, false)]
    [InlineData(Fetch, true)]
    [InlineData(6, false)]
    [InlineData(7, false)]
    [InlineData(31, false)]
    public async Task Safe_requests_are_served_at_once_after_a_crash(byte method, bool isServed)
    {
        (_, RecordLayer client) = _before.Open(1);
        await CrashAsync();
        Assert.True(Receive(Record(client, method, 1)));
        Assert.Equal(isServed ? 1 : 0, _served.Count);
        Assert.Equal(isServed ? 0 : 1, _questions.Count);
    }

    [Fact]
    public async Task Clients_are_not_challenged_after_an_orderly_stop()
    {
        (_, RecordLayer client) = _before.Open(1);
        await _before.Server.SessionBackup!.StopAsync();
        await CrashAsync();
        Assert.True(Receive(Record(client, Post, 1)));
        Assert.Single(_served);
        Assert.Empty(_questions);
    }

    [Fact]
    public async Task A_session_whose_window_is_uncertain_at_a_stop_is_still_uncertain_afterwards()
    {
        (_, RecordLayer client) = _before.Open(1);
        await CrashAsync();
        await After.Server.SessionBackup!.StopAsync();
        MemorySessionBackup left = new();
        foreach ((ulong id, ReadOnlyMemory<byte> state) in _left!.States)
        {
            left.States.Add(id, state);
        }

        using SessionRig third = new(clock: _before.Clock, backupOptions: left.Options(), asks: _ => new TaskCompletionSource().Task);
        Assert.Equal(1, await third.Server.SessionBackup!.StartAsync(default));
        Assert.True(third.Server.Receive(ServerBench.Path(1), Record(client, Post, 1)));
        Assert.Equal(0, third.Received);
    }

    [Fact]
    public async Task A_held_request_overtaken_by_a_later_record_is_dropped_and_served_when_it_is_retransmitted()
    {
        (_, RecordLayer client) = _before.Open(1);
        await CrashAsync();
        Assert.True(Receive(Record(client, Post, 1)));
        Assert.True(Receive(Record(client, Get, 2)));
        Answer(client);
        Assert.Equal([2], _served.Select(message => message[^1]));
        Assert.Equal(1, After.Server.Counters.RecordsReplayed);
        Assert.True(Receive(Record(client, Post, 1)));
        Assert.Equal(2, _served.Count);
    }

    [Fact]
    public async Task A_client_that_does_not_answer_is_challenged_three_times_before_its_session_ends()
    {
        (_, RecordLayer client) = _before.Open(1);
        await CrashAsync();
        for (int i = 1; i <= 3; i++)
        {
            Assert.True(Receive(Record(client, Post, 1)));
            Assert.Equal(i, _questions.Count);
            Assert.Empty(After.Closed);
            MemorySessionBackup.Complete(() => _questions[^1].SetException(new CoapConnectionException(CoapError.Lost, "No answer.")));
            Assert.Equal(0, After.Server.SessionBackup!.Doubts.Count);
        }

        Assert.Equal(DtlsSessionEndReason.Unanswered, Assert.Single(After.Closed).Reason);
        Assert.Empty(_served);
    }

    [Fact]
    public async Task The_number_of_held_requests_is_limited_and_the_source_with_the_most_is_evicted()
    {
        CoapAddress greedy = CoapAddress.FromIPv4(0x0A000001, 1);
        CoapAddress modest = CoapAddress.FromIPv4(0x0B000001, 1);
        RecordLayer[] many =
        [
            .. Enumerable.Range(1, CrashReplayGuard.MaxRequestsInDoubt + 100).Select(port => _before.Open(greedy, port, "greedy").Client)
        ];
        (_, RecordLayer few) = _before.Open(modest, 1, "modest");
        await CrashAsync();
        Assert.True(After.Server.Receive(ServerBench.Path(modest, 1), Record(few, Post, 7)));
        for (int port = 1; port <= many.Length; port++)
        {
            Assert.True(After.Server.Receive(ServerBench.Path(greedy, port), Record(many[port - 1], Post, 1)));
        }

        Assert.Equal(CrashReplayGuard.MaxRequestsInDoubt, After.Server.SessionBackup!.Doubts.Count);
        Assert.True(After.Server.Receive(ServerBench.Path(modest, 1), Reset(few)));
        MemorySessionBackup.Complete(_questions[0].SetResult);
        Assert.Equal(7, _served.Last()[^1]);
    }

    [Fact]
    public async Task A_session_that_ends_drops_its_held_requests()
    {
        (_, RecordLayer client) = _before.Open(1);
        await CrashAsync();
        Assert.True(Receive(Record(client, Post, 1)));
        After.Opened.Single().End(DtlsSessionEndReason.Closed, tells: false);
        Assert.Equal(0, After.Server.SessionBackup!.Doubts.Count);
        MemorySessionBackup.Complete(_questions[0].SetResult);
        Assert.Empty(_served);
    }

    private static byte[] Record(RecordLayer client, byte method, byte mark) =>
        SessionRig.Record(client, [0x40, method, 0x12, mark, 0xFF, mark]);

    private static byte[] Reset(RecordLayer client) => SessionRig.Record(client, [0x70, 0, 0x12, 0x34]);

    private async Task CrashAsync()
    {
        _left = _backup.AfterCrash();
        _after = new SessionRig(clock: _before.Clock, backupOptions: _left.Options(), asks: _ =>
        {
            TaskCompletionSource question = new(TaskCreationOptions.None);
            _questions.Add(question);
            return question.Task;
        })
        {
            OnReceived = message =>
            {
                if (message[1] != 0)
                {
                    _served.Add(message);
                }
            }
        };
        await _after.Server.SessionBackup!.StartAsync(default);
    }

    private bool Receive(byte[] record) => After.Server.Receive(ServerBench.Path(1), [.. record]);

    private void Replay(byte[][] recorded)
    {
        foreach (byte[] record in recorded)
        {
            Receive(record);
        }
    }

    private void Answer(RecordLayer client)
    {
        Assert.True(Receive(Reset(client)));
        MemorySessionBackup.Complete(_questions[^1].SetResult);
    }
}
