using System.Net;

namespace CoAP.NET.Cli.Exploring;

/// <summary>
/// A page in a file that only this user can read, and that leads the browser to an address: other users of the machine see the command line
/// of the browser, but not the secret in the address.
/// </summary>
internal sealed class RedirectPage : IDisposable
{
    // Only its owner may enter it.
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("coap-explore-");

    /// <summary>Writes the page.</summary>
    /// <param name="address">The address with the secret.</param>
    public RedirectPage(Uri address)
    {
        string target = WebUtility.HtmlEncode(address.AbsoluteUri);
        string path = Path.Join(_folder.FullName, "explore.html");
        File.WriteAllText(path, $"""
            <!doctype html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0;url={target}">
            <title>coap explore</title>
            <a href="{target}">Go on to the page of coap explore</a>
            """);
        Location = new Uri(path);
    }

    /// <summary>The address of the file.</summary>
    public Uri Location { get; }

    /// <summary>Removes the page.</summary>
    public void Dispose()
    {
        try
        {
            _folder.Delete(recursive: true);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Its secret has ended with the server.
        }
    }
}
