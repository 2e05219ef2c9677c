using System.Net;

namespace CoAP.NET;

/// <summary>
/// Which groups an endpoint joins, and how it answers what is sent to them (RFC 7252 section 8). Mutable until
/// <see cref="CoapEndpoint.JoinGroups"/>, which copies it. Anybody who can send to a group makes all its members answer: join only where
/// that is wanted, and on interfaces that strangers do not reach.
/// </summary>
public sealed class CoapGroupOptions
{
    /// <summary>The All CoAP Nodes group of IPv4: 224.0.1.187 (RFC 7252 section 12.8).</summary>
    public static IPAddress AllCoapNodesIPv4 { get; } = IPAddress.Parse("224.0.1.187");

    /// <summary>The All CoAP Nodes group of IPv6, link-local scope: ff02::fd (RFC 7252 section 12.8).</summary>
    public static IPAddress AllCoapNodesLinkLocal { get; } = IPAddress.Parse("ff02::fd");

    /// <summary>The All CoAP Nodes group of IPv6, site-local scope: ff05::fd (RFC 7252 section 12.8).</summary>
    public static IPAddress AllCoapNodesSiteLocal { get; } = IPAddress.Parse("ff05::fd");

    /// <summary>
    /// The groups. Default: the three of All CoAP Nodes. Others may be added, such as ff02::1 or a group of your own. An IPv6 group with a
    /// scope is joined on that interface only.
    /// </summary>
    public IList<IPAddress> Addresses { get; private set; } = [AllCoapNodesIPv4, AllCoapNodesLinkLocal, AllCoapNodesSiteLocal];

    /// <summary>The interfaces to join on, by name such as <c>eth0</c>, or by index. Default empty: all that are up and can.</summary>
    public IList<string> Interfaces { get; private set; } = [];

    /// <summary>
    /// An estimate of how many members a group has, for the Leisure by the formula of RFC 7252 section 8.2. Needs
    /// <see cref="ResponseRate"/>. Default null: DEFAULT_LEISURE. 1 or more.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int? GroupSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value ?? 1, 1, nameof(value));
            field = value;
        }
    }

    /// <summary>
    /// How many bytes of answers a second the network is to carry, for the Leisure by the formula of RFC 7252 section 8.2. Needs
    /// <see cref="GroupSize"/>. Default null: DEFAULT_LEISURE. Above 0.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above 0.</exception>
    public double? ResponseRate
    {
        get;
        set
        {
            if (value is { } rate && !(rate > 0))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, "A rate is above 0.");
            }

            field = value;
        }
    }

    /// <summary>
    /// Whether the port is shared with other programs of this machine that listen to groups at it, such as a home automation server at
    /// 5683; they must share it as well. Default false. What it means: <see cref="Transports.CoapUdpTransportOptions.SharePort"/>.
    /// </summary>
    public bool SharePort { get; set; }

    internal CoapGroupOptions Clone()
    {
        CoapGroupOptions copy = (CoapGroupOptions)MemberwiseClone();
        copy.Addresses = [.. Addresses];
        copy.Interfaces = [.. Interfaces];
        return copy;
    }
}
