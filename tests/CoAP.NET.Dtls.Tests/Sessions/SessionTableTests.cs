namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Orders of threads that are rare, played by hand.</summary>
public sealed class SessionTableTests
{
    [Fact]
    public void A_late_record_of_a_replaced_session_does_not_hide_the_new_session()
    {
        using SessionRig rig = new();
        SessionTable table = new(rig.Clock, new VirtualRandom(4));
        (DtlsSession old, _) = rig.Make(1);
        (DtlsSession young, _) = rig.Make(1);
        Assert.True(table.TryAdd(old, out _));
        Assert.True(table.TryAdd(young, out IReadOnlyList<DtlsSession> replaced));
        Assert.Equal([old], replaced);

        // A thread had a record of it when it was replaced, and notes so before it is ended.
        table.Touch(old);
        old.End(DtlsSessionEndReason.Replaced, tells: false);
        table.Remove(old);

        Assert.Same(young, table.At(ServerBench.Path(1)));
        Assert.Equal(1, table.Count);
        (DtlsSession next, _) = rig.Make(1);
        Assert.True(table.TryAdd(next, out replaced));
        Assert.Equal([young], replaced);
    }
}
