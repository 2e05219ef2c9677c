using CoAP.NET.Files;
using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// Finds the secret key files of options that other users can read or change. It excludes private keys of EDHOC, because reading those
/// fails with such permissions.
/// </summary>
internal static class SecretFilePermissionCheck
{
    /// <summary>Returns the files of a server or client that other users can read or change.</summary>
    public static IEnumerable<UnsafeKeyFile> Check(CoapTlsFileOptions tls, IEnumerable<HostedEndpointExtension> parts, string section)
    {
        foreach ((string key, string? path) in parts.SelectMany(static part => part.KeyFiles).Append(($"{section}:Tls:Key", tls.Key)))
        {
            if (path is not null && KeyFileMode.ProblemOf(KeyFileMode.FileOf(path)) is { } problem)
            {
                yield return new UnsafeKeyFile(key, path, problem);
            }
        }
    }
}
