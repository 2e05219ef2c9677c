using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>A record that waits until its session may answer.</summary>
/// <param name="Session">Whose it is, as its Connection ID or path says.</param>
/// <param name="Path">How it came.</param>
/// <param name="Record">The record.</param>
/// <param name="Source">Whose place it takes, as <see cref="SourceKeys"/> has it.</param>
/// <param name="LastOfUse">When it came, by the clock's timestamp.</param>
internal sealed record EarlyRecord(KeptDtlsSession Session, DtlsPath Path, byte[] Record, uint Source, long LastOfUse) : IShared;
