namespace CoAP.NET.Hosting;

/// <summary>
/// Finds the secret key files of options that other users can read or change. It excludes private keys of EDHOC, because reading those
/// fails with such permissions.
/// </summary>
internal static class KeyFiles
{
    /// <summary>Returns the problems of the permissions of a server's files.</summary>
    /// <param name="options">The options.</param>
    /// <param name="section">The name of the section in messages.</param>
    public static IEnumerable<string> Check(CoapServerOptions options, string section) => Check(
    [
        .. options.Oscore.Files.Select((path, index) => ($"{section}:Oscore:Files:{index}", (string?)path)),
        ($"{section}:Dtls:PskFile", options.Dtls.PskFile), ($"{section}:Dtls:Key", options.Dtls.Key),
        ($"{section}:Tls:Key", options.Tls.Key),
    ]);

    /// <summary>Returns the problems of the permissions of a client's files.</summary>
    /// <param name="options">The options.</param>
    /// <param name="section">The name of the section in messages.</param>
    public static IEnumerable<string> Check(CoapClientOptions options, string section) => Check(
    [
        ($"{section}:Oscore:File", options.Oscore.File), ($"{section}:Dtls:Key", options.Dtls.Key), ($"{section}:Tls:Key", options.Tls.Key),
    ]);

    private static IEnumerable<string> Check(IEnumerable<(string Key, string? Path)> files)
    {
        foreach ((string key, string? path) in files)
        {
            if (path is not null && KeyFileMode.ProblemOf(KeyFileMode.FileOf(path)) is { } problem)
            {
                yield return $"{key} = '{path}': {problem}";
            }
        }
    }
}
