namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>A session whose peer has moved keeps the former path until the new one is confirmed (RFC 9853 section 5.1).</summary>
public sealed class FormerPathTests : IDisposable
{
    private static readonly DtlsPath s_old = ServerBench.Path(1);
    private static readonly DtlsPath s_new = ServerBench.Path(2);
    private static readonly DtlsPath s_third = ServerBench.Path(3);

    private readonly SessionRig _rig = new();
    private readonly List<(DtlsPath To, byte[] Bytes)> _sent = [];
    private readonly DtlsSession _session;
    private readonly RecordLayer _client;

    public FormerPathTests()
    {
        (_session, _client) = _rig.Open(1);
        _rig.OnSent = (path, bytes) => _sent.Add((path, bytes));
    }

    public void Dispose() => _rig.Dispose();

    [Fact]
    [Rfc("9853-5.1-1", "9146-6-1")]
    public void A_record_is_sent_over_both_paths_until_the_new_path_is_confirmed()
    {
        Arrive(s_new);
        Assert.True(_session.Send([1]));
        Assert.Equal([s_new, s_old], _sent.Select(static one => one.To));
        Assert.Equal(_sent[0].Bytes, _sent[1].Bytes);
        Assert.Equal((s_new, s_old, true), (_session.Path, _session.ConfirmedPath, _session.HasFormerPath));

        _session.LeaveFormerPath(s_new.Remote);
        AssertOnly(s_new);
    }

    [Fact]
    [Rfc("9853-5.1-1", "9146-6-1")]
    public void ReturnToFormerPath_makes_the_session_use_only_the_former_path_until_the_peer_moves_again()
    {
        Arrive(s_new);
        Assert.True(_session.ReturnToFormerPath(s_new.Remote));
        AssertOnly(s_old);
        Assert.Same(_session, _rig.Server.Find(s_old));
        Assert.Null(_rig.Server.Find(s_new));
        Assert.False(_session.ReturnToFormerPath(s_old.Remote));

        // The peer is really there: it moves again.
        Arrive(s_new);
        Assert.Equal((s_new, s_old), (_session.Path, _session.ConfirmedPath));
    }

    [Fact]
    public void The_former_path_after_several_moves_is_the_last_confirmed_path()
    {
        Arrive(s_new);
        Arrive(s_third);
        Assert.False(_session.ReturnToFormerPath(s_new.Remote));
        _session.LeaveFormerPath(s_new.Remote);
        Assert.Equal((s_third, s_old), (_session.Path, _session.ConfirmedPath));
        Assert.True(_session.ReturnToFormerPath(s_third.Remote));
        AssertOnly(s_old);
    }

    [Fact]
    public void A_newer_record_over_the_former_path_ends_the_move()
    {
        Arrive(s_new);
        Arrive(s_old);
        AssertOnly(s_old);
        Assert.False(_session.ReturnToFormerPath(s_old.Remote));
    }

    [Fact]
    public void DtlsSendPaths_selects_the_newest_or_the_former_path_and_a_challenge_uses_the_newest()
    {
        Arrive(s_new);
        Assert.True(_session.Send([1], DtlsSendPaths.Newest));
        Assert.True(_session.Challenge(new ReturnRoutabilityCheck(s_new), CoapRandomSource.Secure));
        Assert.Equal([s_new, s_new], _sent.Select(static one => one.To));
        _sent.Clear();

        Assert.True(_session.Send([1], DtlsSendPaths.Former));
        Assert.Equal([s_old], _sent.Select(static one => one.To));
        _session.LeaveFormerPath(s_new.Remote);
        Assert.False(_session.Send([1], DtlsSendPaths.Former));
    }

    [Fact]
    public void A_session_that_ends_during_a_move_tells_the_peer_over_both_paths()
    {
        Arrive(s_new);
        _rig.Server.End(_session, DtlsSessionEndReason.Closed, tells: true);
        Assert.Equal([s_new, s_old], _sent.Select(static one => one.To));
        Assert.False(_session.ReturnToFormerPath(s_new.Remote));
    }

    [Fact]
    [Rfc("9853-3-1")]
    public void A_path_challenge_is_answered_only_if_the_handshake_agreed_on_path_checks()
    {
        Assert.False(_session.ChecksPaths);
        byte[] challenge = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        Assert.True(_rig.Server.Receive(s_old, SessionRig.Record(_client, challenge, ContentType.ReturnRoutabilityCheck)));
        Assert.Empty(_sent);

        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        Assert.True(client.Session!.ChecksPaths);
        bench.SentByServerReset();
        Assert.True(client.Session.Challenge(new ReturnRoutabilityCheck(client.Path), CoapRandomSource.Secure));
        Assert.True(bench.SentByServer > 0);
    }

    private void Arrive(in DtlsPath path) => Assert.True(_rig.Server.Receive(path, SessionRig.Record(_client, [1])));

    private void AssertOnly(in DtlsPath path)
    {
        _sent.Clear();
        Assert.True(_session.Send([1]));
        Assert.Equal([path], _sent.Select(static one => one.To));
        Assert.Equal((path, path, false), (_session.Path, _session.ConfirmedPath, _session.HasFormerPath));
    }
}
