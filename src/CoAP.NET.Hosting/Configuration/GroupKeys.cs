using System.Net;

namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapGroupOptions"/>.</summary>
internal static class GroupKeys
{
    public static KeyTable<CoapGroupOptions> Table { get; } = new KeyTable<CoapGroupOptions>()
        .List("Groups:Addresses", new TextKind<IPAddress>("address of a group, within 224.0.0.0/4 or ff00::/8", ParseGroup),
            static groups => groups.Addresses)
        .List("Groups:Interfaces", new TextKind<string>("name or index of an interface", static text => text),
            static groups => groups.Interfaces)
        .Number("Groups:GroupSize", 1, int.MaxValue, static groups => groups.GroupSize, static (groups, value) => groups.GroupSize = value)
        .Factor("Groups:ResponseRate", new FactorKind(0, double.MaxValue, isAbove: true), static groups => groups.ResponseRate,
            static (groups, value) => groups.ResponseRate = value)
        .Switch("Groups:SharePort", static groups => groups.SharePort, static (groups, value) => groups.SharePort = value);

    private static IPAddress? ParseGroup(string text) =>
        IPAddress.TryParse(text, out IPAddress? address) && ListenAddress.IsGroup(address) ? address : null;
}
