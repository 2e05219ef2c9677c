using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>An item that waits until its session may answer and send: a received record, or a message to send.</summary>
/// <param name="session">Its session. A record names it by Connection ID or path.</param>
/// <param name="path">The path that it came from or goes to.</param>
/// <param name="bytes">The record or the message.</param>
/// <param name="source">The source whose quota it uses.</param>
internal sealed class HeldSessionMessage(DtlsSessionWithBackup session, in DtlsPath path, byte[] bytes, CoapQuotaSource source)
    : SourceQueue<DtlsSessionWithBackup, HeldSessionMessage>.Item(session, source, Overhead + bytes.Length)
{
    /// <summary>Maximum number of items per session; one more drops the oldest.</summary>
    public const int MaxOfSession = 4;

    // Memory of an item besides its bytes.
    private const int Overhead = 240;

    public DtlsPath Path { get; } = path;

    public byte[] Bytes { get; } = bytes;
}
