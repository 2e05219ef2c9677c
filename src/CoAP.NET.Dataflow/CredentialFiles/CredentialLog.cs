using Microsoft.Extensions.Logging;

namespace CoAP.NET.CredentialFiles;

/// <summary>The log messages of files of credentials that change while an endpoint runs, with ids from 1806 to 1813.</summary>
internal static partial class CredentialLog
{
    [LoggerMessage(1806, LogLevel.Information,
        "{Server} took the pre-shared keys of {File}, which has changed. There are {Count} keys now. {Ended} sessions ended because their "
        + "keys were removed; the others stay open.")]
    public static partial void KeysTaken(ILogger logger, string server, string file, int count, int ended);

    [LoggerMessage(1807, LogLevel.Error,
        "{Server} keeps its pre-shared keys, because the changed file has an error: {Problem}")]
    public static partial void KeysNotTaken(ILogger logger, string server, string problem);

    [LoggerMessage(1808, LogLevel.Information,
        "{Server} took the security contexts of {File}, which has changed. There are {Count} of them now.")]
    public static partial void ContextsTaken(ILogger logger, string server, string file, int count);

    [LoggerMessage(1809, LogLevel.Error,
        "{Server} did not take the security contexts of a file that has changed: {Problem}")]
    public static partial void ContextsNotTaken(ILogger logger, string server, string problem);

    [LoggerMessage(1811, LogLevel.Information,
        "{Endpoint} took the changed files of {Section} ({Files}). New handshakes use them. {Ended} connections and sessions ended because "
        + "their certificates are revoked; the others stay open.")]
    public static partial void CertificatesTaken(ILogger logger, string endpoint, string files, string section, int ended);

    [LoggerMessage(1812, LogLevel.Error,
        "{Endpoint} keeps its certificates, authorities and revocation lists, because a changed file has an error: {Problem}")]
    public static partial void CertificatesNotTaken(ILogger logger, string endpoint, string problem);

    [LoggerMessage(1813, LogLevel.Warning,
        "{Endpoint}: the revocation list {Key} = '{File}' stays in force, but a newer one was due on {Due}. Replace the file.")]
    public static partial void RevocationListDue(ILogger logger, string endpoint, string key, string file, DateTimeOffset due);
}
