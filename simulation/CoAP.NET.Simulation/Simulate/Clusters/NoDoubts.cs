using System.Runtime.CompilerServices;
using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Transport;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A defect that cannot be put in from outside: sessions that were loaded after a crash are believed.</summary>
internal static class NoDoubts
{
    /// <summary>Believes the session of a device, if it is here.</summary>
    /// <param name="transport">The DTLS of a node.</param>
    /// <param name="cid">Its Connection ID.</param>
    public static void End(CoapDtlsTransport transport, string cid)
    {
        if (transport.Engine?.Server is { } server && SessionsOf(server).Find(Convert.FromHexString(cid)) is DtlsSessionWithBackup session)
        {
            IsInDoubt(session) = false;
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_sessions")]
    private static extern ref SessionTable SessionsOf(DtlsServer server);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_isInDoubt")]
    private static extern ref bool IsInDoubt(DtlsSessionWithBackup session);
}
