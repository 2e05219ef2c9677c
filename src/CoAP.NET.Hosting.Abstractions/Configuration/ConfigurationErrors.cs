namespace CoAP.NET.Hosting;

/// <summary>The errors found in a section. They are reported together when the application starts.</summary>
internal sealed class ConfigurationErrors
{
    public ConfigurationErrorList Errors { get; } = new("errors");

    public UnusedConfigurationList UnknownKeys { get; } = new("unknown keys", "is not a known key.");

    /// <summary>Whether sections are searched for unknown keys. Otherwise only the known ones are read.</summary>
    public bool SeeksUnknownKeys { get; set; } = true;

    /// <summary>Lists the errors that keep the application from starting.</summary>
    /// <param name="section">The path of the section.</param>
    /// <param name="allowsUnknownKeys">Whether unknown keys are accepted.</param>
    /// <returns>A new list that the caller may extend.</returns>
    public List<string> ListProblems(string section, bool allowsUnknownKeys) => allowsUnknownKeys
        ? [.. Errors]
        : [.. Errors, .. UnknownKeys.Texts.Select(key => $"{key} ({section}:AllowUnknownKeys makes this a warning.)")];
}
