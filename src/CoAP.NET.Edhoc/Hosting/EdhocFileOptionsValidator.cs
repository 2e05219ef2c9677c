using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Hosting;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>Checks the files of credentials before the start. No message contains a key.</summary>
internal static class EdhocFileOptionsValidator
{
    public static IEnumerable<string> Check(CoapEdhocServerFileOptions edhoc, string section) =>
        CheckFile(edhoc.File, $"{section}:Edhoc:File").Concat(CheckSuites(edhoc.Suites, $"{section}:Edhoc:Suites"));

    public static IEnumerable<string> Check(
        CoapEdhocClientFileOptions edhoc, CoapOscoreClientFileOptions oscore, IClientSettings client, string section)
    {
        string own = $"{section}:Edhoc";
        foreach (string problem in CheckFile(edhoc.File, $"{own}:File").Concat(CheckSuites(edhoc.Suites, $"{own}:Suites")))
        {
            yield return problem;
        }

        if (edhoc.File is null && edhoc.Configure is null)
        {
            if (edhoc.Uri is not null)
            {
                yield return $"{own}:Uri is set, but {own}:File names no credentials.";
            }

            if (edhoc.Peer is not null)
            {
                yield return $"{own}:Peer is set, but {own}:File names no credentials.";
            }

            if (edhoc.Uri is null && edhoc.Peer is null)
            {
                yield return $"{own}:File names no credentials, and UseEdhoc sets no function that adds any. The client has to prove its "
                    + "identity.";
            }

            yield break;
        }

        CoapUri? server = edhoc.Uri ?? client.BaseAddress;
        if (server is null)
        {
            yield return $"{own}:File is set, but there is no server to agree on keys with. Set {own}:Uri, or BaseAddress.";
        }
        else if (oscore.File is not null && (oscore.Uri ?? client.BaseAddress) is { } other
            && server.IsCoap && other.IsCoap && EdhocClientHandler.IsSameServer(server, other))
        {
            yield return $"{own}:File and {section}:Oscore:File are both set for one server. EDHOC creates the keys that a file of OSCORE "
                + "has: leave one of the two out.";
        }

        if (client.Server is not null)
        {
            yield return $"{own}:File is set, and the client uses the endpoint of a server. Leave out Server, or use EdhocClient with the "
                + "OscoreContexts of that server.";
        }
    }

    /// <summary>Sets the suites of settings, if there are any.</summary>
    public static void Apply(IList<EdhocCipherSuite> suites, EdhocSettings settings)
    {
        if (suites.Count > 0)
        {
            settings.Suites.Clear();
            foreach (EdhocCipherSuite suite in suites)
            {
                settings.Suites.Add(suite);
            }
        }
    }

    private static IEnumerable<string> CheckSuites(IList<EdhocCipherSuite> suites, string key) =>
        suites.Where(static suite => !suite.IsSupported)
            .Select(suite => $"{key} has {suite.Number}, which this platform does not support. Leave out suite {suite}.");

    private static IEnumerable<string> CheckFile(string? path, string key)
    {
        if (path is null)
        {
            yield break;
        }

        if (!File.Exists(path))
        {
            yield return ConfigurationTextFormatter.NoFile(key, path);
            yield break;
        }

        if (ProblemOf(path) is { } problem)
        {
            yield return $"{key}: {problem}";
        }
    }

    private static string? ProblemOf(string path)
    {
        try
        {
            EdhocCredentialFile.Read(path).Dispose();
            return null;
        }
        catch (CoapCredentialException exception)
        {
            return exception.Message;
        }
    }
}
