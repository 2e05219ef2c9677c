using System.Runtime.CompilerServices;

namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>What is held for sessions that may not answer yet.</summary>
public sealed class HeldSessionMessageTests
{
    [Fact]
    public void A_session_whose_held_items_were_all_evicted_is_not_kept_alive()
    {
        using SessionRig rig = new(backupOptions: new MemorySessionBackup().Options());
        SourceQueue<DtlsSessionWithBackup, HeldSessionMessage> items = new(max: 1_500);
        WeakReference first = Hold(items, rig, host: 1);

        WeakReference second = Hold(items, rig, host: 2);

        Assert.Equal(1, items.Count);
        GC.Collect();
        Assert.Equal((false, true), (first.IsAlive, second.IsAlive));
        GC.KeepAlive(items);
    }

    // A method of its own, so that no local variable keeps the session.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Hold(SourceQueue<DtlsSessionWithBackup, HeldSessionMessage> items, SessionRig rig, int host)
    {
        (DtlsSession session, _) = rig.Make(host);
        items.Add(new HeldSessionMessage(
            (DtlsSessionWithBackup)session, session.Path, new byte[1_000], CoapSourceGroupingRule.Default.Of(session.Path.Remote)));
        return new WeakReference(session);
    }
}
