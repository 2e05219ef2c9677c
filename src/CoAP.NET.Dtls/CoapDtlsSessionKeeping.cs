namespace CoAP.NET.Dtls;

/// <summary>How a server keeps its sessions, so that they outlive a crash and a restart of the process.</summary>
public sealed class CoapDtlsSessionKeeping
{
    private static readonly TimeSpan s_least = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_most = TimeSpan.FromMinutes(5);
    private readonly byte[] _key;

    /// <summary>Names a keeper.</summary>
    /// <param name="keeper">Keeps the sessions. Used as it is, not copied.</param>
    /// <param name="key">Encrypts them: 16, 24 or 32 bytes, the same before and after a restart, and at all servers that load them. Copied.
    /// Whoever has the key and what was kept can read what is said in the sessions: keep the key elsewhere.</param>
    /// <exception cref="ArgumentException">The key has another length.</exception>
    public CoapDtlsSessionKeeping(ICoapDtlsSessionKeeper keeper, ReadOnlySpan<byte> key)
    {
        ArgumentNullException.ThrowIfNull(keeper);
        ThrowIfNoKey(key);
        Keeper = keeper;
        _key = key.ToArray();
    }

    /// <summary>Keeps the sessions.</summary>
    public ICoapDtlsSessionKeeper Keeper { get; }

    /// <summary>
    /// How often the keeper is told of sessions in which something was received. After a crash what came within this time before could be
    /// repeated by somebody who recorded it, and is asked about (docs/dtls.md). Default 5 s; 1 s to 5 minutes.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 5 minutes.</exception>
    public TimeSpan HeardInterval { get; init => field = OptionRanges.Check(value, s_least, s_most, nameof(HeardInterval)); } =
        TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a session waits for numbers that the keeper has not confirmed before it ends, and how long a server that stops waits for
    /// the keeper. Default 30 s; 1 s to 5 minutes.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 5 minutes.</exception>
    public TimeSpan ConfirmTimeout { get; init => field = OptionRanges.Check(value, s_least, s_most, nameof(ConfirmTimeout)); } =
        TimeSpan.FromSeconds(30);

    internal ReadOnlySpan<byte> Key => _key;

    /// <summary>Whether sessions are only kept when the server stops, so that a crash ends them.</summary>
    internal bool IsForStopsOnly { get; init; }

    internal static void ThrowIfNoKey(ReadOnlySpan<byte> key)
    {
        if (key.Length is not (16 or 24 or 32))
        {
            throw new ArgumentException($"The key of saved sessions has 16, 24 or 32 bytes, and not {key.Length}.", nameof(key));
        }
    }
}
