using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>A request that waits until it is known whether it is new.</summary>
/// <param name="Session">Whose it is.</param>
/// <param name="Path">How it came.</param>
/// <param name="Content">The message.</param>
/// <param name="Sequence">The number of its record.</param>
/// <param name="Source">Whose place it takes, as <see cref="SourceKeys"/> has it.</param>
/// <param name="LastOfUse">When it came, by the clock's timestamp.</param>
internal sealed record HeldRequest(
    KeptDtlsSession Session, DtlsPath Path, byte[] Content, ulong Sequence, uint Source, long LastOfUse) : IShared;
