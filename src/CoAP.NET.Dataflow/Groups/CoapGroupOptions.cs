using System.Net;

namespace CoAP.NET;

/// <summary>Configures which groups an endpoint joins, and how it answers requests to them (RFC 7252 section 8).</summary>
/// <remarks>
/// Read-only once <see cref="CoapEndpoint.JoinGroups"/> was called with them. A single sender makes all members of a group answer. Join
/// groups only where you want that, and on interfaces that strangers cannot reach.
/// </remarks>
[HasSettings]
public sealed partial class CoapGroupOptions
{
    /// <summary>The All CoAP Nodes group of IPv4: 224.0.1.187 (RFC 7252 section 12.8).</summary>
    public static IPAddress AllCoapNodesIPv4 { get; } = IPAddress.Parse("224.0.1.187");

    /// <summary>The All CoAP Nodes group of IPv6, link-local scope: ff02::fd (RFC 7252 section 12.8).</summary>
    public static IPAddress AllCoapNodesLinkLocal { get; } = IPAddress.Parse("ff02::fd");

    /// <summary>The All CoAP Nodes group of IPv6, site-local scope: ff05::fd (RFC 7252 section 12.8).</summary>
    public static IPAddress AllCoapNodesSiteLocal { get; } = IPAddress.Parse("ff05::fd");

    /// <summary>The groups to join. Default: the three All CoAP Nodes groups.</summary>
    /// <remarks>
    /// You can add others, such as ff02::1 or a group of your own. An IPv6 group with a scope is joined on that interface only.
    /// </remarks>
    public IList<IPAddress> Addresses { get; } =
        new SettingList<IPAddress>(AllCoapNodesIPv4, AllCoapNodesLinkLocal, AllCoapNodesSiteLocal);

    /// <summary>
    /// The interfaces for joining groups, by name such as <c>eth0</c>, or by index. Default empty: all suitable interfaces that are up.
    /// </summary>
    public IList<string> Interfaces { get; } = new SettingList<string>();

    /// <summary>
    /// The estimated number of members of a group, for the Leisure formula of RFC 7252 section 8.2. Default null: DEFAULT_LEISURE.
    /// </summary>
    /// <remarks>Needs <see cref="ResponseRate"/>.</remarks>
    [NumberRange(1)]
    public partial int? GroupSize { get; set; }

    /// <summary>
    /// The data rate for answers in the network, in bytes per second, for the Leisure formula of RFC 7252 section 8.2. Default null:
    /// DEFAULT_LEISURE.
    /// </summary>
    /// <remarks>Needs <see cref="GroupSize"/>.</remarks>
    [FactorRange(0, IsMinExcluded = true)]
    public partial double? ResponseRate { get; set; }

    /// <summary>
    /// Whether other programs on this machine that listen to groups can share the port, such as a home automation server at 5683. Default
    /// false.
    /// </summary>
    /// <remarks>
    /// The other programs must share the port too. <see cref="CoapUdpTransportOptions.SharePort"/> describes the effects.
    /// </remarks>
    public partial bool SharePort { get; set; }
}
