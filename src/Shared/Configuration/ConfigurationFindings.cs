namespace CoAP.NET.Hosting;

/// <summary>What reading a section found to be wrong. Told when the application starts, all at once.</summary>
internal sealed class ConfigurationFindings
{
    /// <summary>Values that are not allowed.</summary>
    public List<string> Errors { get; } = [];

    /// <summary>Keys that nobody knows.</summary>
    public List<string> UnknownKeys { get; } = [];

    /// <summary>What keeps the application from starting.</summary>
    /// <param name="section">The path of the section.</param>
    /// <param name="allowsUnknownKeys">Whether keys that nobody knows are let pass.</param>
    /// <returns>A new list, for the caller to add to.</returns>
    public List<string> ListProblems(string section, bool allowsUnknownKeys) => allowsUnknownKeys
        ? [.. Errors]
        : [.. Errors, .. UnknownKeys.Select(key => $"{key} ({section}:AllowUnknownKeys makes this a warning.)")];
}
