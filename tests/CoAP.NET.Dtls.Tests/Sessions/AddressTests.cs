namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Peers at other addresses (RFC 9146 section 6).</summary>
public sealed class AddressTests
{
    [Fact]
    public void An_older_record_from_another_address_is_delivered_and_does_not_move_the_session()
    {
        using SessionRig rig = new();
        (DtlsSession session, RecordLayer client) = rig.Open(1);
        byte[] old = SessionRig.Record(client, [1]);
        byte[] replay = [.. old];
        Assert.True(rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [2])));
        Assert.True(rig.Server.Receive(ServerBench.Path(2), old));
        Assert.False(rig.Server.Receive(ServerBench.Path(3), replay));
        byte[] forged = SessionRig.Record(client, [3]);
        forged[^3] ^= 4;
        Assert.False(rig.Server.Receive(ServerBench.Path(4), forged));
        Assert.Equal(2, rig.Received);
        Assert.Empty(rig.Moves);
        Assert.Equal(ServerBench.Path(1), session.Path);
        Assert.Equal((1, 1, 0, 0),
            (rig.Server.Counters.RecordsForged, rig.Server.Counters.RecordsReplayed, rig.Server.Counters.RecordsIgnored,
                rig.Server.Counters.AddressChanges));
    }

    [Fact]
    [Rfc("9146-6-1")]
    public void Each_address_change_is_reported_once()
    {
        using SessionRig rig = new();
        (DtlsSession session, RecordLayer client) = rig.Open(1);
        foreach (int host in new[] { 2, 2, 3, 3, 2 })
        {
            Assert.True(rig.Server.Receive(ServerBench.Path(host), SessionRig.Record(client, [1])));
        }

        Assert.Equal([(session, ServerBench.Path(1)), (session, ServerBench.Path(2)), (session, ServerBench.Path(3))], rig.Moves);
        Assert.Equal(3, rig.Server.Counters.AddressChanges);
        Assert.Same(session, rig.Server.Find(ServerBench.Path(2)));
        Assert.Null(rig.Server.Find(ServerBench.Path(1)));
        Assert.Null(rig.Server.Find(ServerBench.Path(3)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_session_that_moves_to_the_address_of_another_session_does_not_hide_the_other_session(bool otherHasCid)
    {
        using SessionRig rig = new();
        (DtlsSession mover, RecordLayer moverClient) = rig.Open(1, identity: "mover");
        (DtlsSession other, RecordLayer otherClient) = rig.Open(2, otherHasCid, "other");
        List<DtlsPath> to = [];
        rig.OnSent = (path, _) => to.Add(path);
        for (int i = 0; i < 3; i++)
        {
            Assert.True(rig.Server.Receive(ServerBench.Path(2), SessionRig.Record(moverClient, [1])));
            Assert.True(rig.Server.Receive(ServerBench.Path(2), SessionRig.Record(otherClient, [1])));
        }

        Assert.Equal(6, rig.Received);
        mover.LeaveFormerPath(ServerBench.Path(2).Remote);
        Assert.True(mover.Send([1]));
        Assert.True(other.Send([1]));
        Assert.Equal([ServerBench.Path(2), ServerBench.Path(2)], to);

        // One leaves; the other is still there.
        Assert.True(rig.Server.Receive(ServerBench.Path(3), SessionRig.Record(moverClient, [1])));
        Assert.True(rig.Server.Receive(ServerBench.Path(2), SessionRig.Record(otherClient, [1])));
        Assert.Same(other, rig.Server.Find(ServerBench.Path(2)));
        Assert.Same(mover, rig.Server.Find(ServerBench.Path(3)));
        rig.Server.End(mover, DtlsSessionEndReason.Closed, tells: false);
        Assert.True(rig.Server.Receive(ServerBench.Path(2), SessionRig.Record(otherClient, [1])));
        Assert.Equal(1, rig.Server.SessionCount);
    }

    [Theory]
    [InlineData(true, "same", true)]
    [InlineData(true, "another", false)]
    [InlineData(false, "same", true)]
    [InlineData(false, "another", true)]
    public void A_new_session_replaces_a_session_at_its_address_of_the_same_peer_or_without_a_Connection_ID(bool withCid,
        string identity, bool isReplaced)
    {
        using SessionRig rig = new();
        (DtlsSession old, RecordLayer client) = rig.Open(1, withCid, "same");
        (DtlsSession session, _) = rig.Open(1, identity: identity);
        Assert.Equal(isReplaced, old.IsClosed);
        Assert.Equal(isReplaced ? 1 : 2, rig.Server.SessionCount);
        Assert.Same(session, rig.Server.Find(ServerBench.Path(1)));
        Assert.Equal(isReplaced ? 1 : 0, rig.Server.Counters.SessionsEnded(DtlsSessionEndReason.Replaced));
        Assert.Equal(!isReplaced, rig.Server.Receive(ServerBench.Path(9), SessionRig.Record(client, [1])));
    }

    [Fact]
    public void A_session_that_ended_before_it_was_opened_is_not_added()
    {
        using SessionRig rig = new();
        (DtlsSession session, RecordLayer client) = rig.Make(1);
        session.End(DtlsSessionEndReason.Closed, tells: true);
        rig.Server.Open(session);
        Assert.Equal(0, rig.Server.SessionCount);
        Assert.Single(rig.Closed);
        Assert.False(rig.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [1])));
    }
}
