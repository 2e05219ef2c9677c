namespace CoAP.NET.Edhoc;

/// <summary>What both roles of EDHOC need to know. May be shared by many sessions; do not change it while one is under way.</summary>
public sealed class EdhocSettings
{
    /// <summary>The longest message that is read by default, in bytes.</summary>
    public const int DefaultMaxMessageSize = 16 * 1024;

    /// <summary>
    /// The cipher suites, those preferred first. An Initiator offers them in this order. Default: 2, 3, 0, 1, 4, 5, 6 and 24, as far as
    /// the platform supports them; 25 (X448, SHAKE256) has to be added.
    /// </summary>
    public IList<EdhocCipherSuite> Suites { get; } =
        [.. EdhocCipherSuite.Defaults.Where(static suite => suite.IsSupported)];

    /// <summary>
    /// The labels of external authorization data that the application knows. A critical item with another label ends the session; one
    /// that is not critical is left out. Default: none.
    /// </summary>
    public ISet<int> EadLabels { get; } = new HashSet<int>();

    /// <summary>Where ephemeral keys and connection identifiers come from. Default <see cref="CoapRandomSource.Secure"/>.</summary>
    public CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>The longest message that is read, in bytes; longer ones end the session. 64 to 65,535; default 16 KiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxMessageSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 64);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
            field = value;
        }
    }
    = DefaultMaxMessageSize;

    /// <summary>
    /// The longest connection identifier, in bytes. 4 to 64; default 7, as OSCORE allows no longer ones with its mandatory
    /// algorithm (RFC 8613 section 3.3).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxConnectionIdLength
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 4);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 64);
            field = value;
        }
    }
    = 7;
}
