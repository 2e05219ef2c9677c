namespace CoAP.NET.Hosting;

/// <summary>
/// Keys and values as messages show them: on one line and short, because anything may be in a file or an environment variable.
/// </summary>
internal static class ConfigurationTextFormatter
{
    private const int MaxLength = 200;

    private static readonly string[] s_secrets = [":Password", ":PskKey", ":Psk", "IdentityKey", "Secret"];

    public static string Of(string text)
    {
        string line = CoapUntrustedText.LineOf(text);
        return line.Length <= MaxLength ? line : string.Concat(line.AsSpan(0, MaxLength), "...");
    }

    public static string Of(string path, string value) =>
        s_secrets.Any(secret => path.EndsWith(secret, StringComparison.OrdinalIgnoreCase)) ? "***" : Of(value);

    /// <summary>Returns problems as an error shows them. Some quote paths of files, or messages of the system that do.</summary>
    public static IEnumerable<string> OfAll(IEnumerable<string> problems) => problems.Select(CoapUntrustedText.LineOf);
}
