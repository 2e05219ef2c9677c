using CoAP.NET.Settings;

namespace CoAP.NET.Edhoc;

/// <summary>Settings of both EDHOC roles. Several sessions may share them; do not change them during a session.</summary>
internal sealed class EdhocSettings
{
    /// <summary>Default of <see cref="MaxMessageSize"/>, in bytes.</summary>
    public const int DefaultMaxMessageSize = 16 * 1024;

    /// <summary>The cipher suites, preferred ones first. An Initiator offers them in this order.</summary>
    /// <remarks>Default: 2, 3, 0, 1, 4, 5, 6 and 24, as far as the platform supports them; add 25 (X448, SHAKE256) explicitly.</remarks>
    public IList<EdhocCipherSuite> Suites { get; } = new SettingList<EdhocCipherSuite>(
        [.. EdhocCipherSuite.Defaults.Where(static suite => suite.IsSupported)]);

    /// <summary>The labels of external authorization data that the application knows.</summary>
    /// <remarks>A critical item with another label ends the session; the library ignores other items. Default: none.</remarks>
    public ISet<int> EadLabels { get; } = new HashSet<int>();

    /// <summary>The source of ephemeral keys and connection identifiers. Default <see cref="CoapRandomSource.Secure"/>.</summary>
    public CoapRandomSource Random { get; set; } = CoapRandomSource.Secure;

    /// <summary>Maximum length of a message in bytes; longer ones end the session.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of this range.</exception>
    /// <remarks>64 to 65,535; default 16 KiB.</remarks>
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

    /// <summary>Maximum length of a connection identifier in bytes.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of this range.</exception>
    /// <remarks>4 to 64; default 7, because OSCORE allows no longer ones with its mandatory algorithm (RFC 8613 section 3.3).</remarks>
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
