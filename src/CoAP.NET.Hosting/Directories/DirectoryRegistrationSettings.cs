using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.ResourceDirectory;
using Microsoft.Extensions.Configuration;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Hosting.Directories;

/// <summary>One item of <c>Directories</c>: a resource directory, and the registration of a server there.</summary>
internal sealed class DirectoryRegistrationSettings
{
    private static readonly ConfigurationValueSyntax s_name = Text("text of up to 63 bytes, without control characters");

    private static readonly ConfigurationSectionReader<CoapRegistrationOptions> s_options = new()
    {
        { "EndpointName", s_name },
        { "Sector", s_name },
        { "Lifetime", Time(FromSeconds(1), FromDays(49_710)) },
        { "Base", Text("URI with scheme, host and port such as coap://[2001:db8::3]:5683",
            static text => CoapUri.TryParse(text, out CoapUri? uri) ? uri : null) },
        { "Types", Text("text") },
        "FirstRetry",
        "LongestRetry",
        "Timeout",
        "RemoveAtEnd",
        "EndTimeout",
    };

    public static ConfigurationSectionReader<DirectoryRegistrationSettings> Table { get; } = new()
    {
        { "Uri", Text("URI with scheme, host and port such as coap://rd.example, or a group") },
        { s_options, static directory => directory.Options },
        { "Attributes", static (directory, item, _) => directory.Options.Attributes[item.Key] = item.Value ?? "" },
    };

    public string? Uri { get; set; }

    public CoapRegistrationOptions Options { get; } = new();

    public static void Read(IConfigurationSection item, IList<HostedDirectoryRegistration> directories, ConfigurationErrors findings)
    {
        DirectoryRegistrationSettings settings = new();
        Table.Read(item, settings, findings);
        if (settings.Uri is not { } uri)
        {
            findings.Errors.Add(
                $"{ConfigurationTextFormatter.Of(item.Path)}:Uri names no directory. Give its URI, such as coap://rd.example.");
        }
        else if (HostedDirectoryRegistration.Check(uri) is { } problem)
        {
            findings.Errors.Add(
                $"{ConfigurationTextFormatter.Of(item.Path)}:Uri = '{ConfigurationTextFormatter.Of("Uri", uri)}': {problem}");
        }
        else
        {
            directories.Add(new HostedDirectoryRegistration(uri, settings.Options));
        }
    }
}
