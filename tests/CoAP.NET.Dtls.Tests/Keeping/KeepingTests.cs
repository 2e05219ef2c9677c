namespace CoAP.NET.Dtls.Tests.Keeping;

/// <summary>Sessions that outlive the process of the server.</summary>
public sealed class KeepingTests : IDisposable
{
    private const ulong Reserve = RecordLayer.NumbersOfReserve;

    private readonly MemoryKeeper _keeper = new();
    private readonly SessionRig _rig;

    public KeepingTests() => _rig = new SessionRig(keeping: _keeper.Keeping());

    public void Dispose() => _rig.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Sessions_continue_after_a_stop_with_the_next_record_number_and_accept_no_replay(bool withCid)
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, keeping: _keeper.Keeping());
        (DtlsSession session, RecordLayer client) = before.Open(1, withCid, "user-1");
        byte[] replay = SessionRig.Record(client, [1]);
        byte[] late = SessionRig.Record(client, [2]);
        Assert.True(before.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [3])));
        Assert.True(before.Server.Receive(ServerBench.Path(1), [.. replay]));
        List<ulong> numbers = [];
        before.OnSent = (_, datagram) => numbers.Add(Sequence(datagram));
        Assert.True(session.Send([1]));
        await before.Server.Keeper!.StopAsync();

        // Nothing is sent or taken beyond what was kept, and the client is told nothing.
        Assert.False(session.Send([2]));
        Assert.False(before.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [4])));
        Assert.Equal((session, DtlsEnd.Saved), Assert.Single(before.Closed));
        Assert.True(_keeper.HasStopped);

        clock.Advance(FromSeconds(10));
        using SessionRig after = new(clock: clock, keeping: _keeper.Keeping());
        Assert.Equal(1, await after.Server.Keeper!.StartAsync(default));
        DtlsSession loaded = Assert.Single(after.Opened);
        Assert.Equal(("user-1", session.Suite, session.Path), (loaded.PskIdentity, loaded.Suite, loaded.Path));
        Assert.Equal(FromSeconds(10), loaded.Idle);
        Assert.Equal(SessionRig.MaxContent, loaded.MaxContent);
        Assert.False(loaded.Send(new byte[SessionRig.MaxContent + 1]));
        after.OnSent = (path, datagram) =>
        {
            numbers.Add(Sequence(datagram));
            Assert.True(RecordHeader.TryRead(datagram, 0, out RecordHeader header));
            Assert.Equal(OpenResult.Opened, client.Open(header, datagram, out _, out _, out _));
        };
        Assert.True(loaded.Send([3]));
        Assert.Equal([0UL, 1UL], numbers);

        Assert.False(after.Server.Receive(ServerBench.Path(1), replay));
        Assert.False(after.Server.Receive(ServerBench.Path(1), late));
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [4])));
        Assert.Equal(withCid, after.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [5])));
        Assert.Equal(withCid ? 2 : 1, after.Received);
        Assert.Equal(2, after.Server.Counters.RecordsReplayed);
    }

    [Fact]
    public async Task A_keeper_whose_start_failed_may_load_further_sessions_and_keeps_those_already_loaded()
    {
        (_, RecordLayer first) = _rig.Open(1);
        (_, RecordLayer second) = _rig.Open(2);
        MemoryKeeper left = _keeper.AfterCrash();
        left.FailsAfter = 1;

        using SessionRig after = new(clock: _rig.Clock, keeping: left.Keeping());
        await Assert.ThrowsAsync<IOException>(async () => await after.Server.Keeper!.StartAsync(default));
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

        Assert.Equal([CoapDtlsSessionChangeKind.Made], _keeper.Kinds);
        session.SkipTo((Reserve / 2) - 2);
        Assert.True(session.Send([1]));
        Assert.Single(_keeper.Batches);
        Assert.True(session.Send([1]));
        Assert.True(session.Send([1]));
        Assert.Equal([CoapDtlsSessionChangeKind.Made, CoapDtlsSessionChangeKind.Reserved], _keeper.Kinds);
        session.SkipTo(Reserve + 10);
        Assert.True(session.Send([1]));
    }

    [Fact]
    public void The_stamp_that_the_keeper_sets_on_a_session_is_on_all_its_later_changes_also_after_a_failure()
    {
        _keeper.BeforeKeeping = changes =>
        {
            Assert.Single(changes).Stamp = 7;
            return ValueTask.FromException(new IOException("The store is away."));
        };
        (DtlsSession session, _) = _rig.Open(1);
        _keeper.BeforeKeeping = null;
        _rig.Clock.Advance(FromMinutes(1));
        _rig.Server.Keeper!.Tick();
        session.SkipTo(Reserve / 2);
        Assert.True(session.Send([1]));
        session.End(DtlsEnd.Closed, tells: false);

        CoapDtlsSessionChange[] changes = [.. _keeper.Batches.SelectMany(batch => batch)];
        Assert.Equal(CoapDtlsSessionChangeKind.Ended, changes[^1].Kind);
        Assert.All(changes, change => Assert.Equal(7, change.Stamp));
    }

    [Fact]
    public async Task A_session_that_another_server_had_meanwhile_replaces_the_previous_instance()
    {
        await _rig.Server.Keeper!.StartAsync(default);
        _keeper.BeforeKeeping = changes =>
        {
            foreach (CoapDtlsSessionChange change in changes)
            {
                change.Stamp = change.Stamp == 0 ? 5 : change.Stamp;
            }

            return default;
        };
        (DtlsSession before, _) = _rig.Open(1);
        byte[] state = [.. Assert.Single(_keeper.States).Value.Span];

        Assert.Equal(CoapDtlsSessionLoad.Known, _keeper.Loader.TryLoad(state, 5));
        Assert.False(before.IsClosed);
        Assert.Equal(CoapDtlsSessionLoad.Loaded, _keeper.Loader.TryLoad(state, 7));

        Assert.Equal((before, DtlsEnd.TakenOver), Assert.Single(_rig.Closed));
        ulong number = 0;
        _rig.OnSent = (_, datagram) => number = Sequence(datagram);
        Assert.True(_rig.Opened.Last().Send([1]));
        Assert.Equal(Reserve, number);
        Assert.Equal(7, _keeper.Batches[^1].Single().Stamp);
        Assert.DoesNotContain(CoapDtlsSessionChangeKind.Ended, _keeper.Kinds);
    }

    [Fact]
    public void A_session_waits_for_the_confirmation_of_its_record_numbers_before_it_uses_them()
    {
        (DtlsSession session, RecordLayer client) = _rig.Open(1);
        TaskCompletionSource confirmed = new();
        _keeper.BeforeKeeping = _ => new ValueTask(confirmed.Task);
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
        MemoryKeeper.Complete(confirmed.SetResult);
        Assert.Equal((1, Reserve - 16), (_rig.Received, last));
        Assert.False(_rig.Server.Receive(ServerBench.Path(1), request));
        Assert.True(session.Send([1]));
        Assert.Equal(Reserve - 15, last);
    }

    [Fact]
    public void A_session_whose_record_numbers_are_not_confirmed_in_time_ends_with_an_alert()
    {
        (DtlsSession session, _) = _rig.Open(1);
        _keeper.BeforeKeeping = _ => ValueTask.FromException(new IOException("The store is away."));
        session.SkipTo(Reserve - 17);
        Assert.True(session.Send([1]));
        Assert.False(session.Send([1]));
        _rig.Clock.Advance(FromSeconds(29));
        _rig.Server.Tick();
        Assert.Empty(_rig.Closed);
        long sent = _rig.Sent;
        _rig.Clock.Advance(FromSeconds(1));
        _rig.Server.Tick();
        Assert.Equal((session, DtlsEnd.Unconfirmed), Assert.Single(_rig.Closed));
        Assert.Equal(sent + 1, _rig.Sent);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_start_backs_up_no_session_and_later_only_those_that_send_or_receive(bool isSpokenTo)
    {
        RecordLayer[] clients = [.. Enumerable.Range(1, 20).Select(host => _rig.Open(host).Client)];
        MemoryKeeper left = _keeper.AfterCrash();
        using SessionRig after = new(clock: _rig.Clock, keeping: left.Keeping());
        Assert.Equal(20, await after.Server.Keeper!.StartAsync(default));
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
    public async Task The_first_records_of_very_many_sessions_are_confirmed_in_batches_of_limited_size()
    {
        const int Sessions = 2_500;
        for (int host = 1; host <= Sessions; host++)
        {
            _rig.Open(host);
        }

        MemoryKeeper left = _keeper.AfterCrash();
        using SessionRig after = new(clock: _rig.Clock, keeping: left.Keeping());
        Assert.Equal(Sessions, await after.Server.Keeper!.StartAsync(default));
        TaskCompletionSource confirmed = new();
        left.BeforeKeeping = _ => new ValueTask(confirmed.Task);
        Assert.All(after.Opened, session => Assert.False(session.Send([1])));
        MemoryKeeper.Complete(confirmed.SetResult);

        // What came while the first one was under way is gathered.
        Assert.Equal([1, 1_000, 1_000, Sessions - 2_001], left.Batches.Select(batch => batch.Length));
        Assert.Equal(Sessions, after.Sent);
    }

    [Fact]
    public async Task A_loaded_session_that_is_not_confirmed_ends_without_an_alert()
    {
        _rig.Open(1);
        MemoryKeeper left = _keeper.AfterCrash();
        left.BeforeKeeping = _ => ValueTask.FromException(new IOException("The store is away."));
        using SessionRig after = new(clock: _rig.Clock, keeping: left.Keeping());
        Assert.Equal(1, await after.Server.Keeper!.StartAsync(default));
        Assert.False(Assert.Single(after.Opened).Send([1]));
        after.Clock.Advance(FromSeconds(30));
        after.Server.Tick();
        Assert.Equal(DtlsEnd.Unconfirmed, Assert.Single(after.Closed).Reason);
        Assert.Equal(0, after.Sent);
    }

    [Fact]
    public void Received_records_are_saved_every_five_seconds_in_a_single_batch()
    {
        RecordLayer[] clients = [.. Enumerable.Range(1, 20).Select(host => _rig.Open(host).Client)];
        _keeper.Batches.Clear();
        _rig.Clock.Advance(FromSeconds(5));
        _rig.Server.Tick();
        _keeper.Batches.Clear();

        for (int host = 1; host <= 10; host++)
        {
            Assert.True(_rig.Server.Receive(ServerBench.Path(host), SessionRig.Record(clients[host - 1], [1])));
        }

        // Shortly after, so that the order of the sessions does not change.
        _rig.Clock.Advance(FromMilliseconds(900));
        Assert.True(_rig.Server.Receive(ServerBench.Path(3), SessionRig.Record(clients[2], [1])));
        _rig.Clock.Advance(FromMilliseconds(4_000));
        _rig.Server.Tick();
        Assert.Empty(_keeper.Batches);
        _rig.Clock.Advance(FromMilliseconds(100));
        _rig.Server.Tick();
        Assert.Equal(10, Assert.Single(_keeper.Batches).Length);
        Assert.All(_keeper.Kinds, kind => Assert.Equal(CoapDtlsSessionChangeKind.Heard, kind));
        _rig.Clock.Advance(FromSeconds(5));
        _rig.Server.Tick();
        Assert.Single(_keeper.Batches);
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
        _keeper.Batches.Clear();
        _rig.Clock.Advance(FromSeconds(5));
        _rig.Server.Tick();
        Assert.Equal([CoapDtlsSessionChangeKind.Heard], _keeper.Kinds);
    }

    [Fact]
    public void An_ended_session_is_removed_from_the_store_and_a_refused_session_ends_without_an_alert()
    {
        (DtlsSession one, _) = _rig.Open(1);
        (DtlsSession other, _) = _rig.Open(2);
        Assert.Equal(2, _keeper.States.Count);
        one.End(DtlsEnd.Closed, tells: false);
        Assert.Single(_keeper.States);

        _keeper.BeforeKeeping = changes =>
        {
            changes[0].Refuse();
            return default;
        };
        other.SkipTo(Reserve / 2);
        long sent = _rig.Sent;
        Assert.True(other.Send([1]));
        Assert.Equal((other, DtlsEnd.TakenOver), _rig.Closed.Last());
        Assert.Equal(sent + 1, _rig.Sent);

        // What is kept of it is the other server's.
        Assert.Single(_keeper.States);
        Assert.Equal(0, _rig.Server.SessionCount);
    }

    [Fact]
    public void Changes_that_a_keeper_failed_to_save_are_retried_with_the_newest_state_at_growing_intervals()
    {
        MemoryKeeper keeper = new() { BeforeKeeping = _ => ValueTask.FromException(new IOException("The store is away.")) };
        int failures = 0;
        using SessionRig rig = new(keeping: keeper.Keeping());
        DtlsSession[] sessions = [.. Enumerable.Range(1, 50).Select(host => rig.Open(host).Session)];
        Assert.Single(keeper.Batches);
        for (int second = 1; second <= 120; second++)
        {
            rig.Clock.Advance(FromSeconds(1));
            rig.Server.Tick();
            failures = keeper.Batches.Count;
        }

        Assert.InRange(failures, 5, 12);
        sessions[0].End(DtlsEnd.Closed, tells: false);
        keeper.BeforeKeeping = null;
        keeper.Batches.Clear();
        for (int second = 1; second <= 31; second++)
        {
            rig.Clock.Advance(FromSeconds(1));
            rig.Server.Tick();
        }

        Assert.Equal(49, keeper.States.Count);
        Assert.Equal(1, keeper.Kinds.Count(kind => kind == CoapDtlsSessionChangeKind.Ended));
    }

    [Fact]
    public async Task A_modified_state_or_a_state_of_another_key_is_not_loaded()
    {
        _rig.Open(1);
        byte[] state = _keeper.AfterCrash().States.Values.Single().ToArray();
        MemoryKeeper empty = new();
        using SessionRig after = new(keeping: empty.Keeping());
        await after.Server.Keeper!.StartAsync(default);
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

        MemoryKeeper other = new();
        using SessionRig ofOther = new(keeping: new CoapDtlsSessionBackupOptions(other, new byte[32]));
        await ofOther.Server.Keeper!.StartAsync(default);
        Assert.Equal(CoapDtlsSessionLoad.Unreadable, other.Loader.TryLoad(state));
        Assert.Equal(0, after.Server.SessionCount + ofOther.Server.SessionCount);
        Assert.Equal(CoapDtlsSessionLoad.Loaded, empty.Loader.TryLoad(state));
        Assert.Equal(CoapDtlsSessionLoad.Known, empty.Loader.TryLoad(state));
        Assert.Empty(empty.Batches);
        await after.Server.Keeper!.StopAsync();
        Assert.Equal(CoapDtlsSessionLoad.Stopped, empty.Loader.TryLoad(state));
    }

    [Fact]
    public async Task Sessions_that_are_expired_used_up_or_exceed_the_limit_are_not_loaded()
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, keeping: _keeper.Keeping());
        for (int host = 1; host <= 6; host++)
        {
            before.Open(host, host % 2 == 0, $"{host}");
            clock.Advance(FromMinutes(10));
        }

        MemoryKeeper left = _keeper.AfterCrash();
        clock.Advance(FromMinutes(10));
        using SessionRig after =
            new(new DtlsServerLimits { MaxSessions = 2, IdleTimeout = FromMinutes(41) }, clock, left.Keeping());
        Assert.Equal(2, await after.Server.Keeper!.StartAsync(default));
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
        MemoryKeeper keeper = new();
        SessionRig rig = new(keeping: keeper.Keeping());
        rig.Open(1);
        int crashes = 0;
        while (rig.Server.SessionCount == 1 && crashes < 1_000)
        {
            keeper = keeper.AfterCrash();
            SessionRig next = new(clock: rig.Clock, keeping: keeper.Keeping());
            await next.Server.Keeper!.StartAsync(default);

            // One that sleeps uses up nothing.
            next.Opened.FirstOrDefault()?.Send([1]);
            rig.Dispose();
            rig = next;
            crashes++;
        }

        Assert.InRange((ulong)crashes, 10UL, CipherSuite.All[0].MaxRecords / Reserve);
        Assert.Equal(CoapDtlsSessionLoad.UsedUp, Assert.Single(keeper.Loads));
        Assert.Empty(keeper.States);
        rig.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_loaded_session_does_not_end_the_newer_session_of_its_client(bool isPlain)
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock, keeping: _keeper.Keeping());
        (_, RecordLayer old) = before.Open(1, withCid: true, "user");

        // The clock there is ahead: what was kept seems to be of just now.
        VirtualClock behind = new();
        MemoryKeeper own = new();
        using SessionRig after = new(clock: behind, keeping: own.Keeping());
        await after.Server.Keeper!.StartAsync(default);
        (DtlsSession made, RecordLayer client) = after.Open(1, withCid: !isPlain, "user");

        Assert.Equal(CoapDtlsSessionLoad.Loaded, own.Loader.TryLoad(_keeper.States.Values.Single().Span));

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
        using SessionRig before = new(clock: clock, keeping: _keeper.Keeping());
        before.Open(1);
        clock.Advance(FromMinutes(10));
        MemoryKeeper own = new();
        using SessionRig after = new(clock: clock, keeping: own.Keeping());
        await after.Server.Keeper!.StartAsync(default);
        (_, RecordLayer client) = after.Open(2);
        clock.Advance(FromSeconds(5));
        after.Server.Tick();
        Assert.True(after.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [1])));
        Assert.Equal(CoapDtlsSessionLoad.Loaded, own.Loader.TryLoad(_keeper.States.Values.Single().Span));
        own.Batches.Clear();
        clock.Advance(FromSeconds(5));
        after.Server.Tick();
        Assert.Equal([CoapDtlsSessionChangeKind.Heard], own.Kinds);
    }

    [Fact]
    public void A_backed_up_session_uses_at_most_32_bytes_more()
    {
        using SessionRig plain = new();
        using SessionRig kept = new(keeping: new MemoryKeeper().Keeping());
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
