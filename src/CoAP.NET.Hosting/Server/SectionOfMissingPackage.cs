using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting.Server;

/// <summary>A section of a server or client that only an extension reads which the application has not added.</summary>
internal sealed class SectionOfMissingPackage(string section) : HostedEndpointExtension
{
    /// <summary>The section of the package for <c>coaps</c>.</summary>
    public const string Dtls = "Dtls";

    // Hosting refers to no package that has a name here.
    private static readonly (string Section, string? Package, string Call, bool IsForClients)[] s_known =
    [
        (Dtls, null, "UseDtls", true), ("Oscore", "CoAP.NET.Oscore", "UseOscore", true), ("Edhoc", "CoAP.NET.Edhoc", "UseEdhoc", true),
        ("Directories", null, "RegisterWithDirectories", false),
    ];

    public override string Section => section;

    // Its keys are unknown here, and none of them is misspelled.
    public override IEnumerable<(string Path, ConfigurationKeyShape Shape)> Keys => [(section, ConfigurationKeyShape.Items)];

    /// <summary>Adds an error for each section that no part reads.</summary>
    public static IReadOnlyCollection<HostedEndpointExtension> Find(
        IReadOnlyCollection<HostedEndpointExtension> parts, HostedRegistration registration, IConfiguration section,
            ConfigurationErrors findings)
    {
        List<HostedEndpointExtension> all = [.. parts];
        bool isServer = registration.Kind == HostedRegistration.Server;
        foreach ((string name, string? package, string call, bool isForClients) in s_known)
        {
            if ((isServer || isForClients) && section.GetSection(name).Exists() && !parts.Any(part => part.Section == name))
            {
                string add = isServer ? "AddCoapServer" : "AddCoapClient";
                findings.Errors.Add($"{registration.SectionPath}:{name} is set, but the application has not added it. "
                    + $"{(package is null ? "Call" : $"Reference the package {package}, and call")} {call} on what {add} returns.");
                all.Add(new SectionOfMissingPackage(name));
            }
        }

        return all;
    }
}
