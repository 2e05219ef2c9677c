using System.Security.Cryptography;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Testing;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions that outlive the process of the server.</summary>
public sealed class SavingTests
{
    private static readonly byte[] s_key = [.. Enumerable.Range(0, 32).Select(static i => (byte)i)];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Sessions_go_on_with_another_server(bool withCid)
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock);
        (DtlsSession session, RecordLayer client) = before.Open(1, withCid, "user-1");
        byte[] replay = SessionRig.Record(client, [1]);
        byte[] late = SessionRig.Record(client, [2]);
        Assert.True(before.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [3])));
        Assert.True(before.Server.Receive(ServerBench.Path(1), [.. replay]));
        List<ulong> numbers = [];
        before.OnSent = (_, datagram) => numbers.Add(Sequence(datagram));
        Assert.True(session.Send([1]));
        byte[] saved = before.Server.Save(s_key);

        // A few more leave; their numbers come no second time.
        Assert.True(session.Send([2]));
        before.Server.Dispose();
        Assert.Equal((session, DtlsEnd.Saved), Assert.Single(before.Closed));

        clock.Advance(TimeSpan.FromSeconds(10));
        using SessionRig after = new(clock: clock);
        Assert.Equal(1, after.Server.Load(saved, s_key));
        DtlsSession loaded = Assert.Single(after.Opened);
        Assert.Equal(("user-1", session.Suite, session.Path), (loaded.PskIdentity, loaded.Suite, loaded.Path));
        Assert.Equal(TimeSpan.FromSeconds(10), loaded.Idle);
        after.OnSent = (path, datagram) =>
        {
            numbers.Add(Sequence(datagram));
            Assert.True(RecordHeader.TryRead(datagram, 0, out RecordHeader header));
            Assert.Equal(OpenResult.Opened, client.Open(header, datagram, out _, out _, out _));
        };
        Assert.True(loaded.Send([3]));
        Assert.Equal([0UL, 1UL, 1 + RecordLayer.SavedMargin], numbers);

        // What came before, and what was older, does not come again.
        Assert.False(after.Server.Receive(ServerBench.Path(1), replay));
        Assert.False(after.Server.Receive(ServerBench.Path(1), late));
        Assert.True(after.Server.Receive(ServerBench.Path(1), SessionRig.Record(client, [4])));
        Assert.Equal(withCid, after.Server.Receive(ServerBench.Path(2), SessionRig.Record(client, [5])));
        Assert.Equal(withCid ? 2 : 1, after.Received);
        Assert.Equal(2, after.Server.Counters.RecordsReplayed);
    }

    [Fact]
    public void What_was_changed_or_is_of_another_key_is_refused()
    {
        using SessionRig rig = new();
        rig.Open(1);
        byte[] saved = rig.Server.Save(s_key);
        using SessionRig other = new();
        for (int i = 0; i < saved.Length; i += 7)
        {
            byte[] changed = [.. saved];
            changed[i] ^= 1;
            Assert.Throws<InvalidDataException>(() => other.Server.Load(changed, s_key));
        }

        for (int length = 0; length < saved.Length; length += 11)
        {
            Assert.Throws<InvalidDataException>(() => other.Server.Load(saved[..length], s_key));
        }

        Assert.Throws<InvalidDataException>(() => other.Server.Load(saved, new byte[32]));
        Assert.ThrowsAny<CryptographicException>(() => other.Server.Load(saved, new byte[5]));
        Assert.ThrowsAny<CryptographicException>(() => other.Server.Save(new byte[5]));
        Assert.Equal(0, other.Server.SessionCount);
        Assert.Equal(1, other.Server.Load(saved, s_key));
    }

    [Fact]
    public void Nothing_is_loaded_twice()
    {
        using SessionRig rig = new();
        rig.Open(1);
        byte[] saved = rig.Server.Save(s_key);
        using SessionRig first = new();
        Assert.Equal(1, first.Server.Load(saved, s_key));
        using SessionRig second = new();
        Assert.Throws<InvalidOperationException>(() => second.Server.Load(saved, s_key));
        Assert.Throws<InvalidOperationException>(() => first.Server.Load(saved, s_key));
        Assert.Equal(0, second.Server.SessionCount);
        Assert.NotEqual(saved, rig.Server.Save(s_key));
    }

    [Fact]
    public void A_session_that_goes_on_after_it_was_saved_ends_before_its_numbers_meet_those_of_the_copy()
    {
        using SessionRig rig = new();
        (DtlsSession session, _) = rig.Open(1);
        _ = rig.Server.Save(s_key);
        session.SkipTo(RecordLayer.SavedMargin - 17);
        Assert.True(session.Send([1]));
        _ = rig.Server.Save(s_key);
        Assert.True(session.Send([2]));
        session.SkipTo((2 * RecordLayer.SavedMargin) - 32);
        ulong last = 0;
        rig.OnSent = (_, datagram) => last = Sequence(datagram);
        while (session.Send([3]))
        {
        }

        Assert.Equal((session, DtlsEnd.Exhausted), Assert.Single(rig.Closed));
        Assert.InRange(last, 1UL, (2 * RecordLayer.SavedMargin) - 17);
    }

    [Fact]
    public void Those_that_were_idle_for_too_long_and_those_too_many_are_left_out()
    {
        VirtualClock clock = new();
        using SessionRig before = new(clock: clock);
        for (int host = 1; host <= 6; host++)
        {
            before.Open(host, host % 2 == 0, $"{host}");
            clock.Advance(TimeSpan.FromMinutes(10));
        }

        byte[] saved = before.Server.Save(s_key);
        clock.Advance(TimeSpan.FromMinutes(10));
        using SessionRig after = new(new DtlsServerLimits { MaxSessions = 3, IdleTimeout = TimeSpan.FromMinutes(31) }, clock);
        Assert.Equal(2, after.Server.Load(saved, s_key));
        Assert.Equal(["5", "6"], after.Opened.Select(static session => session.PskIdentity));
        Assert.Empty(after.Closed);

        // The order is kept: the next to go is the one that was idle longest.
        after.Open(7);
        after.Open(8);
        Assert.Equal("5", Assert.Single(after.Closed).Session.PskIdentity);
    }

    private static ulong Sequence(byte[] datagram) =>
        RecordHeader.TryRead(datagram, 0, out RecordHeader header) ? header.Sequence : ulong.MaxValue;
}
