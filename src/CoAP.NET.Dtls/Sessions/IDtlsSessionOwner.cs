using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Contains sessions and finds them. A session notifies it of changes, on any thread, never under a lock of the session.</summary>
internal interface IDtlsSessionOwner
{
    /// <summary>Receives the output of its sessions.</summary>
    IDtlsSessionOutput Sink { get; }

    /// <summary>The clock.</summary>
    TimeProvider Time { get; }

    /// <summary>Keeps its sessions; null: they end with it.</summary>
    SessionBackup? SessionBackup => null;

    /// <summary>Relays datagrams to and from other servers; null for none.</summary>
    SessionSteering? Steering => null;

    /// <summary>Maximum number of forged records before a session ends; its cipher suite may allow fewer.</summary>
    long MaxForgeries { get; }

    /// <summary>
    /// The peer has another path. <see cref="DtlsSession.Path"/> is the newest one, which may already differ from <paramref name="to"/>.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="from">The previous path.</param>
    /// <param name="to">The new path.</param>
    void OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to);

    /// <summary>A session has ended. Called once, before <see cref="IDtlsSessionOutput.Closed"/>.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">The reason.</param>
    void OnEnded(DtlsSession session, DtlsSessionEndReason reason);
}
