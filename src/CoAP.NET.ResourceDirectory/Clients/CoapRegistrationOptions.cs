using System.Text;
using CoAP.NET.ResourceDirectory.Clients;
using CoAP.NET.Settings;

namespace CoAP.NET.ResourceDirectory;

/// <summary>The content and options of a registration with a resource directory (RFC 9176 section 5).</summary>
/// <remarks>Changes after the start have no effect.</remarks>
[HasSettings]
public sealed partial class CoapRegistrationOptions
{
    private const int MaxNameBytes = 63;

    /// <summary>
    /// The name of the endpoint (<c>ep</c>), unique within its sector: at most 63 bytes in UTF-8, without control characters.
    /// </summary>
    /// <remarks>Default: the empty string; the directory then takes the name from the credentials of the endpoint, if possible.</remarks>
    /// <exception cref="ArgumentException">The name is too long or has control characters.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public string EndpointName
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = CheckName(value, nameof(EndpointName));
        }
    } = "";

    /// <summary>The sector (<c>d</c>), with the same rules as the name.</summary>
    /// <remarks>Default null: none.</remarks>
    /// <exception cref="ArgumentException">The sector is too long or has control characters.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public string? Sector
    {
        get;
        set
        {
            ThrowIfReadOnly();
            field = value is null ? null : CheckName(value, nameof(Sector));
        }
    }

    /// <summary>How long the directory keeps the registration without a refresh (<c>lt</c>).</summary>
    /// <remarks>
    /// Default 25 h, as in RFC 9176 section 5. 1 s to 4,294,967,295 s, in whole seconds. It is refreshed after eight to nine tenths of it,
    /// at the latest a minute before the end.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public TimeSpan Lifetime
    {
        get;
        set
        {
            ThrowIfReadOnly();
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromSeconds(1));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromSeconds(uint.MaxValue));
            field = TimeSpan.FromSeconds(Math.Floor(value.TotalSeconds));
        }
    } = TimeSpan.FromHours(25);

    /// <summary>The base URI of the endpoint, with scheme, host and port, such as <c>coap://[2001:db8::3]:5683</c> (<c>base</c>).</summary>
    /// <remarks>
    /// Default null: the directory uses the source address of the registration, which follows a moving device. It is required behind a NAT
    /// that changes ports, through a proxy, for other endpoints than the own one, and with a directory over TCP or WebSockets, where the
    /// source port belongs to a connection.
    /// </remarks>
    /// <exception cref="ArgumentException">The value is not an absolute CoAP URI, or has a path, a query or a zone.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public CoapUri? Base
    {
        get;
        set
        {
            ThrowIfReadOnly();
            ClientRegistrationRules.CheckBase(value, nameof(value));
            field = value;
        }
    }

    /// <summary>The links to register, such as <see cref="CoapServer.Links"/>.</summary>
    /// <remarks>
    /// Each target and anchor must begin with <c>/</c> or be a full URI (RFC 9176 appendix C). Enumerated again for each refresh, which
    /// registers changes. Default: none.
    /// </remarks>
    public partial IEnumerable<CoapLink> Links { get; set; } = [];

    /// <summary>The types of the endpoint (<c>et</c>), such as <c>oic.d.sensor</c>, or <c>core.rd-group</c> for a group.</summary>
    /// <remarks>Default: none.</remarks>
    public IList<string> Types { get; } = new SettingList<string>();

    /// <summary>Further attributes of the endpoint for lookups.</summary>
    /// <remarks>Default: none.</remarks>
    public IDictionary<string, string> Attributes { get; } = new SettingDictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// The delay after the first failed attempt; it doubles with each further one, up to <see cref="LongestRetry"/>, and half of it is
    /// random.
    /// </summary>
    [TimeRange(100 * Seconds.Millisecond, Seconds.Day)]
    public partial TimeSpan FirstRetry { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum delay between attempts, and the delay after a refused registration.</summary>
    [TimeRange(100 * Seconds.Millisecond, Seconds.Day)]
    public partial TimeSpan LongestRetry { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>The timeout of one request to the directory.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>Whether stopping removes the registration.</summary>
    /// <remarks>False keeps it until its lifetime ends, for a process that restarts soon.</remarks>
    public partial bool RemoveAtEnd { get; set; } = true;

    /// <summary>How long stopping waits for the directory.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan EndTimeout { get; set; } = TimeSpan.FromSeconds(5);

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
}
