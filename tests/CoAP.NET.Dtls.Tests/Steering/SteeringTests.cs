using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>Datagrams that arrive at another server than that of their session.</summary>
public sealed class SteeringTests : IDisposable
{
    private readonly SteeredNodes _nodes = new(2);

    public void Dispose() => _nodes.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_slot_of_a_session_is_the_first_byte_of_its_Connection_ID_and_session_ID(bool withCid)
    {
        _nodes.Balance = () => 2;
        _nodes.Owners[200] = 1;
        BenchClient client = _nodes.Connect(1, withCid);

        DtlsSession session = Assert.Single(_nodes[2].Opened);
        byte slot = (byte)_nodes.Owners.IndexOf(2);
        Assert.Equal((128, slot), (slot, session.Slot!.Value));
        Assert.Equal(withCid ? [slot] : [], session.OwnCid.Length == 0 ? [] : session.OwnCid[..1].ToArray());
        Assert.Equal(slot, Assert.Single(_nodes[2].Backup.Batches.SelectMany(batch => batch)).Id.Span[0]);
        Assert.Equal((1, 0), (_nodes[2].Port.SessionsOf(slot), _nodes[2].Port.SessionsOf((byte)(slot + 1))));
        _nodes.Say(client, 1);
        Assert.Single(client.Received);

        session.End(DtlsSessionEndReason.Closed, tells: true);
        Assert.Equal(0, _nodes[2].Port.SessionsOf(slot));
    }

    [Fact]
    public void A_record_that_arrives_at_another_server_is_relayed_and_answered_from_there()
    {
        using SteeredNodes nodes = new(3);
        BenchClient client = nodes.Connect(1);
        nodes.Balance = () => 3;
        nodes.Sent.Clear();
        nodes.Say(client, 1);

        Assert.Equal([1], Assert.Single(nodes[1].Received));
        Assert.Single(client.Received);
        Assert.Equal((3, SteeredNodes.LocalOf(3)), Assert.Single(nodes.Sent));
        Assert.Equal(3, nodes[1].Opened[0].Path.Via);
        Assert.Equal((byte)0, Assert.Single(nodes[3].Relayed).Slot);

        // The next one comes directly, and so does its answer.
        nodes.Balance = () => 1;
        nodes.Say(client, 2);
        Assert.Equal((1, SteeredNodes.LocalOf(1)), nodes.Sent[^1]);
        Assert.Equal(0, nodes[1].Opened[0].Path.Via);
        Assert.Equal(2, client.Received.Count);
    }

    [Fact]
    public void A_relay_path_to_a_dead_server_is_skipped()
    {
        BenchClient client = _nodes.Connect(1);
        _nodes.Balance = () => 2;
        _nodes.Say(client, 1);
        _nodes.Down.Add(2);
        _nodes.Sent.Clear();
        Assert.True(_nodes[1].Opened[0].Send([7]));
        Assert.Equal(1, Assert.Single(_nodes.Sent).Node);
    }

    [Theory]
    [InlineData(true, false, 1, 1)]
    [InlineData(true, true, 2, 2)]
    [InlineData(false, false, 2, 3)]
    public async Task The_next_owner_of_a_session_sends_through_the_server_that_last_received_from_the_client(
        bool withCid, bool isDown, int by, int thenBy)
    {
        using SteeredNodes nodes = new(3);
        BenchClient client = nodes.Connect(1, withCid);
        byte slot = nodes[1].Opened[0].Slot!.Value;
        nodes.Say(client, 1);
        if (isDown)
        {
            nodes.Down.Add(1);
        }

        await nodes.MoveSlotAsync(slot, to: 2);
        DtlsSession moved = Assert.Single(nodes[2].Opened);
        nodes.Sent.Clear();
        Assert.True(moved.Send([7]));
        Assert.Equal(by, Assert.Single(nodes.Sent).Node);

        // And the one after that, which its client was not heard by either.
        await nodes.MoveSlotAsync(slot, to: 3);
        nodes.Sent.Clear();
        Assert.True(Assert.Single(nodes[3].Opened).Send([8]));
        Assert.Equal(thenBy, Assert.Single(nodes.Sent).Node);
    }

    [Fact]
    public void A_session_continues_when_the_NAT_binding_of_its_client_and_the_receiving_server_change()
    {
        using SteeredNodes nodes = new(3);
        BenchClient client = nodes.Connect(1);
        for (int i = 0; i < 9; i++)
        {
            int node = 1 + (i % 3);
            nodes.Balance = () => node;
            nodes.Move(client, 2 + i);
            nodes.Say(client, (byte)i);
        }

        Assert.Equal(9, nodes[1].Received.Count);
        Assert.Equal(9, client.Received.Count);
        Assert.Equal(9, nodes[1].Server.Counters.AddressChanges);
        Assert.Single(nodes[1].Opened);
        Assert.Empty(nodes[2].Opened.Concat(nodes[3].Opened));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_balancer_that_distributes_datagrams_at_random_only_causes_relays(bool withCid)
    {
        using SteeredNodes nodes = new(3);
        int next = 0;
        nodes.Balance = () => 1 + (next++ % 3);
        List<BenchClient> clients = [];

        // Where a ClientHello and its copy with a cookie go to different servers their cookies have to be those of the other: as they are
        // not, here the first two of each go to the same one.
        for (int host = 1; host <= 6; host++)
        {
            int node = 1 + (host % 3);
            int sent = 0;
            nodes.Balance = () => sent++ < 2 || !withCid ? node : 1 + (next++ % 3);
            clients.Add(nodes.Connect(host, withCid));
        }

        nodes.Balance = withCid ? () => 1 + (next++ % 3) : nodes.Balance;
        foreach (BenchClient client in withCid ? clients : clients[^1..])
        {
            for (int i = 0; i < 6; i++)
            {
                nodes.Say(client, (byte)i);
            }

            Assert.Equal(6, client.Received.Count);
        }

        Assert.Equal(6, nodes[1].Opened.Count + nodes[2].Opened.Count + nodes[3].Opened.Count);
        Assert.Equal(0, nodes[1].Server.HandshakeCount + nodes[2].Server.HandshakeCount + nodes[3].Server.HandshakeCount);
    }

    [Fact]
    public void A_server_without_slots_relays_a_ClientHello_and_all_other_messages_of_the_handshake()
    {
        using SteeredNodes nodes = new(1 + 1);
        for (int slot = 0; slot < 256; slot++)
        {
            nodes.Owners[slot] = 1;
        }

        nodes.Balance = () => 2;
        BenchClient client = nodes.Connect(1);
        nodes.Say(client, 1);

        Assert.Single(client.Received);
        Assert.Equal(2, Assert.Single(nodes[1].Opened).Path.Via);
        Assert.Equal(0, nodes[2].Server.Counters.CookiesSent);
        Assert.All(nodes.Sent, sent => Assert.Equal(2, sent.Node), throwIfEmpty: true);
    }

    [Fact]
    public void A_ClientHello_is_dropped_without_an_answer_when_no_server_has_a_slot()
    {
        using SteeredNodes nodes = new(1);
        for (int slot = 0; slot < 256; slot++)
        {
            nodes.Owners[slot] = 0;
        }

        BenchClient client = nodes.Connect(1);
        Assert.Null(client.Session);
        Assert.Empty(nodes.Sent);
        Assert.Equal((1, 0), (nodes[1].Server.Counters.RecordsIgnored, nodes[1].Server.HandshakeCount));
    }

    [Fact]
    public void A_record_of_an_unknown_session_is_relayed_once_and_then_dropped()
    {
        using SteeredNodes nodes = new(3);
        nodes.Connect(1);
        byte[] forged = SessionRig.Record(
            new RecordLayer(CipherSuite.All[0], SessionRig.Keys(1), false, [], [0, 1, 2, 3, 4, 5, 6, 7]), [1, 2, 3]);
        for (int slot = 0; slot < 256; slot++)
        {
            forged[11] = (byte)slot;
            nodes.Balance = () => 3;
            nodes.SendToServers(ServerBench.Path(99), [.. forged]);
        }

        // The slots of the two others, one relay for each; the owners relay nothing further.
        Assert.Equal(nodes.Owners.Count(owner => owner != 3), nodes[3].Relayed.Count);
        Assert.Empty(nodes[1].Relayed.Concat(nodes[2].Relayed));
        Assert.Empty(nodes[1].Received.Concat(nodes[2].Received).Concat(nodes[3].Received));
        Assert.Single(nodes[1].Opened.Concat(nodes[2].Opened).Concat(nodes[3].Opened));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_server_that_does_not_serve_ignores_records_and_accepts_their_copies_later(bool withCid)
    {
        BenchClient client = _nodes.Connect(1, withCid);
        CoapDtlsSteeringContext port = _nodes[1].Port;
        port.ServeFor(FromSeconds(3));
        _nodes.Clock.Advance(FromSeconds(2));
        _nodes.Say(client, 1);
        Assert.Single(_nodes[1].Received);

        _nodes.Clock.Advance(FromSeconds(1));
        (long ignored, long replayed) = (_nodes[1].Server.Counters.RecordsIgnored, _nodes[1].Server.Counters.RecordsReplayed);
        _nodes.Sent.Clear();
        _nodes.Say(client, 2);
        byte[] record = [.. client.Sent[^1]];
        Assert.False(port.Receive(2, client.Path.Remote, [.. record]));
        Assert.Null(_nodes.Connect(2).Session);
        byte[] other = [.. record];
        other[11] = 200;
        _nodes.SendToServers(ServerBench.Path(3), other);
        Assert.Equal(4, _nodes[1].Server.Counters.RecordsIgnored - ignored);
        Assert.Equal((0, replayed), (_nodes[1].Server.HandshakeCount, _nodes[1].Server.Counters.RecordsReplayed));
        Assert.Single(_nodes[1].Received);
        Assert.Empty(_nodes.Sent);
        Assert.Empty(_nodes[1].Relayed);

        // The same record, as it lay in a socket.
        port.ServeFor(FromSeconds(3));
        _nodes.SendToServers(client.Path, [.. record]);
        _nodes.Carry();
        Assert.Equal([1, 2], _nodes[1].Received.Select(content => content[0]));
        Assert.Equal(2, client.Received.Count);

        port.ServeFor(TimeSpan.Zero);
        _nodes.Say(client, 3);
        Assert.Equal(2, _nodes[1].Received.Count);
        foreach (TimeSpan endless in new[] { Timeout.InfiniteTimeSpan, TimeSpan.MaxValue })
        {
            port.ServeFor(endless);
            _nodes.Clock.Advance(FromHours(1));
            _nodes.Say(client, 4);
        }

        Assert.Equal(4, _nodes[1].Received.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => port.ServeFor(FromSeconds(-1)));
    }

    [Fact]
    public async Task Records_held_for_a_waiting_session_are_dropped_when_the_server_does_not_serve()
    {
        BenchClient client = _nodes.Connect(1);
        TaskCompletionSource kept = new();
        _nodes[2].Backup.BeforeSaving = _ => new ValueTask(kept.Task);
        await _nodes.MoveSlotAsync(0, to: 2);
        _nodes.Balance = () => 2;
        _nodes.Say(client, 1);
        Assert.Equal(1, _nodes[2].Server.SessionBackup!.Early.Count);

        _nodes[2].Port.ServeFor(TimeSpan.Zero);
        MemorySessionBackup.Complete(kept.SetResult);
        Assert.Equal(0, _nodes[2].Server.SessionBackup!.Early.Count);
        Assert.Empty(_nodes[2].Received);

        _nodes[2].Port.ServeFor(FromSeconds(3));
        _nodes.SendToServers(client.Path, [.. client.Sent[^1]]);
        Assert.Single(_nodes[2].Received);
    }

    [Fact]
    public void A_malformed_relay_has_no_effect()
    {
        BenchClient client = _nodes.Connect(1);
        _nodes.Say(client, 1);
        CoapAddress remote = client.Path.Remote;
        CoapDtlsSteeringContext port = _nodes[1].Port;
        client.Session!.Send([2]);
        byte[] record = client.Sent[^1];
        _nodes.Sent.Clear();

        Assert.Throws<ArgumentOutOfRangeException>(() => port.Receive(-1, remote, [.. record]));
        Assert.False(port.Receive(2, default, [.. record]));
        Assert.False(port.Receive(2, remote with { Port = 0 }, [.. record]));
        Assert.False(port.Receive(2, CoapAddress.FromIPv4(0xE0000101, 5_684), [.. record]));
        Assert.False(port.Receive(2, remote, []));
        Assert.False(port.Receive(2, remote, new byte[100_000]));
        Assert.False(port.Receive(2, remote, [.. record.Select((b, i) => i == 20 ? (byte)~b : b)]));
        Assert.False(port.Receive(2, remote, [.. record]));
        for (int length = 0; length < record.Length; length++)
        {
            Assert.False(port.Receive(2, remote, record.AsSpan(0, length).ToArray()));
        }

        Assert.False(port.Send(default, [1]));
        Assert.False(port.Send(remote, []));
        Assert.False(port.Send(remote, new byte[100_000]));
        Assert.Empty(_nodes.Sent);
        Assert.Equal(0, _nodes[1].Opened[0].Path.Via);

        // The session has suffered nothing.
        _nodes.Say(client, 3);
        Assert.Equal([1, 2, 3], _nodes[1].Received.Select(content => content[0]));
    }

    [Fact]
    public void An_exception_of_the_steering_loses_only_the_affected_datagrams()
    {
        BenchClient client = _nodes.Connect(1);
        _nodes.Balance = () => 2;
        _nodes.Say(client, 1);
        _nodes[1].Throws = _nodes[2].Throws = new InvalidOperationException("a defect");
        _nodes.Say(client, 2);
        _nodes.Connect(2);
        Assert.True(_nodes[1].Opened[0].Send([3]));
        Assert.Equal(3, _nodes[1].Failures.Count + _nodes[2].Failures.Count - 1);

        _nodes.Balance = () => 1;
        _nodes.Say(client, 4);
        Assert.Equal([1, 4], _nodes[1].Received.Select(content => content[0]));
    }

    [Fact]
    public async Task A_slot_is_handed_over_with_exactly_its_sessions()
    {
        BenchClient client = _nodes.Connect(1);
        BenchClient plain = _nodes.Connect(2, withCid: false);
        _nodes.Say(client, 1);
        _nodes.Say(plain, 2);
        await _nodes.MoveSlotAsync(0, to: 2);

        Assert.Equal(0, _nodes[1].Port.SessionsOf(0));
        Assert.Equal(2, _nodes[2].Port.SessionsOf(0));
        Assert.All(_nodes[1].Closed, closed => Assert.Equal(DtlsSessionEndReason.Saved, closed.Reason), throwIfEmpty: true);
        Assert.Empty(client.Ends.Concat(plain.Ends));

        // What still arrives at the old server goes to the new one, and nothing is asked of the client before an unsafe request.
        _nodes.Say(client, 0x40, 2, 0, 1);
        Assert.Equal([0x40, 2, 0, 1], Assert.Single(_nodes[2].Received));
        _nodes.Balance = () => 2;
        _nodes.Say(client, 4);
        _nodes.Say(plain, 5);
        Assert.Equal(3, _nodes[2].Received.Count);
        Assert.Equal((3, 2), (client.Received.Count, plain.Received.Count));

        // And back.
        await _nodes.MoveSlotAsync(0, to: 1);
        _nodes.Say(client, 6);
        Assert.Equal(4, client.Received.Count);
        Assert.Equal(2, _nodes[1].Port.SessionsOf(0));
        Assert.Equal(4, _nodes[1].Opened.Count);
    }

    [Fact]
    public async Task A_session_that_returns_while_its_slot_is_still_being_released_is_not_released()
    {
        BenchClient client = _nodes.Connect(1);
        TaskCompletionSource underWay = new();
        _nodes[1].InProgress = underWay.Task;
        Task released = _nodes[1].Port.ReleaseAsync(0, default);

        // The other server takes the slot as after a crash, and hands it over.
        _nodes[2].Load(_nodes[1], 0);
        await _nodes[2].Port.ReleaseAsync(0, default);
        ReadOnlyMemory<byte> state = Assert.Single(_nodes[2].Backup.States).Value;
        Assert.Equal(CoapDtlsSessionLoad.Loaded, _nodes[1].Backup.Loader.TryLoad(state.Span, stamp: 2));

        MemorySessionBackup.Complete(underWay.SetResult);
        await released;
        Assert.Equal(1, _nodes[1].Port.SessionsOf(0));
        _nodes.Say(client, 6);
        Assert.Single(client.Received);
        Assert.Equal([DtlsSessionEndReason.TakenOver], _nodes[1].Closed.Select(closed => closed.Reason));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task A_request_during_the_handover_of_its_session_is_served_by_the_next_server(int arrivesAt)
    {
        using SteeredNodes nodes = new(3);
        BenchClient client = nodes.Connect(1);
        TaskCompletionSource underWay = new();
        nodes[1].InProgress = underWay.Task;
        nodes.Balance = () => arrivesAt;
        Task released = nodes[1].Port.ReleaseAsync(0, default);

        // From here on the client is at another address. An acknowledgement is no request, and awaited.
        nodes.Move(client, 7);
        nodes.Say(client, 0x40, 2, 0, 1);
        nodes.Say(client, 0x60, 0, 0, 9);
        nodes.Say(client, 0x40, 1, 0, 2);
        Assert.Equal([0x60, 0, 0, 9], Assert.Single(nodes[1].Received));
        int via = arrivesAt == 1 ? 0 : arrivesAt;
        Assert.Equal([(via, 0, client.Path.Remote), (via, 0, client.Path.Remote)],
            nodes[1].Held.Select(held => (held.Via, (int)held.Slot, held.Remote)));

        MemorySessionBackup.Complete(underWay.SetResult);
        await released;
        nodes.Owners[0] = 2;
        nodes[2].Load(nodes[1], 0);
        Assert.Single(client.Received);

        // The first one came before something that was taken, so it may be a recording; the client repeats it.
        nodes[1].Held.ForEach(held => nodes[2].Port.Receive(via, held.Remote, held.Datagram));
        nodes.Carry();
        Assert.Equal(1, nodes[2].Server.Counters.RecordsReplayed);
        Assert.Equal([0x40, 1, 0, 2], Assert.Single(nodes[2].Received));
        Assert.Equal(2, client.Received.Count);
        Assert.Equal(client.Path.Remote, nodes[2].Opened[0].Path.Remote);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_that_is_not_held_during_the_handover_of_its_session_counts_as_not_received(bool throws)
    {
        BenchClient client = _nodes.Connect(1);
        TaskCompletionSource underWay = new();
        _nodes[1].InProgress = underWay.Task;
        _nodes[1].Holds = false;
        Task released = _nodes[1].Port.ReleaseAsync(0, default);
        _nodes[1].Throws = throws ? new InvalidOperationException("a defect") : null;
        long ignored = _nodes[1].Server.Counters.RecordsIgnored;
        _nodes.Say(client, 0x40, 2, 0, 1);
        Assert.Equal((1, throws ? 1 : 0), (_nodes[1].Server.Counters.RecordsIgnored - ignored, _nodes[1].Failures.Count));
        Assert.Empty(_nodes[1].Received);

        MemorySessionBackup.Complete(underWay.SetResult);
        await released;
        _nodes.Owners[0] = 2;
        _nodes[2].Load(_nodes[1], 0);
        _nodes.Balance = () => 2;
        _nodes.SendToServers(client.Path, [.. client.Sent[^1]]);
        Assert.Equal([0x40, 2, 0, 1], Assert.Single(_nodes[2].Received));
    }

    [Fact]
    public async Task Records_held_for_the_record_numbers_of_a_session_move_with_the_session()
    {
        BenchClient client = _nodes.Connect(1);
        await _nodes.MoveSlotAsync(0, to: 2);
        _nodes.Balance = () => 2;
        TaskCompletionSource kept = new();
        _nodes[2].Backup.BeforeSaving = _ => new ValueTask(kept.Task);
        _nodes.Say(client, 0x40, 2, 0, 1);
        Assert.Equal(1, _nodes[2].Server.SessionBackup!.Early.Count);

        TaskCompletionSource underWay = new();
        _nodes[2].InProgress = underWay.Task;
        Task released = _nodes[2].Port.ReleaseAsync(0, default);
        _nodes.Say(client, 0x40, 2, 0, 2);
        MemorySessionBackup.Complete(underWay.SetResult);
        MemorySessionBackup.Complete(kept.SetResult);
        await released;
        Assert.Empty(_nodes[2].Received);
        Assert.Equal(0, _nodes[2].Server.Counters.EarlyRecordsDropped);

        _nodes.Owners[0] = 1;
        _nodes[1].Load(_nodes[2], 0);
        Assert.All(_nodes[2].Held, held => Assert.True(_nodes[1].Port.Receive(0, held.Remote, held.Datagram)));
        Assert.Equal([1, 2], _nodes[1].Received.Select(content => (int)content[3]).Order());
    }

    [Fact]
    public async Task A_handshake_is_abandoned_when_its_slot_is_released()
    {
        int sent = 0;
        _nodes.Balance = () => ++sent < 3 ? 1 : throw new InvalidOperationException();
        Assert.Throws<InvalidOperationException>(() => _nodes.Connect(1));
        Assert.Equal(1, _nodes[1].Server.HandshakeCount);

        await _nodes[1].Port.ReleaseAsync(1, default);
        Assert.Equal(1, _nodes[1].Server.HandshakeCount);
        await _nodes[1].Port.ReleaseAsync(0, default);
        Assert.Equal(0, _nodes[1].Server.HandshakeCount);

        _nodes.Balance = () => 1;
        _nodes.Say(_nodes.Connect(1), 1);
        Assert.Single(_nodes[1].Received);
    }

    [Fact]
    public void A_handshake_in_progress_continues_at_a_server_that_has_no_slots_any_more()
    {
        int sent = 0;
        _nodes.Balance = () => ++sent < 3 ? 1 : throw new InvalidOperationException();
        Assert.Throws<InvalidOperationException>(() => _nodes.Connect(1));
        for (int slot = 0; slot < 256; slot++)
        {
            _nodes.Owners[slot] = 2;
        }

        // The client sends its ClientHello with the cookie again.
        _nodes.Balance = () => 1;
        _nodes.SendToServers(ServerBench.Path(1), _nodes.Arrived[1]);

        Assert.Empty(_nodes[1].Relayed);
        Assert.Equal((1, 0), (_nodes[1].Server.HandshakeCount, _nodes[2].Server.HandshakeCount));
        Assert.Equal(0, _nodes[1].Server.Counters.RecordsIgnored);
    }

    [Fact]
    public async Task A_release_that_the_store_does_not_confirm_fails_and_leaves_no_session_at_the_server()
    {
        BenchClient client = _nodes.Connect(1);
        _nodes[1].Backup.BeforeSaving = _ => ValueTask.FromException(new IOException("The store is away."));
        Task released = _nodes[1].Port.ReleaseAsync(0, default);
        Task again = _nodes[1].Port.ReleaseAsync(0, default);
        Assert.False(released.IsCompleted);
        Assert.Equal(0, _nodes[1].Port.SessionsOf(0));
        _nodes.Clock.Advance(FromSeconds(30));
        await Assert.ThrowsAsync<TimeoutException>(() => released);
        await Assert.ThrowsAsync<TimeoutException>(() => again);

        // Once it is back the states are kept nevertheless.
        _nodes[1].Backup.BeforeSaving = null;
        _nodes.Clock.Advance(FromMinutes(1));
        _nodes[1].Server.Tick();
        _nodes.Owners[0] = 2;
        _nodes[2].Load(_nodes[1], 0);
        _nodes.Say(client, 1);
        Assert.Single(client.Received);
    }
}
