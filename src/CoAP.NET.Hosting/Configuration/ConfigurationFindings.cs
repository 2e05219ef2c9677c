namespace CoAP.NET.Hosting;

/// <summary>What reading a section found to be wrong. Told when the application starts, all at once.</summary>
internal sealed class ConfigurationFindings
{
    /// <summary>Values that are not allowed.</summary>
    public List<string> Errors { get; } = [];

    /// <summary>Keys that nobody knows.</summary>
    public List<string> UnknownKeys { get; } = [];
}
