namespace CoAP.NET.Options;

/// <summary>What the segments of paths in options have in common.</summary>
internal static class PathSegment
{
    /// <summary>Refuses segments that are not names but steps in a path.</summary>
    /// <param name="value">The segment.</param>
    /// <param name="option">The option.</param>
    /// <param name="rule">Where they are forbidden.</param>
    /// <returns>The segment.</returns>
    /// <exception cref="ArgumentException">It is <c>.</c> or <c>..</c>.</exception>
    public static string Check(string value, string option, string rule) => value is not ("." or "..")
        ? value
        : throw new ArgumentException($"A {option} segment is never '.' or '..' ({rule}). Resolve the path first.", nameof(value));
}
