namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Records that come before a session that was loaded may answer.</summary>
public sealed class EarlyRecordTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Records_received_before_the_record_numbers_are_confirmed_are_processed_afterwards(bool withCid)
    {
        using Loading run = await Loading.BeginAsync(withCid, sessions: 1);
        RecordLayer client = run.Clients[0];
        byte[] first = SessionRig.Record(client, [1]);
        Assert.True(run.Rig.Server.Receive(ServerBench.Path(1), [.. first]));
        Assert.True(run.Rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [2])));
        Assert.Equal((0, 2), (run.Rig.Received, run.Rig.Server.SessionBackup!.Early.Count));

        run.Confirm();
        Assert.Equal((2, 0), (run.Rig.Received, run.Rig.Server.SessionBackup.Early.Count));
        Assert.False(run.Rig.Server.Receive(ServerBench.Path(1), first));
        Assert.Equal(1, run.Rig.Server.Counters.RecordsReplayed);
    }

    [Fact]
    public async Task The_records_held_for_each_session_and_in_total_are_limited_and_the_largest_source_is_evicted()
    {
        const int Sessions = 700;
        using Loading run = await Loading.BeginAsync(withCid: true, Sessions);
        UnconfirmedSessionReceiveQueue early = run.Rig.Server.SessionBackup!.Early;
        run.Rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(run.Clients[0], [1]));
        Assert.False(run.Rig.Server.Receive(
            ServerBench.Path(1), SessionRig.Record(run.Clients[0], new byte[UnconfirmedSessionReceiveQueue.MaxLength])));
        for (int i = 0; i < 10; i++)
        {
            run.Rig.Server.Receive(ServerBench.Path(2), SessionRig.Record(run.Clients[1], [(byte)i]));
        }

        Assert.Equal(1 + HeldSessionMessage.MaxOfSession, early.Count);
        Assert.Equal(10 - HeldSessionMessage.MaxOfSession, run.Rig.Server.Counters.EarlyRecordsDropped);

        // One address has what it likes for the sessions of all others.
        const int Length = UnconfirmedSessionReceiveQueue.MaxLength - 100;
        for (int i = 0; i < 5; i++)
        {
            foreach (RecordLayer client in run.Clients[2..])
            {
                run.Rig.Server.Receive(ServerBench.Path(999), SessionRig.Record(client, new byte[Length]));
            }
        }

        int held = early.Count;
        Assert.InRange(held * Length, UnconfirmedSessionReceiveQueue.MaxBytes * 3 / 4, UnconfirmedSessionReceiveQueue.MaxBytes);
        Assert.Equal(11 + (5 * (Sessions - 2)) - held, run.Rig.Server.Counters.EarlyRecordsDropped);
        int small = 0;
        run.Rig.OnReceived = content => small += content.Length == 1 ? 1 : 0;
        run.Confirm();
        Assert.Equal(held, run.Rig.Received);
        Assert.Equal(0, early.Count);

        // Of the two others nothing had to go.
        Assert.Equal(1 + HeldSessionMessage.MaxOfSession, small);
    }

    [Fact]
    public async Task The_held_records_of_a_session_that_ends_unconfirmed_are_dropped()
    {
        using Loading run = await Loading.BeginAsync(withCid: true, sessions: 1);
        run.Rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(run.Clients[0], [1]));
        run.Rig.Opened.First().End(DtlsSessionEndReason.Closed, tells: false);
        Assert.Equal((0, 0), (run.Rig.Received, run.Rig.Server.SessionBackup!.Early.Count));
        Assert.Equal(1, run.Rig.Server.Counters.EarlyRecordsDropped);
    }

    /// <summary>Sessions that were loaded, and a store that has not confirmed their numbers yet.</summary>
    private sealed class Loading(SessionRig rig, RecordLayer[] clients, TaskCompletionSource kept) : IDisposable
    {
        public SessionRig Rig => rig;

        public RecordLayer[] Clients => clients;

        public static async Task<Loading> BeginAsync(bool withCid, int sessions)
        {
            MemorySessionBackup backup = new();
            using SessionRig before = new(backupOptions: backup.Options());
            RecordLayer[] clients = [.. Enumerable.Range(1, sessions).Select(host => before.Open(host, withCid).Client)];
            await before.Server.SessionBackup!.StopAsync();
            MemorySessionBackup left = backup.AfterCrash();
            SessionRig rig = new(clock: before.Clock, backupOptions: left.Options());
            Dictionary<ulong, ReadOnlyMemory<byte>> states = new(left.States);
            left.States.Clear();
            await rig.Server.SessionBackup!.StartAsync(default);
            TaskCompletionSource kept = new();
            left.BeforeSaving = _ => new ValueTask(kept.Task);
            Assert.All(states.Values, state => Assert.Equal(CoapDtlsSessionLoad.Loaded, left.Loader.TryLoad(state.Span)),
                throwIfEmpty: true);
            return new Loading(rig, clients, kept);
        }

        public void Confirm() => MemorySessionBackup.Complete(kept.SetResult);

        public void Dispose() => rig.Dispose();
    }
}
