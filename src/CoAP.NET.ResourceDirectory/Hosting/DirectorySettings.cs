using CoAP.NET.Hosting;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.ResourceDirectory;

/// <summary>One item of <c>Directories</c>: a resource directory, and the registration of a server there.</summary>
internal sealed class DirectorySettings
{
    private static readonly TimeKind s_retry = new(TimeSpan.FromMilliseconds(100), TimeSpan.FromDays(1));
    private static readonly TimeKind s_time = new(TimeSpan.Zero, TimeSpan.FromDays(1), isAbove: true);

    /// <summary>The keys of an item.</summary>
    public static KeyTable<DirectorySettings> Table { get; } = new KeyTable<DirectorySettings>()
        .Text("Uri", new TextKind<string>("URI with scheme, host and port such as coap://rd.example, or a group", static text => text),
            static directory => directory.Uri, static (directory, value) => directory.Uri = value)
        .Text("EndpointName", new TextKind<string>("text of up to 63 bytes, without control characters", static text => text),
            static directory => directory.Options.EndpointName is { Length: > 0 } name ? name : null,
            static (directory, value) => directory.Options.EndpointName = value)
        .Text("Sector", new TextKind<string>("text of up to 63 bytes, without control characters", static text => text),
            static directory => directory.Options.Sector, static (directory, value) => directory.Options.Sector = value)
        .Time("Lifetime", new TimeKind(TimeSpan.FromSeconds(1), TimeSpan.FromDays(49_710)), static directory => directory.Options.Lifetime,
            static (directory, value) => directory.Options.Lifetime = value)
        .Text("Base", new TextKind<string>("URI with scheme, host and port such as coap://[2001:db8::3]:5683", static text => text),
            static directory => directory.Options.Base, static (directory, value) => directory.Options.Base = value)
        .List("Types", new TextKind<string>("text", static text => text), static directory => directory.Options.Types)
        .Time("FirstRetry", s_retry, static directory => directory.Options.FirstRetry,
            static (directory, value) => directory.Options.FirstRetry = value)
        .Time("LongestRetry", s_retry, static directory => directory.Options.LongestRetry,
            static (directory, value) => directory.Options.LongestRetry = value)
        .Time("Timeout", s_time, static directory => directory.Options.Timeout,
            static (directory, value) => directory.Options.Timeout = value)
        .Switch("RemoveAtEnd", static directory => directory.Options.RemoveAtEnd,
            static (directory, value) => directory.Options.RemoveAtEnd = value)
        .Time("EndTimeout", s_time, static directory => directory.Options.EndTimeout,
            static (directory, value) => directory.Options.EndTimeout = value)
        .ItemsOf("Attributes", static (directory, item, _) => directory.Options.Attributes[item.Key] = item.Value ?? "");

    public string? Uri { get; private set; }

    public CoapRegistrationOptions Options { get; } = new();

    /// <summary>Reads an item into the directories of a server.</summary>
    public static void Read(IConfigurationSection item, IList<HostedDirectory> directories, ConfigurationFindings findings)
    {
        DirectorySettings settings = new();
        SectionReader.Read(item, Table, settings, findings);
        if (settings.Uri is not { } uri)
        {
            findings.Errors.Add($"{ShownText.Of(item.Path)}:Uri names no directory. Give its URI, such as coap://rd.example.");
        }
        else if (HostedDirectory.Check(uri) is { } problem)
        {
            findings.Errors.Add($"{ShownText.Of(item.Path)}:Uri = '{ShownText.Of(uri)}': {problem}");
        }
        else
        {
            directories.Add(new HostedDirectory(uri, settings.Options));
        }
    }
}
