namespace CoAP.NET.Options;

/// <summary>Validates path segments in options.</summary>
internal static class PathSegmentValidator
{
    /// <summary>Throws for segments that are steps in a path and not names.</summary>
    /// <param name="value">The segment.</param>
    /// <param name="option">The option.</param>
    /// <param name="rule">The RFC section that forbids them.</param>
    /// <returns>The segment.</returns>
    /// <exception cref="ArgumentException">The segment is <c>.</c> or <c>..</c>.</exception>
    public static string Check(string value, string option, string rule) => value is not ("." or "..")
        ? value
        : throw new ArgumentException($"A {option} segment must not be '.' or '..' ({rule}). Resolve the path first.", nameof(value));
}
