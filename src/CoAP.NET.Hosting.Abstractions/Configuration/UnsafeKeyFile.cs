using CoAP.NET.Files;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>A file with secret keys that other users can read or change.</summary>
/// <param name="Key">The configuration key that names the file.</param>
/// <param name="File">The path of the file.</param>
/// <param name="Reason">The problem and the remedy (<see cref="KeyFileMode.ProblemOf"/>).</param>
internal readonly record struct UnsafeKeyFile(string Key, string File, string Reason)
{
    /// <inheritdoc/>
    public override string ToString() => $"{Key} = '{File}': {Reason}";
}
