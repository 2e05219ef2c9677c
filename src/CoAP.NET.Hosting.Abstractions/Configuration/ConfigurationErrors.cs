using CoAP.NET.Diagnostics;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The errors found in a section. They are reported together when the application starts.</summary>
internal sealed class ConfigurationErrors
{
    /// <summary>The texts quote keys and values by <see cref="ConfigurationTextFormatter"/>.</summary>
    public ConfigurationFindingList<string> Errors { get; } = new("errors", static text => text);

    public ConfigurationFindingList<UnusedConfigurationKey> UnknownKeys { get; } =
        new("unknown keys", static key => $"{key.Path} is not a known key. {key.Reason}");

    /// <summary>Whether sections are searched for unknown keys. Otherwise only the known ones are read.</summary>
    public bool SeeksUnknownKeys { get; set; } = true;

    /// <summary>Lists the errors that keep the application from starting.</summary>
    /// <param name="section">The path of the section.</param>
    /// <param name="allowsUnknownKeys">Whether unknown keys are accepted.</param>
    /// <returns>A new list that the caller may extend.</returns>
    public List<string> ListProblems(string section, bool allowsUnknownKeys) => allowsUnknownKeys
        ? [.. Errors]
        : [.. Errors, .. UnknownKeys.Select(key => $"{key} ({section}:AllowUnknownKeys makes this a warning.)")];
}
