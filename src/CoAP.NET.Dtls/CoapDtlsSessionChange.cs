namespace CoAP.NET.Dtls;

/// <summary>What is to be kept of one session of a server, or to be removed.</summary>
public sealed class CoapDtlsSessionChange
{
    /// <summary>Makes a change, as for tests of an <see cref="ICoapDtlsSessionKeeper"/>.</summary>
    /// <param name="kind">What happened.</param>
    /// <param name="id">The name of the session, 8 bytes.</param>
    /// <param name="state">What is to be kept; empty for <see cref="CoapDtlsSessionChangeKind.Ended"/>.</param>
    /// <param name="expires">When the state is of no use any more.</param>
    public CoapDtlsSessionChange(CoapDtlsSessionChangeKind kind, ReadOnlyMemory<byte> id, ReadOnlyMemory<byte> state,
        DateTimeOffset expires)
    {
        Kind = kind;
        Id = id;
        State = state;
        Expires = expires;
    }

    /// <summary>What happened.</summary>
    public CoapDtlsSessionChangeKind Kind { get; }

    /// <summary>
    /// The name of the session, 8 bytes, the same as long as it lives: its Connection ID, or random bytes where it has none. No secret.
    /// </summary>
    public ReadOnlyMemory<byte> Id { get; }

    /// <summary>
    /// All of the session, encrypted; some 250 bytes, and the certificate of the client where it showed one. Replaces what was kept under
    /// the same <see cref="Id"/>. Empty for <see cref="CoapDtlsSessionChangeKind.Ended"/>.
    /// </summary>
    public ReadOnlyMemory<byte> State { get; }

    /// <summary>When the state is of no use any more, unless it is kept anew: the session would have been silent for too long.</summary>
    public DateTimeOffset Expires { get; }

    /// <summary>
    /// A number that the keeper has given the session, such as the term for which its server owns it. The keeper may set it before the
    /// task of <see cref="ICoapDtlsSessionKeeper.KeepAsync"/> ends, also when that fails; all later changes of the session in this process
    /// have it, the last one included. Default 0, or what was said to <see cref="CoapDtlsSessionLoader.TryLoad"/>. Not part of
    /// <see cref="State"/>.
    /// </summary>
    public long Stamp { get; set; }

    /// <summary>Whether <see cref="Refuse"/> was called.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>
    /// Says, before the task of <see cref="ICoapDtlsSessionKeeper.KeepAsync"/> ends, that this change was not kept as the session is
    /// another server's now. It ends here without a word to its client.
    /// </summary>
    public void Refuse() => IsRefused = true;
}
