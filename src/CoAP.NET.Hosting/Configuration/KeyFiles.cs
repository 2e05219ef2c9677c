namespace CoAP.NET.Hosting;

/// <summary>
/// The files of secret keys that options name, and who else may read or change them. Private keys of EDHOC are not among them: those are
/// refused wherever they are read.
/// </summary>
internal static class KeyFiles
{
    // Of a directory of aiocoap.
    private const string SecretOfDirectory = "secret.json";

    /// <summary>What is wrong with the permissions of a server's files.</summary>
    /// <param name="options">The options.</param>
    /// <param name="section">What messages call the section.</param>
    public static IEnumerable<string> Check(CoapServerOptions options, string section) => Check(
    [
        .. options.Oscore.Files.Select((path, index) => ($"{section}:Oscore:Files:{index}", (string?)path)),
        ($"{section}:Dtls:PskFile", options.Dtls.PskFile), ($"{section}:Dtls:Key", options.Dtls.Key),
        ($"{section}:Tls:Key", options.Tls.Key),
    ]);

    /// <summary>What is wrong with the permissions of a client's files.</summary>
    /// <param name="options">The options.</param>
    /// <param name="section">What messages call the section.</param>
    public static IEnumerable<string> Check(CoapClientOptions options, string section) => Check(
    [
        ($"{section}:Oscore:File", options.Oscore.File), ($"{section}:Dtls:Key", options.Dtls.Key), ($"{section}:Tls:Key", options.Tls.Key),
    ]);

    private static IEnumerable<string> Check(IEnumerable<(string Key, string? Path)> files)
    {
        foreach ((string key, string? path) in files)
        {
            if (path is not null
                && KeyFileMode.ProblemOf(Directory.Exists(path) ? Path.Combine(path, SecretOfDirectory) : path) is { } problem)
            {
                yield return $"{key} = '{path}': {problem}";
            }
        }
    }
}
