using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Hosting.Directories;

/// <summary>The resource directories of a hosted server, of configuration and of code.</summary>
internal sealed class HostedDirectoryRegistrations
{
    /// <summary>The name of the section below that of the server.</summary>
    public const string Section = "Directories";

    public static ConfigurationSectionReader<HostedDirectoryRegistrations> Table { get; } = new()
    {
        { Section, static (directories, item, findings) => DirectoryRegistrationSettings.Read(item, directories.All, findings) },
    };

    public IList<HostedDirectoryRegistration> All { get; } = [];

    public ConfigurationErrors Findings { get; } = new();
}
