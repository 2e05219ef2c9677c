namespace CoAP.NET.Dtls;

/// <summary>A change of one session of a server, which the backup stores or removes.</summary>
internal sealed class CoapDtlsSessionChange
{
    /// <summary>Creates a change, for tests of an <see cref="ICoapDtlsSessionBackup"/>.</summary>
    /// <param name="kind">The kind of change.</param>
    /// <param name="id">The name of the session, 8 bytes.</param>
    /// <param name="state">The state to keep; empty for <see cref="CoapDtlsSessionChangeKind.Ended"/>.</param>
    /// <param name="expires">When the state becomes useless.</param>
    public CoapDtlsSessionChange(CoapDtlsSessionChangeKind kind, ReadOnlyMemory<byte> id, ReadOnlyMemory<byte> state,
        DateTimeOffset expires)
    {
        Kind = kind;
        Id = id;
        State = state;
        Expires = expires;
    }

    /// <summary>The kind of change.</summary>
    public CoapDtlsSessionChangeKind Kind { get; }

    /// <summary>The name of the session, 8 bytes, constant for its lifetime.</summary>
    /// <remarks>Its Connection ID, or random bytes for a session without one. Not secret.</remarks>
    public ReadOnlyMemory<byte> Id { get; }

    /// <summary>The complete state of the session, encrypted.</summary>
    /// <remarks>
    /// About 280 bytes, plus the certificate of the client and its intermediates if it showed one. Replaces the earlier state with the same
    /// <see cref="Id"/>. Empty for <see cref="CoapDtlsSessionChangeKind.Ended"/>.
    /// </remarks>
    public ReadOnlyMemory<byte> State { get; }

    /// <summary>
    /// What messages have changed since <see cref="State"/> was kept (<see cref="Records.SessionRecordNumbers"/>); not encrypted. Empty if
    /// this change has the complete state, or the backup wants complete states only
    /// (<see cref="CoapDtlsSessionBackupOptions.StoresProgress"/>).
    /// </summary>
    internal ReadOnlyMemory<byte> Progress { get; init; }

    /// <summary>
    /// When the state becomes useless, unless a later change replaces it: the session would have been silent for too long.
    /// </summary>
    public DateTimeOffset Expires { get; }

    /// <summary>A number that the backup assigns to the session, such as the term for which its server owns it.</summary>
    /// <remarks>
    /// The backup may set it before the task of <see cref="ICoapDtlsSessionBackup.SaveAsync"/> ends, even if that fails. All later changes
    /// of the session in this process carry it, including the last one. Default 0, or the value passed to
    /// <see cref="CoapDtlsSessionLoader.TryLoad(ReadOnlySpan{byte}, long)"/>. Not part of <see cref="State"/>.
    /// </remarks>
    public long Stamp { get; set; }

    /// <summary>Whether the backup called <see cref="Refuse"/>.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>Rejects this change, because another server owns the session now.</summary>
    /// <remarks>
    /// Call it before the task of <see cref="ICoapDtlsSessionBackup.SaveAsync"/> ends. The session ends here without a message to its
    /// client.
    /// </remarks>
    public void Refuse() => IsRefused = true;
}
