using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>Checks the files of security contexts before the start. No message contains a secret.</summary>
internal static class OscoreFileOptionsValidator
{
    public static IEnumerable<string> Check(CoapOscoreServerFileOptions oscore, string section) =>
        oscore.Files.Select((path, index) => Check(path, $"{section}:Oscore:Files:{index}", out _)).OfType<string>();

    public static IEnumerable<string> Check(CoapOscoreClientFileOptions oscore, IClientSettings client, string section)
    {
        section += ":Oscore";
        if (oscore.File is not { } path)
        {
            if (oscore.Store is not null || oscore.Uri is not null)
            {
                yield return $"{section}:{(oscore.Store is null ? "Uri" : "Store")} is set, but {section}:File names no security context.";
            }

            yield break;
        }

        if (CheckOfClient(path, $"{section}:File") is { } problem)
        {
            yield return problem;
        }

        if ((oscore.Uri ?? client.BaseAddress) is null)
        {
            yield return $"{section}:File is set, but there is no server whose requests it protects. Set {section}:Uri, or BaseAddress.";
        }

        if (client.Server is not null)
        {
            yield return $"{section}:File is set, and the client uses the endpoint of a server. Leave out Server, or add the context in "
                + "code to the OscoreContexts of that server.";
        }
    }

    /// <summary>Returns the problem of the file of a client; null if there is none.</summary>
    /// <param name="path">The file.</param>
    /// <param name="key">The name of the setting in the message.</param>
    public static string? CheckOfClient(string path, string key) =>
        Check(path, key, out int count) is { } problem ? problem
        : count == 1 ? null
        : $"{key} = '{path}': it has {count} security contexts, but a client uses one. Keep the context of each server in a file of its "
            + "own.";

    /// <summary>Returns the problem of a file; null if there is none.</summary>
    /// <param name="path">The file.</param>
    /// <param name="key">The name of the setting in the message.</param>
    /// <param name="count">The number of its contexts.</param>
    public static string? Check(string path, string key, out int count)
    {
        count = 0;
        if (!File.Exists(path) && !Directory.Exists(path))
        {
            return ConfigurationTextFormatter.NoFile(key, path, "file or directory");
        }

        try
        {
            using OscoreContextFile file = OscoreContextFile.Read(path);
            count = file.Contexts.Count;
            return null;
        }
        catch (CoapCredentialException exception)
        {
            return $"{key}: {exception.Message}";
        }
    }
}
