using System.Text;
using CoAP.NET.ResourceDirectory.Clients;

namespace CoAP.NET.ResourceDirectory;

/// <summary>The content and options of a registration with a resource directory (RFC 9176 section 5).</summary>
/// <remarks>Changes after the start have no effect.</remarks>
public sealed class CoapRegistrationOptions
{
    private const int MaxNameBytes = 63;

    /// <summary>
    /// The name of the endpoint (<c>ep</c>), unique within its sector: at most 63 bytes in UTF-8, without control characters.
    /// </summary>
    /// <remarks>Default: the empty string; the directory then takes the name from the credentials of the endpoint, if possible.</remarks>
    /// <exception cref="ArgumentException">The name is too long or has control characters.</exception>
    public string EndpointName
    {
        get;
        set => field = CheckName(value, nameof(EndpointName));
    }
    = "";

    /// <summary>The sector (<c>d</c>), with the same rules as the name.</summary>
    /// <remarks>Default null: none.</remarks>
    /// <exception cref="ArgumentException">The sector is too long or has control characters.</exception>
    public string? Sector
    {
        get;
        set => field = value is null ? null : CheckName(value, nameof(Sector));
    }

    /// <summary>How long the directory keeps the registration without a refresh (<c>lt</c>).</summary>
    /// <remarks>
    /// Default 25 h, as in RFC 9176 section 5. 1 s to 4,294,967,295 s, in whole seconds. It is refreshed after eight to nine tenths of it,
    /// at the latest a minute before the end.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public TimeSpan Lifetime
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromSeconds(1));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromSeconds(uint.MaxValue));
            field = TimeSpan.FromSeconds(Math.Floor(value.TotalSeconds));
        }
    }
    = TimeSpan.FromHours(25);

    /// <summary>The base URI of the endpoint, with scheme, host and port, such as <c>coap://[2001:db8::3]:5683</c> (<c>base</c>).</summary>
    /// <remarks>
    /// Default null: the directory uses the source address of the registration, which follows a moving device. It is required behind a NAT
    /// that changes ports, through a proxy, for other endpoints than the own one, and with a directory over TCP or WebSockets, where the
    /// source port belongs to a connection.
    /// </remarks>
    /// <exception cref="ArgumentException">The value is not an absolute CoAP URI, or has a path, a query or a zone.</exception>
    public string? Base
    {
        get;
        set => field = ClientRegistrationRules.CheckBase(value, nameof(value));
    }

    /// <summary>The links to register, such as <see cref="CoapServer.Links"/>.</summary>
    /// <remarks>
    /// Each target and anchor must begin with <c>/</c> or be a full URI (RFC 9176 appendix C). Enumerated again for each refresh, which
    /// registers changes. Default: none.
    /// </remarks>
    public IEnumerable<CoapLink> Links
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    }
    = [];

    /// <summary>The types of the endpoint (<c>et</c>), such as <c>oic.d.sensor</c>, or <c>core.rd-group</c> for a group.</summary>
    /// <remarks>Default: none.</remarks>
    public IList<string> Types { get; } = [];

    /// <summary>Further attributes of the endpoint for lookups.</summary>
    /// <remarks>Default: none.</remarks>
    public IDictionary<string, string> Attributes { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// The delay after the first failed attempt; it doubles with each further one, up to <see cref="LongestRetry"/>, and half of it is
    /// random.
    /// </summary>
    /// <remarks>Default 5 s; 100 ms to a day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public TimeSpan FirstRetry
    {
        get;
        set => field = CheckRetry(value);
    }
    = TimeSpan.FromSeconds(5);

    /// <summary>The maximum delay between attempts, and the delay after a refused registration.</summary>
    /// <remarks>Default 10 min; 100 ms to a day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public TimeSpan LongestRetry
    {
        get;
        set => field = CheckRetry(value);
    }
    = TimeSpan.FromMinutes(10);

    /// <summary>The timeout of one request to the directory.</summary>
    /// <remarks>Default 60 s; above zero, to a day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public TimeSpan Timeout
    {
        get;
        set => field = CheckTime(value);
    }
    = TimeSpan.FromSeconds(60);

    /// <summary>Whether stopping removes the registration.</summary>
    /// <remarks>Default true. False keeps it until its lifetime ends, for a process that restarts soon.</remarks>
    public bool RemoveAtEnd { get; set; } = true;

    /// <summary>How long stopping waits for the directory.</summary>
    /// <remarks>Default 5 s; above zero, to a day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    public TimeSpan EndTimeout
    {
        get;
        set => field = CheckTime(value);
    }
    = TimeSpan.FromSeconds(5);

    internal CoapRegistrationOptions Clone()
    {
        CoapRegistrationOptions copy = new()
        {
            EndpointName = EndpointName,
            Sector = Sector,
            Lifetime = Lifetime,
            Base = Base,
            Links = Links,
            FirstRetry = FirstRetry,
            LongestRetry = LongestRetry,
            Timeout = Timeout,
            RemoveAtEnd = RemoveAtEnd,
            EndTimeout = EndTimeout,
        };
        foreach (string type in Types)
        {
            copy.Types.Add(type);
        }

        foreach ((string name, string value) in Attributes)
        {
            copy.Attributes.Add(name, value);
        }

        return copy;
    }

    // RFC 9176 section 5: at most 63 bytes, none of them of a control character.
    private static string CheckName(string value, string property)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Encoding.UTF8.GetByteCount(value) <= MaxNameBytes && !value.Any(char.IsControl)
            ? value
            : throw new ArgumentException(
                $"{property} must have at most {MaxNameBytes} bytes in UTF-8, and no control characters (RFC 9176 section "
                    + "5).", nameof(value));
    }

    private static TimeSpan CheckRetry(TimeSpan value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromMilliseconds(100));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
        return value;
    }

    private static TimeSpan CheckTime(TimeSpan value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
        return value;
    }
}
