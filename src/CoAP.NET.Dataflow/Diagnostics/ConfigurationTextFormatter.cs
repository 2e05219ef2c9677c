using System.Text.RegularExpressions;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// Formats keys and values for messages: on one line and short, because anything may be in a file or an environment variable. A value is
/// shown only if it looks like what a key takes. Otherwise it may be a secret that was set under the wrong key.
/// </summary>
internal static partial class ConfigurationTextFormatter
{
    /// <summary>Stands in messages for a value that may be a secret.</summary>
    public const string Hidden = "***";

    private const int MaxLength = 200;

    private static readonly string[] s_secrets = [":Password", ":PskKey", ":Psk", "IdentityKey", "Secret"];

    /// <summary>Returns a text that is not secret, such as a key, or the path of a file that exists.</summary>
    public static string Of(string text)
    {
        string line = CoapUntrustedText.LineOf(text);
        return line.Length <= MaxLength ? line : string.Concat(line.AsSpan(0, MaxLength), "...");
    }

    /// <summary>Returns the value of a key, or <see cref="Hidden"/>.</summary>
    /// <param name="path">The key.</param>
    /// <param name="value">Its value.</param>
    public static string Of(string path, string value) =>
        value.Length <= MaxLength && !s_secrets.Any(secret => path.EndsWith(secret, StringComparison.OrdinalIgnoreCase))
            && (Word().IsMatch(value) || Measure().IsMatch(value) || Address().IsMatch(value) || Uri().IsMatch(value) || IsPath(value))
            ? Of(value) : Hidden;

    /// <summary>Returns the value of a key that takes the path of a file or directory, or <see cref="Hidden"/>.</summary>
    public static string OfFile(string value) => value.Length <= MaxLength && IsPath(value) ? Of(value) : Hidden;

    /// <summary>The problem of a key whose file does not exist.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">Its value.</param>
    /// <param name="kind">What the value must be the path of.</param>
    public static string NoFile(string key, string value, string kind = "file")
    {
        string shown = OfFile(value);
        return shown == Hidden
            ? $"{key} = '{Hidden}': there is no such {kind}. Set the path of a {kind}. The value is not shown, because it may be a secret."
            : $"{key} = '{shown}': there is no {kind} {Path.GetFullPath(value)}";
    }

    /// <summary>Returns problems as an error shows them. Some quote paths of files, or messages of the system that do.</summary>
    public static IEnumerable<string> OfAll(IEnumerable<string> problems) => problems.Select(CoapUntrustedText.LineOf);

    // An absolute path, or one whose last name has an extension. No colon, as in the lines of files of keys, and no + and =, as in Base64.
    private static bool IsPath(string value) => FilePath().IsMatch(value);

    [GeneratedRegex(@"^[\p{L}*_ -]{1,24}\z")]
    private static partial Regex Word();

    // A number, a time or a size. Not the start of hexadecimal digits.
    [GeneratedRegex(@"^(?!0x)[-+]?[0-9]([0-9.,+/-]{0,31}[ ]?[A-Za-z]{0,8}|[0-9.:]{0,31}|[0-9.]{0,16}[eE][-+]?[0-9]{1,4})\z")]
    private static partial Regex Measure();

    [GeneratedRegex(@"^(?=.*\..*\.|.*:.*:)(?!(.*:){9})[0-9A-Fa-f:./%*-]{2,49}\z")]
    private static partial Regex Address();

    // Without user information and query, which may have passwords.
    [GeneratedRegex(@"^[A-Za-z][A-Za-z0-9+.-]{1,15}://[^@?#\s]*\z")]
    private static partial Regex Uri();

    [GeneratedRegex(@"^([A-Za-z]:[\\/]|[.~]{0,2}/)[\p{L}\p{N} ._/\\~@,()'-]*\z|^[\p{L}\p{N} ._/\\~-]+\.[A-Za-z0-9]{1,5}\z")]
    private static partial Regex FilePath();
}
