namespace CoAP.NET.Dtls;

/// <summary>Keeps the sessions of a server, so that they survive a crash and a restart of the process.</summary>
internal sealed class CoapDtlsSessionBackupOptions
{
    private readonly byte[] _key;

    /// <summary>Creates the description of a backup.</summary>
    /// <param name="backup">Keeps the sessions. The server uses this instance and does not copy it.</param>
    /// <param name="key">
    /// The encryption key: 16, 24 or 32 bytes, the same before and after a restart, and at all servers that load the sessions. Copied.
    /// Anyone with the key and the stored states can read the traffic of the sessions: store the key elsewhere.
    /// </param>
    /// <exception cref="ArgumentException">The key has another length.</exception>
    public CoapDtlsSessionBackupOptions(ICoapDtlsSessionBackup backup, ReadOnlySpan<byte> key)
    {
        ArgumentNullException.ThrowIfNull(backup);
        ThrowIfNoKey(key);
        Backup = backup;
        _key = key.ToArray();
    }

    /// <summary>The backup of the sessions.</summary>
    public ICoapDtlsSessionBackup Backup { get; }

    /// <summary>How often the server reports sessions that received records to the backup: every 5 s.</summary>
    /// <remarks>
    /// After a crash, an attacker could replay records that arrived within this time before it; the server verifies such requests
    /// (docs/dtls-operation.md).
    /// </remarks>
    public static TimeSpan HeardInterval { get; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a session waits for the backup to confirm record numbers before it ends, and how long a stopping server waits for the
    /// backup: 30 s.
    /// </summary>
    public static TimeSpan ConfirmTimeout { get; } = TimeSpan.FromSeconds(30);

    internal ReadOnlySpan<byte> Key => _key;

    /// <summary>A second key with which states may be encrypted, while the key is being replaced. Default empty: none.</summary>
    internal ReadOnlyMemory<byte> PreviousKey { get; init => field = value.ToArray(); }

    /// <summary>Whether states are encrypted with <see cref="PreviousKey"/>, because another server lacks the new key.</summary>
    internal Func<bool> UsesPreviousKey { get; init; } = static () => false;

    /// <summary>
    /// Whether the backup stores what messages change next to the state (<see cref="CoapDtlsSessionChange.Progress"/>), and changes bring
    /// the state only where it is new. Default false: each change brings the complete state.
    /// </summary>
    internal bool StoresProgress { get; init; }

    /// <summary>Whether the server keeps sessions only when it stops, so that a crash ends them.</summary>
    internal bool IsForStopsOnly { get; init; }

    internal static void ThrowIfNoKey(ReadOnlySpan<byte> key)
    {
        if (key.Length is not (16 or 24 or 32))
        {
            throw new ArgumentException($"The key of saved sessions must have 16, 24 or 32 bytes, but has {key.Length}.", nameof(key));
        }
    }
}
