using System.Net;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The configuration keys of groups.</summary>
internal static class GroupConfigurationKeys
{
    public static ConfigurationSectionReader<CoapGroupOptions> Table { get; } = new("Groups:")
    {
        {
            "Addresses",
            Text("address of a group, within 224.0.0.0/4 or ff00::/8",
                static text => IPAddress.TryParse(text, out IPAddress? address) && ListenAddressValidator.IsGroup(address) ? address : null)
        },
        { "Interfaces", Text("name or index of an interface") },
        { "GroupSize", Number(1, int.MaxValue) },
        { "ResponseRate", Factor(0, double.MaxValue, isAbove: true) },
        "SharePort",
    };
}
