using System.Text;
using CoAP.NET.Directories;

namespace CoAP.NET;

/// <summary>What is registered with a resource directory, and how it is kept (RFC 9176 section 5). What is set after the start has no
/// effect.</summary>
public sealed class CoapRegistrationOptions
{
    private const int MaxNameBytes = 63;

    /// <summary>
    /// The name of the endpoint (<c>ep</c>), unique within its sector: at most 63 bytes in UTF-8, without control characters. Default: the
    /// empty string, with which the directory takes the name from the credentials of the endpoint, if it can.
    /// </summary>
    /// <exception cref="ArgumentException">It is too long or has control characters.</exception>
    public string EndpointName
    {
        get;
        set => field = CheckName(value, nameof(EndpointName));
    }
    = "";

    /// <summary>The sector (<c>d</c>), as for the name. Default null: none.</summary>
    /// <exception cref="ArgumentException">It is too long or has control characters.</exception>
    public string? Sector
    {
        get;
        set => field = value is null ? null : CheckName(value, nameof(Sector));
    }

    /// <summary>
    /// For how long the directory keeps what it does not hear of (<c>lt</c>). Default 25 h, as RFC 9176 section 5 says. 1 s to
    /// 4,294,967,295 s, in whole seconds. It is refreshed when eight to nine tenths of it are over, at the latest a minute before the end.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of its range.</exception>
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

    /// <summary>
    /// Where the endpoint is, as scheme, host and port, such as <c>coap://[2001:db8::3]:5683</c> (<c>base</c>). Default null: the directory
    /// takes the address that the registration comes from, which follows a device that moves. It must be given behind a NAT that changes
    /// ports, through a proxy, for endpoints other than the own one, and to a directory that is reached by TCP or WebSockets, where the
    /// source port is that of a connection.
    /// </summary>
    /// <exception cref="ArgumentException">It is no absolute CoAP URI, or has a path, a query or a zone.</exception>
    public string? Base
    {
        get;
        set => field = RegistrationRules.CheckBase(value, nameof(value));
    }

    /// <summary>
    /// The links to register, such as <see cref="CoapServer.Links"/>. Each target and anchor begins with <c>/</c> or is a full URI (RFC
    /// 9176 appendix C). Enumerated anew for each refresh: what has changed then is registered. Default: none.
    /// </summary>
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

    /// <summary>The types of the endpoint (<c>et</c>), such as <c>oic.d.sensor</c>, or <c>core.rd-group</c> for a group. Default:
    /// none.</summary>
    public IList<string> Types { get; } = [];

    /// <summary>Further attributes of the endpoint, by which it may be looked up. Default: none.</summary>
    public IDictionary<string, string> Attributes { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// The wait after the first try that failed; it doubles with each further one, up to <see cref="LongestRetry"/>, and half of it is
    /// drawn by lot. Default 5 s; 100 ms to a day.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of its range.</exception>
    public TimeSpan FirstRetry
    {
        get;
        set => field = CheckRetry(value);
    }
    = TimeSpan.FromSeconds(5);

    /// <summary>The longest wait between tries, and the wait after a registration was refused. Default 10 min; 100 ms to a day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of its range.</exception>
    public TimeSpan LongestRetry
    {
        get;
        set => field = CheckRetry(value);
    }
    = TimeSpan.FromMinutes(10);

    /// <summary>How long one request to the directory may take. Default 60 s; above zero, to a day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of its range.</exception>
    public TimeSpan Timeout
    {
        get;
        set => field = CheckTime(value);
    }
    = TimeSpan.FromSeconds(60);

    /// <summary>Whether the registration is removed when it is stopped. Default true. False leaves it until it ends by itself, for a
    /// process that comes back soon.</summary>
    public bool RemoveAtEnd { get; set; } = true;

    /// <summary>How long stopping waits for the directory. Default 5 s; above zero, to a day.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of its range.</exception>
    public TimeSpan EndTimeout
    {
        get;
        set => field = CheckTime(value);
    }
    = TimeSpan.FromSeconds(5);

    /// <summary>How the directory is looked for. Default null: <see cref="CoapDirectoryClientOptions"/> with its defaults.</summary>
    public CoapDirectoryClientOptions? Search { get; set; }

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
            Search = Search,
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
                $"{property} has at most {MaxNameBytes} bytes in UTF-8, and no control characters (RFC 9176 section 5).", nameof(value));
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
