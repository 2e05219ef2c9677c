namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>A backup that stores apart what messages change gets the complete state of a session rarely, and both parts make one.</summary>
public sealed class ProgressTests
{
    private const ulong Reserve = RecordLayer.NumbersOfReserve;
    private static readonly TimeSpan s_interval = FromSeconds(6);
    private static readonly TimeSpan s_idle = new DtlsServerLimits().IdleTimeout;

    private readonly MemorySessionBackup _backup = new() { Loses = _ => true };

    private IEnumerable<CoapDtlsSessionChange> Changes => _backup.Batches.SelectMany(batch => batch);

    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 1)]
    public async Task A_received_message_changes_only_the_progress_which_prevents_replays_after_loading(bool hasProgress, int received)
    {
        using SessionRig before = new(backupOptions: Options());
        (_, RecordLayer client) = before.Open(1);
        before.Clock.Advance(FromMinutes(1));
        byte[] message = Hear(before, client);
        CoapDtlsSessionChange[] changes = [.. Changes];
        Assert.Equal([CoapDtlsSessionChangeKind.Made, CoapDtlsSessionChangeKind.Heard], changes.Select(change => change.Kind));
        Assert.Equal([0, 24], changes.Select(change => change.Progress.Length));
        Assert.Equal([false, true], changes.Select(change => change.State.IsEmpty));

        MemorySessionBackup left = new();
        using SessionRig after = new(clock: before.Clock, backupOptions: left.Options());
        await after.Server.SessionBackup!.StartAsync(default);
        Assert.Equal(CoapDtlsSessionLoad.Loaded,
            left.Loader.TryLoadParts(changes[0].State.Span, hasProgress ? changes[1].Progress.Span : [], 0));

        DtlsSession loaded = Assert.Single(after.Opened);
        Assert.Equal(hasProgress ? s_interval : s_interval + FromMinutes(1), loaded.Idle);
        after.Server.Receive(ServerBench.Path(1), message);
        Assert.Equal(received, after.Received);
        after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [2]));
        Assert.Equal(received + 1, after.Received);
    }

    [Fact]
    public async Task Record_numbers_reserved_with_the_progress_are_used_once_also_with_a_newer_state()
    {
        using SessionRig before = new(backupOptions: Options());
        (DtlsSession session, RecordLayer client) = before.Open(1);
        session.SkipTo(Reserve / 2);
        Assert.True(session.Send([1]));
        ReadOnlyMemory<byte> first = Changes.Last().Progress;
        Assert.Equal(CoapDtlsSessionChangeKind.Reserved, Changes.Last().Kind);

        // Another address: the complete state, which contains what was reserved.
        Hear(before, client, host: 2);
        CoapDtlsSessionChange moved = Changes.Last();
        Assert.False(moved.State.IsEmpty);

        (ReadOnlyMemory<byte>, ReadOnlyMemory<byte>)[] stored =
            [(Changes.First().State, first), (moved.State, default), (moved.State, first)];
        foreach ((ReadOnlyMemory<byte> state, ReadOnlyMemory<byte> progress) in stored)
        {
            MemorySessionBackup left = new();
            using SessionRig after = new(clock: before.Clock, backupOptions: left.Options());
            await after.Server.SessionBackup!.StartAsync(default);
            Assert.Equal(CoapDtlsSessionLoad.Loaded, left.Loader.TryLoadParts(state.Span, progress.Span, 0));
            ulong number = 0;
            after.OnSent = (_, datagram) => number = RecordHeader.TryRead(datagram, 0, out RecordHeader header) ? header.Sequence : 0;
            Assert.True(Assert.Single(after.Opened).Send([3]));
            Assert.Equal(2 * Reserve, number);
        }
    }

    [Fact]
    public void The_complete_state_is_saved_after_an_address_change_a_failure_and_half_of_the_idle_time()
    {
        using SessionRig rig = new(backupOptions: Options());
        (_, RecordLayer client) = rig.Open(1);
        Hear(rig, client);
        Hear(rig, client, host: 2);
        Hear(rig, client, host: 2);
        _backup.BeforeSaving = _ => ValueTask.FromException(new IOException("The store is away."));
        Hear(rig, client, host: 3);
        _backup.BeforeSaving = null;
        Hear(rig, client, host: 3);
        Hear(rig, client, host: 3);
        rig.Clock.Advance(s_idle / 2);
        Hear(rig, client, host: 3);
        Hear(rig, client, host: 3);

        Assert.Equal([true, false, true, false, true, true, false, true, false], Changes.Select(change => !change.State.IsEmpty));
        Assert.All(Changes, change => Assert.NotEqual(change.State.IsEmpty, change.Progress.IsEmpty));

        // As long as the session could live with what its last message changed, its state is there.
        Assert.Equal(s_idle / 2, Changes.First().Expires - Changes.ElementAt(1).Expires);
    }

    [Fact]
    public async Task A_state_with_a_progress_of_another_format_is_unreadable()
    {
        using SessionRig before = new(backupOptions: Options());
        before.Open(1);
        MemorySessionBackup left = new();
        using SessionRig after = new(clock: before.Clock, backupOptions: left.Options());
        await after.Server.SessionBackup!.StartAsync(default);

        Assert.Equal(CoapDtlsSessionLoad.Unreadable, left.Loader.TryLoadParts(Changes.Single().State.Span, new byte[23], 0));
    }

    private static byte[] Hear(SessionRig rig, RecordLayer client, int host = 1)
    {
        byte[] record = SessionRig.Record(client, [1]);
        byte[] copy = [.. record];
        Assert.True(rig.Server.Receive(ServerBench.Path(host), copy));

        // The peer answers the check of a new address, without which it is not kept.
        rig.Opened.Single().LeaveFormerPath(ServerBench.Path(host).Remote);
        rig.Clock.Advance(s_interval);
        rig.Server.SessionBackup!.Tick();
        return record;
    }

    private CoapDtlsSessionBackupOptions Options() => new(_backup, MemorySessionBackup.Key) { StoresProgress = true };
}
