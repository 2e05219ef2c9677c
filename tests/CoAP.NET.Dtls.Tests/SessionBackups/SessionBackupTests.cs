namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Sessions that outlive the process of the server.</summary>
public sealed class SessionBackupTests : IDisposable
{
    private const ulong Reserve = RecordLayer.NumbersOfReserve;

    private readonly MemorySessionBackup _backup = new();
    private readonly SessionRig _rig;

    public SessionBackupTests() => _rig = new SessionRig(backupOptions: _backup.Options());

    public void Dispose() => _rig.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Sessions_continue_after_a_stop_with_the_next_record_number_and_accept_no_replay(bool withCid)
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, backupOptions: _backup.Options());
        (DtlsSession session, RecordLayer client) = before.Open(1, withCid, "user-1");
        byte[] replay = SessionRig.Record(client, [1]);
        byte[] late = SessionRig.Record(client, [2]);
        Assert.True(before.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [3])));
        Assert.True(before.Server.Receive(ServerBench.Path(1), [.. replay]));
        List<ulong> numbers = [];
        before.OnSent = (_, datagram) => numbers.Add(Sequence(datagram));
        Assert.True(session.Send([1]));
        await before.Server.SessionBackup!.StopAsync();

        // Nothing is sent or taken beyond what was kept, and the client is told nothing.
        Assert.False(session.Send([2]));
        Assert.False(before.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [4])));
        Assert.Equal((session, DtlsSessionEndReason.Saved), Assert.Single(before.Closed));
        Assert.True(_backup.HasStopped);

        clock.Advance(FromSeconds(10));
        using SessionRig after = new(clock: clock, backupOptions: _backup.Options());
        Assert.Equal(1, await after.Server.SessionBackup!.StartAsync(default));
        DtlsSession loaded = Assert.Single(after.Opened);
        Assert.Equal(("user-1", session.Suite, session.Path), (loaded.PskIdentity, loaded.Suite, loaded.Path));
        Assert.Equal(FromSeconds(10), loaded.Idle);
        Assert.Equal(SessionRig.MaxContent, loaded.MaxContent);
        Assert.False(loaded.Send(new byte[SessionRig.MaxContent + 1]));
        after.OnSent = (path, datagram) =>
        {
            numbers.Add(Sequence(datagram));
            Assert.True(RecordHeader.TryRead(datagram, 0, out RecordHeader header));
            Assert.Equal(RecordOpenResult.Opened, client.Open(header, datagram, out _, out _, out _));
        };
        Assert.True(loaded.Send([3]));
        Assert.Equal([0UL, 1UL], numbers);

        Assert.False(after.Server.Receive(ServerBench.Path(1), replay));
        Assert.False(after.Server.Receive(ServerBench.Path(1), late));
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [4])));
        Assert.Equal(withCid, after.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [5])));
        loaded.LeaveFormerPath(ServerBench.Path(2).Remote);
        Assert.Equal(withCid ? 2 : 1, after.Received);
        Assert.Equal(2, after.Server.Counters.RecordsReplayed);
    }

    [Fact]
    [Rfc("9853-5.1-1")]
    public async Task An_address_that_the_peer_has_not_confirmed_is_not_saved()
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, backupOptions: _backup.Options());
        (DtlsSession session, RecordLayer client) = before.Open(1);
        Assert.True(before.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [1])));
        Assert.Equal(ServerBench.Path(2), session.Path);
        await before.Server.SessionBackup!.StopAsync();

        using SessionRig after = new(clock: clock, backupOptions: _backup.Options());
        Assert.Equal(1, await after.Server.SessionBackup!.StartAsync(default));
        Assert.Equal(ServerBench.Path(1), Assert.Single(after.Opened).Path);
    }

    [Fact]
    public async Task A_backup_whose_start_failed_may_load_further_sessions_and_keeps_those_already_loaded()
    {
        (_, RecordLayer first) = _rig.Open(1);
        (_, RecordLayer second) = _rig.Open(2);
        MemorySessionBackup left = _backup.AfterCrash();
        left.FailsAfter = 1;

        using SessionRig after = new(clock: _rig.Clock, backupOptions: left.Options());
        await Assert.ThrowsAsync<IOException>(async () => await after.Server.SessionBackup!.StartAsync(default));
        Assert.Single(after.Opened);
        Assert.Equal([CoapDtlsSessionLoad.Known, CoapDtlsSessionLoad.Loaded],
            left.States.Values.Select(state => left.Loader.TryLoad(state.Span)));
        Assert.Equal(2, after.Opened.Count);
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(first, [1])));
        Assert.True(after.Server.Receive(ServerBench.Path(2), SessionRig.Record(second, [1])));
        Assert.Equal(2, after.Received);
    }

    [Fact]
    public void A_session_is_backed_up_when_it_is_established_and_when_half_of_its_numbers_are_used()
    {
        (DtlsSession session, _) = _rig.Open(1);
        for (int i = 0; i < 100; i++)
        {
            Assert.True(session.Send([1]));
        }

        Assert.Equal([CoapDtlsSessionChangeKind.Made], _backup.Kinds);
        session.SkipTo((Reserve / 2) - 2);
        Assert.True(session.Send([1]));
        Assert.Single(_backup.Batches);
        Assert.True(session.Send([1]));
        Assert.True(session.Send([1]));
        Assert.Equal([CoapDtlsSessionChangeKind.Made, CoapDtlsSessionChangeKind.Reserved], _backup.Kinds);
        session.SkipTo(Reserve + 10);
        Assert.True(session.Send([1]));
    }

    [Fact]
    public void The_stamp_that_the_backup_sets_on_a_session_is_on_all_its_later_changes_also_after_a_failure()
    {
        _backup.BeforeSaving = changes =>
        {
            Assert.Single(changes).Stamp = 7;
            return ValueTask.FromException(new IOException("The store is away."));
        };
        (DtlsSession session, _) = _rig.Open(1);
        _backup.BeforeSaving = null;
        _rig.Clock.Advance(FromMinutes(1));
        _rig.Server.SessionBackup!.Tick();
        session.SkipTo(Reserve / 2);
        Assert.True(session.Send([1]));
        session.End(DtlsSessionEndReason.Closed, tells: false);

        CoapDtlsSessionChange[] changes = [.. _backup.Batches.SelectMany(batch => batch)];
        Assert.Equal(CoapDtlsSessionChangeKind.Ended, changes[^1].Kind);
        Assert.All(changes, change => Assert.Equal(7, change.Stamp));
    }

    [Fact]
    public async Task A_session_that_another_server_had_meanwhile_replaces_the_previous_instance()
    {
        await _rig.Server.SessionBackup!.StartAsync(default);
        _backup.BeforeSaving = changes =>
        {
            foreach (CoapDtlsSessionChange change in changes)
            {
                change.Stamp = change.Stamp == 0 ? 5 : change.Stamp;
            }

            return default;
        };
        (DtlsSession before, _) = _rig.Open(1);
        byte[] state = [.. Assert.Single(_backup.States).Value.Span];

        Assert.Equal(CoapDtlsSessionLoad.Known, _backup.Loader.TryLoad(state, 5));
        Assert.False(before.IsClosed);
        Assert.Equal(CoapDtlsSessionLoad.Loaded, _backup.Loader.TryLoad(state, 7));

        Assert.Equal((before, DtlsSessionEndReason.TakenOver), Assert.Single(_rig.Closed));
        ulong number = 0;
        _rig.OnSent = (_, datagram) => number = Sequence(datagram);
        Assert.True(_rig.Opened.Last().Send([1]));
        Assert.Equal(Reserve, number);
        Assert.Equal(7, _backup.Batches[^1].Single().Stamp);
        Assert.DoesNotContain(CoapDtlsSessionChangeKind.Ended, _backup.Kinds);
    }

    [Fact]
    public void A_session_waits_for_the_confirmation_of_its_record_numbers_before_it_uses_them()
    {
        (DtlsSession session, RecordLayer client) = _rig.Open(1);
        TaskCompletionSource confirmed = new();
        _backup.BeforeSaving = _ => new ValueTask(confirmed.Task);
        session.SkipTo(Reserve - 20);
        ulong last = 0;
        _rig.OnSent = (_, datagram) => last = Sequence(datagram);
        while (session.Send([1]))
        {
        }

        // The last few are for saying that it ends. What cannot be answered is held.
        Assert.InRange(last, Reserve - 20, Reserve - 17);
        byte[] request = SessionRig.Record(client, [1]);
        Assert.True(_rig.Server.Receive(ServerBench.Path(1), [.. request]));
        Assert.Equal(0, _rig.Received);
        Assert.Empty(_rig.Closed);

        // What was to be sent goes first.
        MemorySessionBackup.Complete(confirmed.SetResult);
        Assert.Equal((1, Reserve - 16), (_rig.Received, last));
        Assert.False(_rig.Server.Receive(ServerBench.Path(1), request));
        Assert.True(session.Send([1]));
        Assert.Equal(Reserve - 15, last);
    }

    [Fact]
    public void A_session_whose_record_numbers_are_not_confirmed_in_time_ends_with_an_alert()
    {
        (DtlsSession session, _) = _rig.Open(1);
        _backup.BeforeSaving = _ => ValueTask.FromException(new IOException("The store is away."));
        session.SkipTo(Reserve - 17);
        Assert.True(session.Send([1]));
        Assert.False(session.Send([1]));
        _rig.Clock.Advance(FromSeconds(29));
        _rig.Server.Tick();
        Assert.Empty(_rig.Closed);
        long sent = _rig.Sent;
        _rig.Clock.Advance(FromSeconds(1));
        _rig.Server.Tick();
        Assert.Equal((session, DtlsSessionEndReason.Unconfirmed), Assert.Single(_rig.Closed));
        Assert.Equal(sent + 1, _rig.Sent);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_start_backs_up_no_session_and_later_only_those_that_send_or_receive(bool isSpokenTo)
    {
        RecordLayer[] clients = [.. Enumerable.Range(1, 20).Select(host => _rig.Open(host).Client)];
        MemorySessionBackup left = _backup.AfterCrash();
        using SessionRig after = new(clock: _rig.Clock, backupOptions: left.Options());
        Assert.Equal(20, await after.Server.SessionBackup!.StartAsync(default));
        for (int i = 0; i < 100; i++)
        {
            after.Clock.Advance(FromSeconds(10));
            after.Server.Tick();
        }

        Assert.Empty(left.Batches);
        Assert.Empty(after.Closed);
        Assert.Equal(20, left.States.Count);

        if (isSpokenTo)
        {
            Assert.True(after.Opened.Single(session => session.Path == ServerBench.Path(7)).Send([1]));
        }
        else
        {
            Assert.True(after.Server.Receive(ServerBench.Path(7), SessionRig.Record(clients[6], [1])));
            Assert.Equal(1, after.Received);
        }

        Assert.Equal([CoapDtlsSessionChangeKind.Reserved], left.Kinds);
    }

    [Fact]
    public async Task The_first_records_of_restored_sessions_are_confirmed_in_batches_of_limited_size()
    {
        const int Sessions = 2_500;
        for (int host = 1; host <= Sessions; host++)
        {
            _rig.Open(host);
        }

        MemorySessionBackup left = _backup.AfterCrash();
        using SessionRig after = new(clock: _rig.Clock, backupOptions: left.Options());
        Assert.Equal(Sessions, await after.Server.SessionBackup!.StartAsync(default));
        TaskCompletionSource confirmed = new();
        left.BeforeSaving = _ => new ValueTask(confirmed.Task);
        Assert.All(after.Opened, session => Assert.False(session.Send([1])), throwIfEmpty: true);
        MemorySessionBackup.Complete(confirmed.SetResult);

        // Records that arrived during the first batch go into the next ones.
        Assert.Equal([1, 1_000, 1_000, Sessions - 2_001], left.Batches.Select(batch => batch.Length));
        Assert.Equal(Sessions, after.Sent);
    }

    [Fact]
    public async Task A_loaded_session_that_is_not_confirmed_ends_without_an_alert()
    {
        _rig.Open(1);
        MemorySessionBackup left = _backup.AfterCrash();
        left.BeforeSaving = _ => ValueTask.FromException(new IOException("The store is away."));
        using SessionRig after = new(clock: _rig.Clock, backupOptions: left.Options());
        Assert.Equal(1, await after.Server.SessionBackup!.StartAsync(default));
        Assert.False(Assert.Single(after.Opened).Send([1]));
        after.Clock.Advance(FromSeconds(30));
        after.Server.Tick();
        Assert.Equal(DtlsSessionEndReason.Unconfirmed, Assert.Single(after.Closed).Reason);
        Assert.Equal(0, after.Sent);
    }

    [Fact]
    public void Received_records_are_saved_every_five_seconds_in_a_single_batch()
    {
        RecordLayer[] clients = [.. Enumerable.Range(1, 20).Select(host => _rig.Open(host).Client)];
        _backup.Batches.Clear();
        _rig.Clock.Advance(FromSeconds(5));
        _rig.Server.Tick();
        _backup.Batches.Clear();

        for (int host = 1; host <= 10; host++)
        {
            Assert.True(_rig.Server.Receive(ServerBench.Path(host), SessionRig.Record(clients[host - 1], [1])));
        }

        // Shortly after, so that the order of the sessions does not change.
        _rig.Clock.Advance(FromMilliseconds(900));
        Assert.True(_rig.Server.Receive(ServerBench.Path(3), SessionRig.Record(clients[2], [1])));
        _rig.Clock.Advance(FromMilliseconds(4_000));
        _rig.Server.Tick();
        Assert.Empty(_backup.Batches);
        _rig.Clock.Advance(FromMilliseconds(100));
        _rig.Server.Tick();
        Assert.Equal(10, Assert.Single(_backup.Batches).Length);
        Assert.All(_backup.Kinds, kind => Assert.Equal(CoapDtlsSessionChangeKind.Heard, kind));
        _rig.Clock.Advance(FromSeconds(5));
        _rig.Server.Tick();
        Assert.Single(_backup.Batches);
    }

    [Fact]
    public void A_record_received_shortly_after_a_save_is_saved_the_next_time()
    {
        (_, RecordLayer client) = _rig.Open(1);
        _rig.Clock.Advance(FromMilliseconds(4_800));
        Assert.True(_rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));
        _rig.Clock.Advance(FromMilliseconds(200));
        _rig.Server.Tick();
        _rig.Clock.Advance(FromMilliseconds(100));
        Assert.True(_rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));
        _backup.Batches.Clear();
        _rig.Clock.Advance(FromSeconds(5));
        _rig.Server.Tick();
        Assert.Equal([CoapDtlsSessionChangeKind.Heard], _backup.Kinds);
    }

    [Fact]
    public void An_ended_session_is_removed_from_the_store_and_a_refused_session_ends_without_an_alert()
    {
        (DtlsSession one, _) = _rig.Open(1);
        (DtlsSession other, _) = _rig.Open(2);
        Assert.Equal(2, _backup.States.Count);
        one.End(DtlsSessionEndReason.Closed, tells: false);
        Assert.Single(_backup.States);

        _backup.BeforeSaving = changes =>
        {
            changes[0].Refuse();
            return default;
        };
        other.SkipTo(Reserve / 2);
        long sent = _rig.Sent;
        Assert.True(other.Send([1]));
        Assert.Equal((other, DtlsSessionEndReason.TakenOver), _rig.Closed.Last());
        Assert.Equal(sent + 1, _rig.Sent);

        // What is kept of it is the other server's.
        Assert.Single(_backup.States);
        Assert.Equal(0, _rig.Server.SessionCount);
    }

    [Fact]
    public void Changes_that_a_backup_failed_to_save_are_retried_with_the_newest_state_at_growing_intervals()
    {
        MemorySessionBackup backup = new() { BeforeSaving = _ => ValueTask.FromException(new IOException("The store is away.")) };
        int failures = 0;
        using SessionRig rig = new(backupOptions: backup.Options());
        DtlsSession[] sessions = [.. Enumerable.Range(1, 50).Select(host => rig.Open(host).Session)];
        Assert.Single(backup.Batches);
        for (int second = 1; second <= 120; second++)
        {
            rig.Clock.Advance(FromSeconds(1));
            rig.Server.Tick();
            failures = backup.Batches.Count;
        }

        Assert.InRange(failures, 5, 12);
        sessions[0].End(DtlsSessionEndReason.Closed, tells: false);
        backup.BeforeSaving = null;
        backup.Batches.Clear();
        for (int second = 1; second <= 31; second++)
        {
            rig.Clock.Advance(FromSeconds(1));
            rig.Server.Tick();
        }

        Assert.Equal(49, backup.States.Count);
        Assert.Equal(1, backup.Kinds.Count(kind => kind == CoapDtlsSessionChangeKind.Ended));
    }

    [Fact]
    public async Task A_modified_state_or_a_state_of_another_key_is_not_loaded()
    {
        _rig.Open(1);
        byte[] state = _backup.AfterCrash().States.Values.Single().ToArray();
        MemorySessionBackup empty = new();
        using SessionRig after = new(backupOptions: empty.Options());
        await after.Server.SessionBackup!.StartAsync(default);
        for (int i = 0; i < state.Length; i += 7)
        {
            byte[] changed = [.. state];
            changed[i] ^= 1;
            Assert.Equal(CoapDtlsSessionLoad.Unreadable, empty.Loader.TryLoad(changed));
        }

        for (int length = 0; length < state.Length; length += 11)
        {
            Assert.Equal(CoapDtlsSessionLoad.Unreadable, empty.Loader.TryLoad(state.AsSpan(0, length)));
        }

        MemorySessionBackup other = new();
        using SessionRig ofOther = new(backupOptions: new CoapDtlsSessionBackupOptions(other, new byte[32]));
        await ofOther.Server.SessionBackup!.StartAsync(default);
        Assert.Equal(CoapDtlsSessionLoad.Unreadable, other.Loader.TryLoad(state));
        Assert.Equal(0, after.Server.SessionCount + ofOther.Server.SessionCount);
        Assert.Equal(CoapDtlsSessionLoad.Loaded, empty.Loader.TryLoad(state));
        Assert.Equal(CoapDtlsSessionLoad.Known, empty.Loader.TryLoad(state));
        Assert.Empty(empty.Batches);
        await after.Server.SessionBackup!.StopAsync();
        Assert.Equal(CoapDtlsSessionLoad.Stopped, empty.Loader.TryLoad(state));
    }

    [Fact]
    public async Task Sessions_that_are_expired_used_up_or_exceed_the_limit_are_not_loaded()
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, backupOptions: _backup.Options());
        for (int host = 1; host <= 6; host++)
        {
            before.Open(host, host % 2 == 0, $"{host}");
            clock.Advance(FromMinutes(10));
        }

        MemorySessionBackup left = _backup.AfterCrash();
        clock.Advance(FromMinutes(10));
        using SessionRig after =
            new(new DtlsServerLimits { MaxSessions = 2, IdleTimeout = FromMinutes(41) }, clock, left.Options());
        Assert.Equal(2, await after.Server.SessionBackup!.StartAsync(default));
        Assert.Equal(["5", "6"], after.Opened.Select(session => session.PskIdentity));
        Assert.Equal(3, left.Loads.Count(load => load == CoapDtlsSessionLoad.Expired));
        Assert.Equal(2, left.States.Count);
        Assert.Empty(after.Closed);

        // The order is kept: the next to go is the one that was idle longest.
        after.Open(7);
        Assert.Equal("5", Assert.Single(after.Closed).Session.PskIdentity);
    }

    [Fact]
    public async Task A_session_whose_keys_are_used_up_by_crashes_requires_a_new_handshake()
    {
        MemorySessionBackup backup = new();
        SessionRig rig = new(backupOptions: backup.Options());
        rig.Open(1);
        int crashes = 0;
        while (rig.Server.SessionCount == 1 && crashes < 1_000)
        {
            backup = backup.AfterCrash();
            SessionRig next = new(clock: rig.Clock, backupOptions: backup.Options());
            await next.Server.SessionBackup!.StartAsync(default);

            // One that sleeps uses up nothing.
            next.Opened.FirstOrDefault()?.Send([1]);
            rig.Dispose();
            rig = next;
            crashes++;
        }

        Assert.InRange((ulong)crashes, 10UL, CipherSuite.All[0].MaxRecords / Reserve);
        Assert.Equal(CoapDtlsSessionLoad.UsedUp, Assert.Single(backup.Loads));
        Assert.Empty(backup.States);
        rig.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_loaded_session_does_not_end_the_newer_session_of_its_client(bool isPlain)
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, backupOptions: _backup.Options());
        (_, RecordLayer old) = before.Open(1, withCid: true, "user");

        // The clock there is ahead: what was kept seems to be of just now.
        VirtualClock behind = new();
        MemorySessionBackup own = new();
        using SessionRig after = new(clock: behind, backupOptions: own.Options());
        await after.Server.SessionBackup!.StartAsync(default);
        (DtlsSession made, RecordLayer client) = after.Open(1, withCid: !isPlain, "user");

        Assert.Equal(CoapDtlsSessionLoad.Loaded, own.Loader.TryLoad(_backup.States.Values.Single().Span));

        Assert.False(made.IsClosed);
        Assert.Equal(isPlain, after.Server.Find(ServerBench.Path(1)) != made);
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));

        // The other one is of somebody who may come back to it.
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(old, [2])));
        Assert.Equal(2, after.Server.SessionCount);
    }

    [Fact]
    public async Task A_loaded_session_of_another_server_does_not_prevent_saving_of_recently_active_sessions()
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, backupOptions: _backup.Options());
        before.Open(1);
        clock.Advance(FromMinutes(10));
        MemorySessionBackup own = new();
        using SessionRig after = new(clock: clock, backupOptions: own.Options());
        await after.Server.SessionBackup!.StartAsync(default);
        (_, RecordLayer client) = after.Open(2);
        clock.Advance(FromSeconds(5));
        after.Server.Tick();
        Assert.True(after.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [1])));
        Assert.Equal(CoapDtlsSessionLoad.Loaded, own.Loader.TryLoad(_backup.States.Values.Single().Span));
        own.Batches.Clear();
        clock.Advance(FromSeconds(5));
        after.Server.Tick();
        Assert.Equal([CoapDtlsSessionChangeKind.Heard], own.Kinds);
    }

    [Fact]
    public void A_backed_up_session_uses_at_most_32_bytes_more()
    {
        using SessionRig plain = new();
        using SessionRig kept = new(backupOptions: new MemorySessionBackup().Options());
        Assert.InRange(BytesOfSession(kept) - BytesOfSession(plain), 0, 32);

        static long BytesOfSession(SessionRig rig)
        {
            const int Count = 100;
            rig.Make(1);
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Count; i++)
            {
                rig.Make(1);
            }

            return (GC.GetAllocatedBytesForCurrentThread() - before) / Count;
        }
    }

    private static ulong Sequence(byte[] datagram) =>
        RecordHeader.TryRead(datagram, 0, out RecordHeader header) ? header.Sequence : ulong.MaxValue;
}
