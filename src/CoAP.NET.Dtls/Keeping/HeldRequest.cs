using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>A request that waits for the decision whether it is new.</summary>
/// <param name="Session">Its session.</param>
/// <param name="Path">The path that it came from.</param>
/// <param name="Content">The message.</param>
/// <param name="Sequence">The number of its record.</param>
/// <param name="Source">The source whose place it takes, as a key of <see cref="SourceKeys"/>.</param>
/// <param name="LastOfUse">The arrival time, by the clock's timestamp.</param>
internal sealed record HeldRequest(
    KeptDtlsSession Session, DtlsPath Path, byte[] Content, ulong Sequence, uint Source, long LastOfUse) : IShared;
