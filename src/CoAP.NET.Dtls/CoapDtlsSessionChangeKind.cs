namespace CoAP.NET.Dtls;

/// <summary>The kind of change of a session that an <see cref="ICoapDtlsSessionBackup"/> receives.</summary>
internal enum CoapDtlsSessionChangeKind
{
    /// <summary>The session is new. Keep its state.</summary>
    Made,

    /// <summary>
    /// The session needs more record numbers than the backup confirmed, and waits when it has used them up. Keep its state.
    /// </summary>
    Reserved,

    /// <summary>The session received an authentic record, so that it rejects older records after a crash. Keep its state.</summary>
    Heard,

    /// <summary>The server has stopped; the session continues where a server loads its state. Keep it.</summary>
    Stopped,

    /// <summary>The session has ended. Remove its state.</summary>
    Ended,
}
