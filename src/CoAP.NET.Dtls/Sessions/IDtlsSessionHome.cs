using CoAP.NET.Dtls.Keeping;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Where sessions are found. Told by a session of what it does by itself, whichever thread has it do so; never under a lock of the session.
/// </summary>
internal interface IDtlsSessionHome
{
    /// <summary>Whom its sessions talk to.</summary>
    IDtlsSink Sink { get; }

    /// <summary>The clock.</summary>
    TimeProvider Time { get; }

    /// <summary>Keeps its sessions; null: they end with it.</summary>
    SessionKeeper? Keeper => null;

    /// <summary>Brings datagrams to and from other servers; null: there are none.</summary>
    SessionSteering? Steering => null;

    /// <summary>How many forged records a session survives at most; its cipher suite may allow fewer.</summary>
    long MaxForgeries { get; }

    /// <summary>
    /// The peer has another path; <see cref="DtlsSession.Path"/> is the newest one, which may be yet another than the one told of.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="from">The path before.</param>
    /// <param name="to">The path after.</param>
    void OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to);

    /// <summary>A session has ended, once, before <see cref="IDtlsSink.Closed"/> is told.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">Why.</param>
    void OnEnded(DtlsSession session, DtlsEnd reason);
}
